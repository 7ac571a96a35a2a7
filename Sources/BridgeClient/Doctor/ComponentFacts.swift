/// What a page tells of its bridge components.
struct ComponentFacts: Decodable, Equatable {
    /// `HotwireNative` or `Strada`: which web library the page has.
    var library: String?
    /// Whether `window.nativeBridge` stands, and whether the library was given an adapter.
    var hasAdapter = false
    var isAdapterSet = false
    /// The components that the page's elements ask for: `bridge--form` in `data-controller` is `form`.
    var uses: [String] = []
    var supported: [String] = []
    /// Those in the user agent; nil where it has no list.
    var listed: [String]?
    /// Those with `data-controller-optout-…` for this platform.
    var optedOut: [String] = []

    /// A function that gathers them.
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
            // To ask the adapter is to have a use for it.
            supported: library ? [...window.nativeBridge?.supportedComponents ?? []] : [],
            optedOut: named(`data-controller-optout-${root.dataset.bridgePlatform ?? "ios"}`),
          }
        }
        """#
}
