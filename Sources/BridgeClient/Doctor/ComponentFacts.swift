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
}
