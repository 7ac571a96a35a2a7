import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Faults that tools add, and the drivers that apply them.
@MainActor @Suite(.timeLimit(.minutes(4))) struct FaultTests {
    private func attach(
        _ address: BridgeServer.Address, engine: BrowserEngine = .chromium, webView: String = "main"
    ) async throws -> (PageClient, JSON) {
        let token = try DiscoveryFileContents(path: address.discoveryFile).token
        return try await PageClient.attachDriven(
            port: address.port, token: token, engine: engine, document: "d-\(webView)", webView: webView)
    }

    @Test func driverGetsTheFaultsOfItsWebView() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (main, first) = try await attach(address)
            #expect(first["result"]?["faults"] == nil)
            let added = try await tool.call("faults.add", #"{"url":"/posts","kind":"slow","delayMs":500,"times":2}"#)
            #expect(added["fault"]?.string == "f1")
            let faults = try await main.next("method", "handlers.changed")["params"]?["faults"]
            let slow = #"{"fault":"f1","url":"/posts","kind":"slow","delayMs":500,"times":2}"#
            #expect(faults?.description == "[\(slow)]")
            _ = try await tool.call("faults.add", #"{"url":"*","kind":"status","status":503,"webView":"modal"}"#)
            let (_, second) = try await attach(address, webView: "modal")
            #expect(second["result"]?["faults"]?.count == 2)
            let settings = try await tool.get("/web-view?name=main").body
            #expect(try JSON.parse(settings)["faults"]?.description == "[\(slow)]")
            #expect(try await tool.call("faults.remove", #"{"fault":"f1"}"#).description == "{}")
            #expect(try await main.next("method", "handlers.changed")["params"]?["faults"] == nil)
            #expect(try await tool.error("faults.remove", #"{"fault":"f1"}"#)["data"]?["faults"]?.count == 1)
        }
    }

    @Test func faultEndsWithItsLastRequest() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let recorder = Recorder(server)
            let (page, _) = try await attach(address)
            _ = try await tool.call("faults.add", #"{"url":"/posts","kind":"offline","times":2}"#)
            let request = #"{"url":"http://localhost:3000/posts","method":"GET","failure":"offline","fault":"f1"}"#
            page.tell("request.finished", request)
            _ = try await recorder.first { $0.event.kind == .request }
            #expect(try await tool.call("faults.list")["faults"]?[0]?["hits"]?.number == 1)
            page.tell("request.finished", request)
            _ = try await page.next("method", "handlers.changed")
            #expect(try await page.next("method", "handlers.changed")["params"]?["faults"] == nil)
            #expect(try await tool.call("faults.list")["faults"]?.count == 0)
        }
    }

    @Test func pageWithTheTagHasNoFaults() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let recorder = Recorder(server)
            _ = try await tool.call("faults.add", #"{"url":"/posts","kind":"cut"}"#)
            let (page, _) = try await PageClient.attach(port: address.port)
            let problem = try await recorder.problem("faultIgnored")
            #expect(problem.text.contains("f1") && problem.text.contains("p1"))
            let error = try await tool.error("faults.add", #"{"url":"/posts","kind":"offline"}"#)
            #expect(error["code"]?.number == -32600)
            let (modal, driven) = try await attach(address, engine: .webkit, webView: "modal")
            #expect(driven["result"]?["faults"]?.count == 1)
            let webKit = try await tool.error("faults.add", #"{"url":"/","kind":"cut","webView":"modal"}"#)
            #expect(webKit["code"]?.number == -32600)
            _ = try await tool.call("faults.add", #"{"url":"/","kind":"offline"}"#)
            _ = (page, modal)
        }
    }

    /// WebKit changes documents alone. One problem is enough for a fault.
    @Test func namesTheRequestsThatWebKitDoesNotChange() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let recorder = Recorder(server)
            let (page, _) = try await attach(address, engine: .webkit)
            _ = try await tool.call("faults.add", #"{"url":"/posts*","kind":"offline"}"#)
            for (type, url) in [
                ("document", "/posts?1"), ("fetch", "/other"), ("fetch", "/posts"), ("image", "/posts"),
            ] {
                page.tell(
                    "request.finished",
                    #"{"url":"http://localhost\#(url)","method":"GET","type":"\#(type)","status":200}"#)
            }
            _ = try await recorder.first {
                if case .request(let request, _) = $0.event { request.type == "image" } else { false }
            }
            let problems = recorder.records.compactMap {
                if case .problem(_, let text, _, _, _) = $0.event { text } else { nil }
            }
            #expect(problems.count == 1)
            #expect(problems.first?.hasPrefix("The fault f1 did not change GET http://localhost/posts: ") == true)
        }
    }

    @Test(arguments: [
        #"{"url":"/","kind":"slow"}"#, #"{"url":"/","kind":"status"}"#, #"{"url":"/","kind":"status","status":99}"#,
        #"{"url":"/","kind":"cut","status":500}"#, #"{"url":"","kind":"cut"}"#, #"{"url":"/","kind":"slower"}"#,
        #"{"url":"/","kind":"cut","times":0}"#,
    ])
    func rejectsWhatDoesNotFit(params: String) async throws {
        try await withServer { _, address in
            let error = try await ControlClient(address).error("faults.add", params)
            #expect(error["code"]?.number == -32602)
        }
    }

    @Test func refusesMoreFaultsThanThereMayBe() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            for _ in 1...256 { _ = try await tool.call("faults.add", #"{"url":"/","kind":"cut"}"#) }
            let error = try await tool.error("faults.add", #"{"url":"/","kind":"cut"}"#)
            #expect(error["code"]?.number == -32600)
        }
    }
}
