import BridgeServer

/// Reports what a browser cannot do for an app, each thing once.
@MainActor final class Limitations {
    private weak var server: BridgeServer?
    private var reported: Set<String> = []

    init(_ server: BridgeServer? = nil) { self.server = server }

    func report(_ text: String, hint: String) {
        guard reported.insert(text).inserted else { return }
        (server ?? .shared).traffic.problem("webKitUnsupported", text, hint: hint)
    }
}
