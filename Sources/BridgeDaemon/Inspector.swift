import BridgeServer
import Foundation

/// The inspector's address, for people and for their browser.
enum Inspector {
    /// The address with the daemon's token in its fragment, which browsers do not send to servers.
    static func url(_ address: BridgeServer.Address, token: String) -> String {
        url("\(address.scheme)://\(address.browserHost):\(address.port)/", token: token)
    }

    /// - Parameter daemon: the daemon's address, with a slash at its end.
    static func url(_ daemon: String, token: String) -> String { "\(daemon)inspector/#token=\(token)" }

    /// Opens the inspector in the user's own browser. It writes to the errors if the system has no program for that.
    static func open(_ address: BridgeServer.Address, token: String, errors: ErrorLog) {
        do {
            try UserBrowser.show(url(address, token: token)).whenEnded { ending in
                guard !ending.isSuccess else { return }
                errors.write(
                    "bridged: Can't open the inspector: \(UserBrowser.program) failed. "
                        + "Copy its address into a browser.")
            }
        } catch {
            errors.write("bridged: Can't open the inspector: \(error.localizedDescription)")
        }
    }
}
