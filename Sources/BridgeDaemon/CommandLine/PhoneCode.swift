import BridgeServer
import Foundation

/// The part of the banner that a phone in the same network reads: the address of a page as a QR code.
struct PhoneCode {
    private let url: String
    private let code: QRCode

    /// - Parameter rootURL: the page, if other machines can reach it. Otherwise it is the demo, with the token of its tag.
    /// - Returns: nil if the daemon only listens on this machine, or the address is too long.
    init?(_ address: BridgeServer.Address, rootURL: URL?) {
        guard let token = address.pageToken else { return nil }
        let page = rootURL.flatMap { PhoneCode.isOfThisMachine($0) ? nil : $0.absoluteString }
        url = page ?? "\(address.scheme)://\(address.browserHost):\(address.port)/demo/?token=\(token)"
        guard let code = QRCode(url) else { return nil }
        self.code = code
    }

    /// Only this machine's browsers know these names as its own.
    private static func isOfThisMachine(_ url: URL) -> Bool {
        let host = url.host()?.lowercased() ?? "localhost"
        return host == "localhost" || [".localhost", ".test"].contains(where: host.hasSuffix) || host.hasPrefix("127.")
            || host == "::1"
    }

    var text: String {
        let lines = ["  Phone    Scan this to open \(url):"] + code.terminalLines.map { "           \($0)" }
        return "\n" + lines.joined(separator: "\n")
    }
}
