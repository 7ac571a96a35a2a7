import AppProxy
import BridgeServer
import BridgeTraffic

/// The app of `serve --app`: the proxy in front of it, if there is one.
@MainActor final class ServedApp {
    private var proxy: AppProxy?
    /// The address at which browsers find the app with `bridge.js`.
    private(set) var url: String?
    private(set) var hasFailed = false

    /// - Returns: false if the proxy does not start. It has said why.
    func start(_ proxy: AppProxy?, _ server: BridgeServer, _ errors: ErrorLog) async -> Bool {
        guard let proxy else { return true }
        do throws(AppProxy.Failure) {
            let url = "http://localhost:\(try await proxy.start())"
            server.addAppOrigin(of: url)
            self.proxy = proxy
            self.url = url
            return true
        } catch {
            hasFailed = true
            errors.write("error: \(TerminalText.escape(error.description))")
            return false
        }
    }

    func stop() { proxy?.stop() }
}
