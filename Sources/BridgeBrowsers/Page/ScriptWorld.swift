/// The global object of a document in one content world, with the object that `web/driven.js` has exposed there.
@MainActor final class ScriptWorld {
    /// The browser's name of the global object: a context of DevTools, or a realm of WebDriver BiDi.
    let id: String
    /// nil for the page's own world.
    let name: String?
    /// The origin of the global object, as the browser says; nil if it doesn't.
    let origin: String?
    /// The document forgets its worlds when it leaves.
    private(set) var document: DrivenDocument
    /// The browser's name of the object of `web/driven.js`.
    private(set) var bridge: String?
    private var waiting: [(String?) -> Void] = []
    /// Whether scripts that the driver evaluates here obey the page's policy, if the browser does not see to it.
    var obeysPolicy = false
    /// The messages that have ended since the promises were settled last.
    var ended: [(id: Int, end: MessageEnd)] = []

    init(id: String, name: String?, origin: String?, document: DrivenDocument) {
        self.id = id
        self.name = name
        self.origin = origin
        self.document = document
        document.add(self)
    }

    func move(to document: DrivenDocument) {
        self.document = document
        obeysPolicy = false
        document.add(self)
    }

    func setBridge(_ bridge: String) {
        self.bridge = bridge
        finishWaiting()
    }

    /// Calls `use` with the bridge's name as soon as it is known, or with nil if the document has left before.
    func withBridge(_ use: @escaping (String?) -> Void) {
        if bridge != nil || document.hasLeft { use(bridge) } else { waiting.append(use) }
    }

    func finishWaiting() {
        let list = waiting
        waiting = []
        for use in list { use(bridge) }
    }

    /// Handles what a script of the world has sent to the driver.
    func receive(_ text: String) { document.receive(DrivenLine.read(text, world: name), from: self) }
}
