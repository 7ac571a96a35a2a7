import TestSupport

/// A page with a web library for bridge components, written by hand and as small as can be.
enum ComponentPage: String, CaseIterable, CustomStringConvertible {
    /// As @hotwired/hotwire-native-bridge offers itself, and as @hotwired/strada.
    case hotwire = "HotwireNative"
    case strada = "Strada"

    var description: String { rawValue }

    /// `send(component, event, data)` keeps all answers in `answers`, by event.
    private static let library = """
        const root = document.documentElement
        const waiting = [], callbacks = new Map(), answers = []
        let adapter, lastID = 0
        const library = {
          setAdapter(given) {
            adapter = given
            root.dataset.bridgePlatform = adapter.platform
            library.adapterDidUpdateSupportedComponents()
            for (const message of waiting.splice(0)) library.send(message)
          },
          adapterDidUpdateSupportedComponents() { root.dataset.bridgeComponents = adapter.supportedComponents.join(" ") },
          supportsComponent(name) { return adapter ? adapter.supportsComponent(name) : false },
          send(message) {
            if (!adapter) return void waiting.push(message)
            if (!library.supportsComponent(message.component)) return
            const { component, event, data, callback } = message
            const id = String(++lastID)
            adapter.receive({ id, component, event, data })
            callbacks.set(id, callback)
          },
          receive(message) { callbacks.get(message.id)?.(message) },
        }
        const send = (component, event, data = {}) => library.send({
          component, event, data: { ...data, metadata: { url: location.href } },
          callback: ({ component, event, data }) => answers.push({ component, event, data }),
        })
        """

    /// - Parameter script: the page's own, which runs when the library stands. It may `send`.
    func html(bridge: String, _ script: String = "") -> String {
        """
        <!DOCTYPE html><html><head><title>Components</title><script src="\(bridge)"></script></head><body><script>
        \(Self.library)
        \(self == .hotwire ? script : "")
        window.\(rawValue) = { web: library }
        document.dispatchEvent(new Event("web-bridge:ready"))
        \(self == .strada ? script : "")
        </script></body></html>
        """
    }
}
