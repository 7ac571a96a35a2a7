import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// What the driver of a page asks and tells.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DriverMessageTests {
    private func attach(_ address: BridgeServer.Address) async throws -> PageClient {
        let token = try DiscoveryFileContents(path: address.discoveryFile).token
        return try await PageClient.attachDriven(port: address.port, token: token).0
    }

    private static let link = #"{"url":"http://localhost:3000/x","type":"link","isMainFrame":true}"#

    @Test func onlyADriverAsks() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            #expect(try await page.ask("navigation.decide", Self.link)["error"]?["code"]?.number == -32601)
            let early = try await PageClient(port: address.port)
            #expect(try await early.ask("navigation.decide", Self.link)["error"]?["code"]?.number == -32601)
        }
    }

    @Test func everythingIsAllowed_ifNoNativeCodeDecides() async throws {
        try await withServer { _, address in
            let page = try await attach(address)
            for (method, params) in [("navigation.decide", Self.link), ("window.open", #"{"url":"about:blank"}"#)] {
                let answer = try await page.ask(method, params)
                #expect(answer["result"]?.description == #"{"policy":"allow"}"#)
            }
        }
    }

    @Test(arguments: [
        ("navigation.decide", #"{"url":"x","type":"hover","isMainFrame":true}"#, "/type"),
        ("navigation.decide", #"{"url":"x","type":"link"}"#, "/isMainFrame"),
        ("navigation.started", "{}", "/url"),
        ("navigation.failed", #"{"url":"x","domain":"d","code":"1","text":"","isProvisional":true}"#, "/code"),
        ("history.changed", #"{"entries":[{"url":"a"}],"index":1}"#, "/index"),
        ("history.changed", #"{"entries":[],"index":-9223372036854775808}"#, "/index"),
        ("progress.changed", #"{"value":"1"}"#, "/value"),
        ("dialog.show", #"{"type":"alert"}"#, "/text"), ("window.open", #"{"url":1}"#, "/url"),
    ])
    func rejectsWrongParams(method: String, params: String, place: String) async throws {
        try await withServer { _, address in
            let error = try await attach(address).ask(method, params)["error"]
            #expect(error?["code"]?.number == -32602 && error?["message"]?.string?.contains(place) == true)
        }
    }

    /// A delegate that forgets to answer must not let a page load what it likes.
    @Test func loadIsCancelled_andReported_ifTheHandlerForgetsToAnswer() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.defaultScope.driverHandler = { message, _, reply in
                if case .openWindow = message { reply.decide(isAllowed: true) }
            }
            let page = try await attach(address)
            #expect(try await page.ask("window.open", #"{"url":"x"}"#)["result"]?["policy"]?.string == "allow")
            #expect(try await page.ask("navigation.decide", Self.link)["result"]?["policy"]?.string == "cancel")
            let problem = try await recorder.problem("loadCancelled")
            #expect(problem.text.contains("http://localhost:3000/x"))
        }
    }

    @Test func nativeCodeAnswersDialogs() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.defaultScope.dialogHandler = { dialog in
                dialog.answer(dialog.message == "No?" ? .dismiss : .accept)
            }
            let page = try await attach(address)
            for (params, answer) in [
                (#"{"type":"alert","text":"Hi"}"#, #"{"confirmed":true}"#),
                (#"{"type":"confirm","text":"No?"}"#, #"{"confirmed":false}"#),
                (#"{"type":"confirm","text":"Yes?"}"#, #"{"confirmed":true}"#),
                (#"{"type":"prompt","text":"Name?","default":"Zoe"}"#, #"{"confirmed":true,"text":"Zoe"}"#),
                (#"{"type":"prompt","text":"No?"}"#, #"{"confirmed":false}"#),
            ] {
                #expect(try await page.ask("dialog.show", params)["result"]?.description == answer)
            }
            let record = try await recorder.first { $0.event.kind == .message }
            guard case .message("window.alert", _, let body, let seq, _) = record.event else {
                Issue.record("\(record)")
                return
            }
            #expect(body.json.description == #"["Hi"]"# && seq < 0)
        }
    }

    private static let challenge = #"{"host":"staging.example","port":443,"scheme":"basic","realm":"Staging"}"#

    @Test func stubAnswersAServersQuestionForAPassword() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let ask = #"{"type":"authentication","text":"Staging","challenge":\#(Self.challenge)}"#
            let query = "/web-view/credentials?name=main&host=staging.example&port=443&scheme=basic&realm=Staging"
            let page = try await attach(address)
            let control = try ControlClient(address)
            #expect(try await page.ask("dialog.show", ask)["result"]?.description == #"{"confirmed":false}"#)
            let problem = try await recorder.problem("authenticationUnanswered")
            #expect(problem.text.contains(#"staging.example:443, "Staging" (basic)"#))
            // Before the first page, the driver asks by HTTP.
            #expect(try await control.get(query).body == "{}")
            let reply = #"{"value":{"user":"me","password":"p w"}}"#
            let stub = #"{"handler":"window.authentication","match":{"realm":"Staging"},"reply":\#(reply)}"#
            _ = try await control.call("handlers.stub", stub)
            let answer = try await page.ask("dialog.show", ask)["result"]?.description
            #expect(answer == #"{"confirmed":true,"user":"me","password":"p w"}"#)
            let body = try await control.get(query).body
            #expect(body == #"{"user":"me","password":"p w"}"#)
            #expect(try await HTTPClient.request(path: query, port: address.port).status == 401)
            #expect(!recorder.records.contains { "\($0)".contains("p w") })
        }
    }

    @Test func dialogIsDismissed_withoutAnAnswer() async throws {
        try await withServer { _, address in
            let answer = try await attach(address).ask("dialog.show", #"{"type":"confirm","text":"Sure?"}"#)
            #expect(answer["result"]?["confirmed"]?.bool == false)
        }
    }

    @Test func callsInterfaceObjects_onItsConnection() async throws {
        try await withServer { server, address in
            var object = JavascriptInterface()
            object.method("model") { "Pixel" }
            server.addJavascriptInterface(object, name: "Device")
            let page = try await attach(address)
            let answer = try await page.ask(
                "interface.call", #"{"seq":1,"handler":"Device","method":"model","body":[]}"#)
            #expect(answer["result"]?["value"]?.string == "Pixel")
        }
    }

    @Test func commandsLeaveNoRecord() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let page = try await attach(address)
            let value = Task {
                await withCheckedContinuation { continuation in
                    server.pages.first?.command(.allCookies) { continuation.resume(returning: $0) }
                }
            }
            let request = try await page.next("method", "cookies.all")
            page.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.number ?? 0),"result":{"value":[1]}}"#)
            #expect(try await value.value.get().json.count == 1)
            #expect(!recorder.records.contains { [.result, .evaluate].contains($0.event.kind) })
        }
    }
}
