import BridgeProtocol

/// What a page reports about its bridge components.
struct ComponentFacts: Decodable, Equatable {
    /// The page's web library: `HotwireNative` or `Strada`.
    var library: String?
    /// Whether `window.nativeBridge` exists.
    var hasAdapter = false
    /// Whether the library has an adapter.
    var isAdapterSet = false
    /// The components that the page's elements use: an element with `data-controller="bridge--form"` uses `form`.
    var uses: [String] = []
    /// The components that the app's adapter supports.
    var supported: [String] = []
    /// The components that the user agent lists; nil if it has no list.
    var listed: [String]?
    /// The components with `data-controller-optout-…` for this platform.
    var optedOut: [String] = []

    /// A JavaScript function that collects these facts.
    static let function = #"""
        () => {
          const library = ["HotwireNative", "Strada"].find((name) => window[name]?.web) ?? null
          const root = document.documentElement
          const named = (attribute) => [...new Set([...document.querySelectorAll(`[${attribute}]`)].flatMap((element) =>
            [...element.getAttribute(attribute).matchAll(/(?:^|\s)bridge--([\w-]+)/g)].map((match) => match[1])))]
          const list = navigator.userAgent.match(/bridge-components: \[([^\]]*)\]/)
          return {
            library, hasAdapter: Boolean(window.nativeBridge), isAdapterSet: Boolean(root.dataset.bridgePlatform),
            uses: named("data-controller"), listed: list ? list[1].split(" ").filter(Boolean) : null,
            // Asking the adapter makes it announce itself, so ask only if there is a library.
            supported: library ? [...window.nativeBridge?.supportedComponents ?? []] : [],
            optedOut: named(`data-controller-optout-${root.dataset.bridgePlatform ?? "ios"}`),
          }
        }
        """#

    /// Says why bridge components do not work. Most of these problems are visible only in the page.
    /// - Parameter builtIn: the names of the components that bridged has.
    func findings(by attachment: PageAttachment, builtIn: [String]) -> [Finding] {
        guard !uses.isEmpty || library != nil else { return [] }
        let findings = connection(attachment) + uses.flatMap { component($0, builtIn) }
        guard !findings.contains(where: { $0.severity != .note }) else { return findings }
        let names = uses.isEmpty ? "" : ": \(uses.joined(separator: ", "))"
        return findings + [Finding(.ok, "components", "The page's bridge components reach the app\(names).")]
    }

    private func connection(_ attachment: PageAttachment) -> [Finding] {
        guard library != nil else {
            return .one(
                .error, "componentLibraryMissing",
                "Elements use bridge components, but the page has neither window.HotwireNative nor window.Strada.",
                fix: "Import it where the page's scripts begin: import \"@hotwired/hotwire-native-bridge\".")
        }
        guard hasAdapter else {
            return .one(
                .error, "componentAdapterMissing",
                "The page has bridge components, but no window.nativeBridge: their messages wait for ever.",
                fix: "Reload the page. \(attachment.source) adds the adapter, in main frames only.")
        }
        guard !isAdapterSet else { return [] }
        return .one(
            .error, "componentAdapterNotSet",
            "The web library has no adapter: the messages of components wait for ever.",
            fix: """
                The app registers components when its adapter posts "ready": see bridged tail --filter \
                handler:bridge. A library of your own must dispatch web-bridge:ready on document, and have \
                setAdapter.
                """)
    }

    private func component(_ name: String, _ builtIn: [String]) -> [Finding] {
        if optedOut.contains(name) {
            return .one(
                .note, "componentOptedOut", "An element opts out of the component \(name) on this platform.",
                fix: "Do nothing if that is intended: data-controller-optout-… leaves the element to the web.")
        }
        if library != nil, isAdapterSet, !supported.contains(name), builtIn.contains(name) {
            return .one(
                .error, "componentLeftOut",
                "Elements use the component \(name), which --component or bridged.yml leaves out.",
                fix: "Start bridged with --component \(name) as well.")
        }
        if library != nil, isAdapterSet, !supported.contains(name) {
            let nearest = EditDistance.nearest(to: name, in: supported).map { "Did the page mean \($0)? " } ?? ""
            return .one(
                .error, "componentMissing",
                "Elements use the component \(name), but the app has no component of that name.",
                fix: nearest
                    + "To add it, declare it under components in bridged.yml (docs/write-a-component.md).")
        }
        guard !(listed ?? []).contains(name) else { return [] }
        return .one(
            .error, "componentNotListed",
            "The user agent does not list the component \(name), so its web half does not load.",
            fix:
                "Keep bridge-components: […] in the user agent, also if customUserAgent or the browser sets another one."
        )
    }
}
