import BridgeProtocol
import BridgeServer
import BridgeWebKit

/// Gives each web view of the app a window of the browser that bridged drives, if there is one.
///
/// A load waits in a web view without a page, so that a window may come later than the load.
@MainActor final class Windows {
    private let server: BridgeServer
    /// The web views that have a window, or for which one has been asked for. A page that goes leaves its window, in which
    /// the next page attaches.
    private var names: Set<String> = []

    init(_ server: BridgeServer) {
        self.server = server
        server.observePages { [weak self] event, page in
            guard let self, event == .attached else { return }
            self.names.insert(page.webView)
            self.openMissing()
        }
    }

    /// Asks the browser for the windows that are missing.
    func openMissing() {
        guard let driven = server.pages.first(where: \.isDriven) else { return }
        for name in server.webViewNames where names.insert(name).inserted {
            driven.command("webView.open", [.init("name", .string(name))]) { [weak self] result in
                guard let self, case .failure(let error) = result else { return }
                self.server.traffic.problem(
                    "webViewNotOpened", "The browser opened no window for the web view \(name): \(error)",
                    hint: "Close other windows, or start the browser again.")
            }
        }
    }
}
