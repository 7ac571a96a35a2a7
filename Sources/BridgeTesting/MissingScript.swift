import BridgeInput
import BridgeProtocol
import Foundation

/// Finds out why a page does not ask for `bridge.js`.
enum MissingScript {
    /// Loads the page as a browser would.
    /// - Parameter port: the daemon's.
    /// - Returns: nil if the server answers, and the page has no script tag with another port.
    static func cause(at url: String, port: UInt16) async -> String? {
        guard let page = URL(string: url), page.scheme == "http" else { return nil }
        var request = HTTPRequest(page, maximumBodySize: 1 << 20)
        request.timeout = .seconds(5)
        do throws(HTTPRequestError) {
            let html = String(decoding: try await request.send().body, as: UTF8.self)
            guard let tag = html.firstMatch(of: /:(\d+)\/bridge\.js/)?.1, tag != "\(port)" else { return nil }
            return "its script tag names port \(tag), and this daemon has port \(port). Give the daemon that port: "
                + setting("port", "port", String(tag))
        } catch {
            return "no server answers at \(page.originText): \(error). Start the app's server"
        }
    }
}
