import BridgeProtocol

/// The facts that `bridged doctor` collects about a page.
struct PageFacts: Decodable, Equatable {
    struct Script: Decodable, Equatable {
        /// The script's URL, or the beginning of its text.
        let name: String
        /// Whether it has `async`, `defer` or `type="module"`, so that it runs after others.
        let isLate: Bool
        let isInHead: Bool
    }

    struct Policy: Decodable, Equatable {
        /// `header` or `meta`.
        let place: String
        let text: String
    }

    /// The tag of bridge.js; nil if the page has none, because something else loaded the script.
    var bridge: Script?
    /// The scripts that run before bridge.js, in the order of their tags.
    var earlier: [String] = []
    var policies: [Policy] = []
    /// The names of the handlers that the page's scripts use.
    var uses: [String] = []
    /// Whether scripts compute names of handlers, as in `messageHandlers[name]`.
    var computesNames = false
    /// The names of the objects that scripts call as in `name.postMessage(JSON.stringify(…))`, as pages do on Android.
    var calls: [String] = []
    /// The scripts of other origins, which could not be read.
    var unread: [String] = []
    var url = ""
    var userAgent = ""
    /// `Turbo` or `Turbolinks`, if the page has one of them on `window`.
    var turbo: String?
    /// Whether the element `<turbo-frame>` is defined. Then Turbo runs, even if it is not on `window`.
    var hasTurboElements = false
    /// Whether `window.turboNative` exists.
    var hasAdapter = false
    /// Whether `window.turboNative` is the adapter that Turbo uses.
    var isAdapterRegistered = false
    var isHidden = false
    var components = ComponentFacts()

    /// The body of an asynchronous JavaScript function that collects these facts.
    static let script = #"""
        const request = (url) =>
          fetch(`${url.split("#")[0]}\#(FinishedRequest.doctorFragment)`, { signal: AbortSignal.timeout(3000) })
        // bridge.js removes its own tag, so only the page's source says where the tag is.
        const policies = []
        let source = document
        try {
          const response = await request(location.href)
          const policy = response.headers.get("content-security-policy")
          if (policy) policies.push({ place: "header", text: policy })
          source = new DOMParser().parseFromString(await response.text(), "text/html")
        } catch {}
        for (const meta of document.querySelectorAll("meta[http-equiv='content-security-policy' i]"))
          policies.push({ place: "meta", text: meta.content })

        const url = (script) => script.hasAttribute("src") ? new URL(script.getAttribute("src"), document.baseURI).href : ""
        const isBridge = (script) => /\/bridge\.js(\?|$)/.test(url(script))
        const isLate = (script) =>
          (url(script) && (script.hasAttribute("async") || script.hasAttribute("defer"))) || script.type === "module"
        const runs = (script) => !script.type || /javascript|module/i.test(script.type)
        const nameOf = (script) => url(script) || `an inline script (${script.text.trim().slice(0, 60)})`
        const inSource = [...source.querySelectorAll("script")]
        const tag = inSource.find(isBridge)
        const earlier = tag ? inSource.slice(0, inSource.indexOf(tag)).filter((s) => runs(s) && !isLate(s)) : []
        const scripts = [...document.scripts]

        const uses = new Set()
        let computesNames = false
        const calls = new Set()
        const unread = []
        const read = (text) => {
          for (const match of text.matchAll(/messageHandlers\s*(?:\?\.|\.)\s*([\p{L}_$][\p{L}\p{N}_$]*)/gu)) uses.add(match[1])
          for (const match of text.matchAll(/messageHandlers\s*(?:\?\.)?\[\s*["'`]([^"'`]+)["'`]\s*\]/g)) uses.add(match[1])
          computesNames ||= /messageHandlers\s*(?:\?\.)?\[\s*[^"'`\s]/.test(text)
          for (const match of text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:\?\.|\.)\s*postMessage\(\s*JSON\.stringify/gu)) calls.add(match[1])
        }
        await Promise.all(scripts.filter((script) => !isBridge(script) && runs(script)).slice(0, 50).map(async (script) => {
          if (!url(script)) return read(script.text)
          try {
            const response = await request(url(script))
            read(await response.text())
          } catch { unread.push(url(script)) }
        }))
        for (const element of document.querySelectorAll("[onclick]")) read(element.getAttribute("onclick"))

        return {
          bridge: tag && { name: url(tag), isLate: Boolean(isLate(tag)), isInHead: tag.parentElement === source.head },
          earlier: earlier.map(nameOf), policies, uses: [...uses].sort(), computesNames, calls: [...calls].sort(), unread, url: location.href,
          userAgent: navigator.userAgent, isHidden: document.visibilityState === "hidden",
          hasTurboElements: Boolean(window.customElements?.get("turbo-frame")),
          hasAdapter: Boolean(window.turboNative),
          isAdapterRegistered: Boolean(window.turboNative) &&
            (window.Turbo?.session ?? window.Turbolinks?.controller)?.adapter === window.turboNative,
          components: (\#(ComponentFacts.function))(),
          turbo: window.Turbo ? "Turbo" : window.Turbolinks ? "Turbolinks" : null,
        }
        """#
}
