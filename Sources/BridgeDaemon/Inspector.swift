import BridgeServer
import Foundation

/// The inspector's address, for people and for their browser.
enum Inspector {
    /// The address with the daemon's token in its fragment, which browsers send to nobody.
    static func url(_ address: BridgeServer.Address, token: String) -> String {
        "\(address.scheme)://\(address.browserHost):\(address.port)/inspector/#token=\(token)"
    }

    /// Opens the inspector in the user's own browser. It writes to the errors if the system has no program for that.
    static func open(_ address: BridgeServer.Address, token: String, errors: ErrorLog) {
        #if os(macOS)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, url(address, token: token)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { process in
            guard process.terminationStatus != 0 else { return }
            errors.write("bridged: Can't open the inspector: \(program) failed. Copy its address into a browser.")
        }
        do { try process.run() } catch {
            errors.write("bridged: Can't open the inspector: \(error.localizedDescription)")
        }
    }
}
