import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeTesting

/// A client for Chromium's DevTools protocol. The browser must have been started with `DevTools.arguments`.
struct DevTools {
    static let arguments = ["--remote-debugging-port=0"]

    private let connection: PageClient

    /// Connects to the first tab whose URL begins with `url`.
    init(_ browser: Browser, tab url: String) async throws {
        let port = try await DevTools.port(of: browser)
        var path: String?
        // A tab that navigates has its new URL only when the response has come.
        while path == nil {
            let list = try JSON.parse(try await HTTPClient.request(path: "/json", port: port).body)
            list.forEachElement { target in
                guard target["url"]?.string?.hasPrefix(url) == true, path == nil else { return }
                path = target["webSocketDebuggerUrl"]?.string.flatMap { URL(string: $0)?.path }
            }
        }
        connection = PageClient(
            try await WebSocketClient.connect(
                port: port, path: try #require(path), origin: nil, subprotocols: nil))
    }

    /// Waits for the port, which Chromium writes to a file when it listens.
    private static func port(of browser: Browser) async throws -> UInt16 {
        let file = browser.profile.appendingPathComponent("DevToolsActivePort")
        var port: UInt16?
        try await waitUntil {
            let text = try? String(contentsOf: file, encoding: .utf8)
            port = text?.split(separator: "\n").first.flatMap { UInt16($0) }
            return port != nil
        }
        return try #require(port)
    }

    /// Runs a script in the page.
    @discardableResult func evaluate(_ script: String) async throws -> JSON? {
        var params = JSONWriter()
        params.object { $0.member("expression", script) }
        connection.send(#"{"id":2,"method":"Runtime.evaluate","params":\#(params.text)}"#)
        return try await connection.nextResult()["result"]?["value"]
    }

    /// Lets a script of the page click on its first link, as soon as there is one: a tab has the URL of its next document
    /// before that has loaded.
    func clickFirstLink() async throws {
        let script = "(() => { const link = document.querySelector('a'); link?.click(); return link !== null })()"
        while try await evaluate(script)?.bool != true {}
    }

    /// Clicks in the middle of an element, as a person does with a mouse.
    func click(_ selector: String) async throws {
        let place = """
            (() => { const { x, y, width, height } = document.querySelector("\(selector)").getBoundingClientRect(); \
            return { x: x + width / 2, y: y + height / 2 } })()
            """
        var params = JSONWriter()
        params.object {
            $0.member("expression", place)
            $0.member("returnByValue", true)
        }
        connection.send(#"{"id":3,"method":"Runtime.evaluate","params":\#(params.text)}"#)
        let value = try await connection.nextResult()["result"]?["value"]
        let (x, y) = (value?["x"]?.number ?? 0, value?["y"]?.number ?? 0)
        for type in ["mousePressed", "mouseReleased"] {
            let mouse = #"{"type":"\#(type)","x":\#(x),"y":\#(y),"button":"left","clickCount":1}"#
            connection.send(#"{"id":4,"method":"Input.dispatchMouseEvent","params":\#(mouse)}"#)
            _ = try await connection.nextResult()
        }
    }

    /// Sets the state to `frozen` or `active`
    /// (https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-setWebLifecycleState).
    func setLifecycle(_ state: String) async throws {
        connection.send(#"{"id":1,"method":"Page.setWebLifecycleState","params":{"state":"\#(state)"}}"#)
        _ = try await connection.nextResult()
    }
}
