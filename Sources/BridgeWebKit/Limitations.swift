import BridgeServer

/// Reports what a browser cannot do for an app, each thing once.
@MainActor final class Limitations {
    private weak var server: BridgeServer?
    private var reported: Set<String> = []

    init(_ server: BridgeServer? = nil) { self.server = server }

    func report(_ text: String, hint: String) {
        guard reported.insert(text).inserted else { return }
        (server ?? .shared).traffic.problem(.webKitUnsupported, text, hint: hint)
    }
}

extension ProblemCode {
    static let contentWorldUnsupported = Self(
        "contentWorldUnsupported", page: "fidelity.md#what-an-in-page-script-cannot-do")
    static let handlerTaken = Self("handlerTaken", page: "write-a-handler.md#typed-messages")
    static let webKitUnsupported = Self("webKitUnsupported", page: "notes/webkit.md")
    static let webViewNameTaken = Self(
        "webViewNameTaken", page: "write-a-handler.md#which-page-belongs-to-which-web-view")
    static let webViewNotMain = Self("webViewNotMain", page: "write-a-handler.md#which-page-belongs-to-which-web-view")
}
