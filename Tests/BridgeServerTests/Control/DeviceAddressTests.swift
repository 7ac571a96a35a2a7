import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Calls that name a device, which shows one document after the other.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DeviceAddressTests {
    private static let evaluate = #"{"source":"document.title","device":"d1","timeoutMs":60000}"#

    private func answer(_ page: PageClient, _ value: String) async throws {
        let request = try await page.next("method", "script.evaluate")
        page.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.text ?? ""),"result":{"value":"\#(value)"}}"#)
    }

    @Test func runsAToolsScriptInAnObservedPage() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            async let title = tool.call("script.evaluate", Self.evaluate)
            try await answer(page, "one")
            #expect(try await title["value"]?.string == "one")
            let listed = try await tool.call("pages.list")["pages"]?[0]
            #expect(listed?["deviceId"]?.string == "d1")
            #expect(listed?["address"]?.string == "127.0.0.1")
        }
    }

    @Test func followsADeviceToItsNextDocument_andWaitsForIt() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            page.close(1001)
            while try await tool.call("pages.list")["pages"]?[0]?["attached"]?.bool == true { await Task.yield() }
            async let title = tool.call("script.evaluate", Self.evaluate)
            let (next, _) = try await PageClient.attachDevice(port: address.port, document: "device-2")
            try await answer(next, "two")
            #expect(try await title["value"]?.string == "two")
        }
    }

    @Test func prefersTheNewestPageThatIsVisible() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            let (modal, _) = try await PageClient.attachDevice(port: address.port, document: "modal")
            async let first = tool.call("script.evaluate", Self.evaluate)
            try await answer(modal, "modal")
            #expect(try await first["value"]?.string == "modal")
            modal.tell("page.update", #"{"visibility":"hidden"}"#)
            while try await tool.call("pages.list")["pages"]?[1]?["visibility"]?.string != "hidden" {
                await Task.yield()
            }
            async let second = tool.call("script.evaluate", Self.evaluate)
            try await answer(page, "main")
            #expect(try await second["value"]?.string == "main")
        }
    }

    @Test func tellsDevicesApart() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let clients = [
                try await PageClient.attachDevice(port: address.port, document: "a", userAgent: "one").0,
                try await PageClient.attachDevice(port: address.port, document: "b", userAgent: "two").0,
                try await PageClient.attachDevice(port: address.port, document: "c", webView: "x", userAgent: "two").0,
                try await PageClient.attachDevice(port: address.port, document: "d", userAgent: "one").0,
            ]
            let pages = try await tool.call("pages.list")["pages"]?.elements ?? []
            #expect(pages.map { $0["deviceId"]?.string } == ["d1", "d2", "d3", "d1"])
            for client in clients { client.drop() }
        }
    }

    @Test func saysThatADeviceShowsNoPageAnyMore() async throws {
        try await withServer({ $0.limits.pageTimeout = .milliseconds(50) }) { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            let unknown = try await tool.error("page.expect", #"{"text":"x","device":"d7"}"#)
            #expect(unknown["message"]?.string == "There is no device 'd7'. The devices are: d1.")
            page.drop()
            let gone = try await tool.error("page.expect", #"{"text":"x","device":"d1","timeoutMs":60000}"#)
            #expect(gone["code"]?.number == 2)
            #expect(gone["message"]?.string?.contains("d1 shows no page any more: p1") == true)
        }
    }

    /// A script that was sent waits for 2 seconds, and not for its own time.
    @Test func endsAScriptWhoseDeviceIsSwitchedOff() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            async let gone = tool.error("script.evaluate", Self.evaluate)
            _ = try await page.next("method", "script.evaluate")
            page.drop()
            #expect(try await gone["code"]?.number == 2)
        }
    }

    @Test func keepsResetsAndOriginsFromRealApps() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            let left = try await tool.call("app.reset")["notCleared"]
            #expect(left?.text.contains("192.168.1.5") == false, "\(left?.text ?? "")")
            _ = try await tool.call("page.navigate", #"{"device":"d1","url":"http://192.168.1.9/next"}"#)
            _ = try await page.next("method", "page.navigate")
            let origins = try await tool.call("daemon.info")["appOrigins"]
            #expect(origins?.count == 0)
        }
    }

    @Test(arguments: [
        "%%%", "[]", #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","id":1,"result":7}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{"value":{"value":{"reason":5}},"types":{"/value":"date"}}}"#,
        #"{"jsonrpc":"2.0","id":"1","error":7}"#,
    ]) func takesAnyAnswerOfAPage(_ text: String) async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            async let error = tool.error("page.act", ##"{"element":"#x","device":"d1","timeoutMs":200}"##)
            _ = try await page.next("method", "script.callAsync")
            page.send(text)
            page.drop()
            // Without a page the time is over, or the device shows none.
            _ = try await error
            #expect(try await tool.call("daemon.info")["name"]?.string == "bridged")
        }
    }
}
