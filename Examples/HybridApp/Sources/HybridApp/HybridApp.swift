import BridgeServer
import WebKit

/// Shows a page, answers its message, and ends when the page has confirmed the answer.
@main @MainActor struct HybridApp {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
            fatalError("usage: HybridApp URL")
        }
        _ = try await BridgeServer.shared.start()
        let controller = WebViewController()
        controller.visit(url)
        print(try await controller.confirmation())
    }
}
