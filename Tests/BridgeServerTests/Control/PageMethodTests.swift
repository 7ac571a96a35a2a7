import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Pages and scripts over the control channel.
@MainActor @Suite(.timeLimit(.minutes(4))) struct PageMethodTests {
    @Test func listsPages() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let list = try await ControlClient(address).call("pages.list")["pages"] ?? .null
            #expect(list.count == 1)
            #expect(list[0]?["page"]?.string == "p1" && list[0]?["webView"]?.string == "main")
            #expect(list[0]?["frame"]?["url"]?.string == "http://localhost:3000/")
            #expect(list[0]?["attached"]?.bool == true && list[0]?["attachedAt"]?.string?.hasSuffix("Z") == true)
            page.drop()
        }
    }

    @Test(arguments: ["*/customers/*", "/customers/7"]) func waitsForPageWithMatchingURL(_ url: String) async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            async let found = tool.call("pages.wait", #"{"url":"\#(url)"}"#)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(
                #"{"jsonrpc":"2.0","method":"page.update","params":{"url":"http://localhost:3000/customers/7"}}"#)
            #expect(try await found["frame"]?["url"]?.string == "http://localhost:3000/customers/7")
        }
    }

    /// A newer document that has not loaded goes away, and the one before it has loaded.
    @Test func waitsNoLongerForPageThatIsGone() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (before, _) = try await PageClient.attach(port: address.port)
            let newer = try await PageClient(port: address.port)
            await newer.sendAttach(document: "d-2", readyState: "interactive")
            _ = try await newer.next("id", "attach")
            async let found = tool.call("pages.wait", #"{"until":"load","timeoutMs":100000}"#)
            newer.drop()
            #expect(try await found["page"]?.string == "p1")
            before.drop()
        }
    }

    @Test func timesOutAndListsAttachedPages() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port, webView: "modal")
            let error = try await ControlClient(address).error("pages.wait", #"{"timeoutMs":20}"#)
            #expect(error["code"]?.number == -32005 && error["data"]?["timeoutMs"]?.number == 20)
            #expect(
                error["message"]?.string
                    == "No matching page of the web view 'main' attached within 20 ms. "
                    + "Attached pages: p1 (modal, http://localhost:3000/).")
            page.drop()
        }
    }

    @Test(arguments: [
        (#"{"url":"/x"}"#, #"{"url":"/x"}"#), (#"{"reload":true}"#, #"{"reload":true}"#),
        (#"{"delta":-1,"page":"p1"}"#, #"{"delta":-1}"#),
    ])
    func navigatesPage(_ params: String, _ sent: String) async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            #expect(try await ControlClient(address).call("page.navigate", params)["page"]?.string == "p1")
            #expect(try await page.next("method", "page.navigate")["params"]?.description == sent)
        }
    }

    private func answer(_ page: PageClient, _ method: String, _ members: String) async throws -> JSON {
        let request = try await page.next("method", method)
        page.send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\(members)}")
        return request["params"] ?? .null
    }

    @Test func evaluateWaitsForPageOfWebView() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            async let value = tool.call("script.evaluate", #"{"source":"6*7","webView":"modal"}"#)
            let (page, _) = try await PageClient.attach(port: address.port, webView: "modal")
            let params = try await answer(page, "script.evaluate", #""result":{"value":42}"#)
            #expect(params["source"]?.string == "6*7")
            #expect(try await value.description == #"{"value":42}"#)
        }
    }

    @Test func callAsyncPassesArguments() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            async let value = tool.call(
                "script.callAsync", #"{"body":"return a","arguments":{"a":"NaN"},"types":{"/a":"number"}}"#)
            let params = try await answer(
                page, "script.callAsync", #""result":{"value":"NaN","types":{"":"number"}}"#)
            #expect(params["arguments"]?["a"]?.string == "NaN" && params["types"]?["/a"]?.string == "number")
            #expect(try await value["types"]?[""]?.string == "number")
        }
    }

    @Test func evaluatesBatchInOrder() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            let calls = (1...20).map {
                #"{"jsonrpc":"2.0","id":\#($0),"method":"script.evaluate","params":{"source":"\#($0)"}}"#
            }
            async let answers = tool.post("[\(calls.joined(separator: ","))]")
            for number in 1...20 {
                let params = try await answer(page, "script.evaluate", "\"result\":{\"value\":\(number)}")
                #expect(params["source"]?.string == "\(number)")
            }
            #expect(try JSON.parse(try await answers.body)[19]?["result"]?["value"]?.number == 20)
        }
    }

    /// The app changes with most messages, and thousands of calls may wait.
    @Test func looksAtAPageOnce_ifTheAppChangesAndShowsTheSameScreen() async throws {
        try await withServer { server, address in
            let pages = PageWaiters(server.parts.documents) { "main" }
            let (page, _) = try await PageClient.attach(port: address.port)
            var looks = 0
            let wait = Task {
                try? await pages.page(at: .visible, within: .seconds(60)) { _ in
                    looks += 1
                    return false
                }
            }
            while looks == 0 { await Task.yield() }
            let before = looks
            for _ in 1...100 {
                server.traffic.app("x", [], page: nil)
                for _ in 1...10 { await Task.yield() }
            }
            #expect(looks - before <= 1)
            wait.cancel()
            page.drop()
        }
    }

    // MARK: Errors

    @Test func reportsEachFailureWithItsOwnError() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            async let exception = tool.error("script.evaluate", #"{"source":"boom()"}"#)
            _ = try await answer(
                page, "script.evaluate",
                #""error":{"code":4,"message":"boom","data":{"name":"ReferenceError","message":"boom","line":1}}"#)
            let error = try await exception
            #expect(error["code"]?.number == 4 && error["data"]?["name"]?.string == "ReferenceError")

            let timeout = try await tool.error("script.evaluate", #"{"source":"for(;;);","timeoutMs":20}"#)
            #expect(timeout["code"]?.number == 1 && (timeout["data"]?["timeoutMs"]?.number ?? 99) <= 20)

            let noPage = try await tool.error("script.evaluate", #"{"source":"1","page":"p9"}"#)
            #expect(noPage["code"]?.number == -32002)
            #expect(
                noPage["data"]?.description
                    == #"{"page":"p9","pages":["p1"],"see":"docs/protocol.md#errors-in-results"}"#)

            async let gone = tool.error("script.evaluate", #"{"source":"2"}"#)
            _ = try await page.next("method", "script.evaluate")
            _ = try await page.next("method", "script.evaluate")
            page.close(1001)
            let left = try await gone
            #expect(left["code"]?.number == 2 && left["data"]?["page"]?.string == "p1")
        }
    }

    /// Wrong params, with the whole text of the error.
    nonisolated static let mistakes: [(method: String, params: String, message: String)] = [
        ("script.evaluate", "{}", "/source: expected String, found nothing"),
        ("script.evaluate", #"{"source":7}"#, "/source: expected String, found number 7"),
        (
            "script.evaluate", #"{"sorce":"1"}"#,
            #"/sorce: unknown "sorce". Did you mean "source"? There are: page, webView, device, source, world, timeoutMs, node."#
        ),
        (
            "script.evaluate", #"{"source":"1","page":"p1","webView":"main"}"#,
            "/webView: give page or webView, not both"
        ),
        (
            "script.evaluate", #"{"source":"1","timeoutMs":-1}"#,
            "/timeoutMs: expected milliseconds from 0 to 86400000, found number -1"
        ),
        (
            "script.evaluate", #"{"source":"1","timeoutMs":1e300}"#,
            "/timeoutMs: expected milliseconds from 0 to 86400000, found number 1e+300"
        ),
        ("script.callAsync", #"{"body":"","arguments":[]}"#, "/arguments: expected an object, found array of 0"),
        ("pages.list", #"{"x":1}"#, #"/x: unknown "x". There is none."#),
        ("pages.list", "[1]", "expected an object (params go by name), found array of 1"),
        ("page.navigate", "{}", "expected one of url, reload: true and delta"),
        ("page.navigate", #"{"delta":1.5}"#, "/delta: expected Int, found number 1.5"),
        (
            "handlers.stub", #"{"handler":"a"}"#,
            "/reply: expected {value}, {error}, {echo: true} or {none: true}, found nothing"
        ),
        (
            "handlers.stub", #"{"handler":"a","reply":{"echo":true,"none":true}}"#,
            "/reply: expected {value}, {error}, {echo: true} or {none: true}, found object with keys echo, none"
        ),
        ("handlers.stub", #"{"handler":"a","reply":{"error":1}}"#, "/reply/error: expected String, found number 1"),
        ("handlers.unstub", #"{"stub":"s9"}"#, "/stub: there is no stub 's9'. There are no stubs."),
        (
            "app.state", "{}",
            "Invalid request: this daemon emulates no app. `bridged serve` does; in Swift, set server.app."
        ),
    ]

    @Test(arguments: mistakes)
    func saysWhatIsWrongWithParams(mistake: (method: String, params: String, message: String)) async throws {
        try await withServer { _, address in
            let error = try await ControlClient(address).error(mistake.method, mistake.params)
            let prefix = mistake.message.hasPrefix("Invalid request") ? "" : "Invalid params: "
            #expect(error["message"]?.string == prefix + mistake.message)
        }
    }
}
