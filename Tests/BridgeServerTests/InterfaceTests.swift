import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer
@testable import BridgeTraffic

/// Calls of interface objects (`POST /call`).
@MainActor @Suite(.timeLimit(.minutes(4))) struct InterfaceTests {
    static let json = ["Origin: http://localhost", "Content-Type: application/json"]

    func call(
        _ method: String, _ arguments: String, seq: Int = 1, of object: String = "Device", document: String = "d-1",
        before: [String] = [], status: Int? = nil, _ address: BridgeServer.Address
    ) async throws -> JSON {
        let request = """
            {"jsonrpc":"2.0","id":\(seq),"method":"interface.call",\
            "params":{"seq":\(seq),"handler":"\(object)","method":"\(method)","body":\(arguments)}}
            """
        let response = try await post(before + [request], document: document, status: status, address)
        return try JSON.parse(response.body)
    }

    func post(
        _ messages: [String], document: String = "d-1", headers: [String] = json, status: Int? = nil,
        _ address: BridgeServer.Address
    ) async throws -> HTTPClient.Response {
        let attach = try JSON.parse(PageClient.attach(document: document, webView: "main"))["params"] ?? .null
        let status = status.map { ",\"status\":\($0)" } ?? ""
        let body = "{\"attach\":\(attach.text)\(status),\"messages\":[\(messages.joined(separator: ","))]}"
        return try await HTTPClient.request("POST", path: "/call", port: address.port, headers: headers, body: body)
    }

    /// Runs `body` with a server whose pages have the object `Device`.
    func withDevice(_ body: @MainActor (BridgeServer, BridgeServer.Address, Recorder) async throws -> Void)
        async throws
    {
        try await withServer { server, address in
            var device = JavascriptInterface()
            device.method("model") { "Pixel 9" }
            device.method("describe") { (text: String, count: Int, size: Double, isNew: Bool) in
                "\(text) \(count) \(size) \(isNew)"
            }
            device.method("maybe") { (text: String?) in text }
            device.method("strict") { (text: String) in text }
            device.method("fail") { () throws -> Void in throw RPCError(.internalError, "out of paper") }
            device.method("drop") { () throws -> Void in
                throw DroppedMessage(Verdict(.dropped, reason: .init(rawValue: "inactiveDestination")))
            }
            device.method("caller", withContext: { context in context.page })
            server.addJavascriptInterface(device, name: "Device")
            try await body(server, address, Recorder(server))
        }
    }

    @Test func returnsResult_andRecordsCallAndResult() async throws {
        try await withDevice { _, address, recorder in
            let (page, _) = try await PageClient.attach(port: address.port)
            let answer = try await call("model", "[]", address)
            #expect(answer["result"]?["value"]?.string == "Pixel 9" && answer["id"]?.number == 1)
            let records = recorder.records.filter { [.message, .reply].contains($0.event.kind) }
            guard case .message("Device", "model", let body, 1, .handled) = records.first?.event,
                case .reply("Device", 1, .success(let value), _, .replied) = records.last?.event
            else { throw Unexpected(records: records) }
            #expect(body.json.text == "[]" && value.string == "Pixel 9" && records.count == 2)
            page.drop()
        }
    }

    @Test(
        arguments: [
            (#"["tea",3,1.5,true]"#, "tea 3 1.5 true"), (#"[7,-2.9,"4","yes"]"#, "7 -2 0.0 false"),
            (#"[0.1234567,1e300,true,1]"#, "0.123457 9223372036854775807 0.0 false"),
            (#"[{"a":1},"3",null,null]"#, "undefined 0 0.0 false"),
        ])
    func coercesArguments_asAndroidDoes(arguments: String, expected: String) async throws {
        try await withDevice { _, address, recorder in
            let answer = try await call("describe", arguments, address)
            #expect(answer["result"]?["value"]?.string == expected)
            let problems = recorder.records.filter { $0.event.kind == .problem }
            #expect(
                problems.isEmpty == (arguments.hasPrefix(#"["tea"#) || arguments.hasPrefix("[0.1"))
                    || arguments.hasPrefix("[0"))
        }
    }

    @Test func acceptsNull_onlyIfTypeIsOptional() async throws {
        try await withDevice { _, address, recorder in
            let answer = try await call("maybe", "[null]", address)
            #expect(answer["result"]?["types"]?[""]?.string == "undefined")
            let error = try await call("strict", "[null]", seq: 2, address)["error"]
            #expect(
                error?["data"]?["exception"]?.string
                    == "Error invoking strict: Java exception was raised during method invocation")
            #expect(error?["message"]?.string?.contains("at /0: expected String, found null") == true)
        }
    }

    @Test(
        arguments: [
            ("modle", "[]", "Error invoking modle: Method not found", "unknownMethod"),
            ("model", "[1]", "Error invoking model: Method not found", "argumentCount"),
            ("fail", "[]", "Error invoking fail: Java exception was raised during method invocation", "handlerFailed"),
        ])
    func reportsReason_whenCallFails(method: String, arguments: String, exception: String, reason: String) async throws
    {
        try await withDevice { _, address, recorder in
            let error = try await call(method, arguments, address)["error"]
            #expect(error?["data"]?["exception"]?.string == exception)
            let problem = try await recorder.problem(reason)
            #expect(problem.hint?.isEmpty == false)
        }
    }

    @Test func recordsVerdict_whenMethodThrowsDroppedMessage() async throws {
        try await withDevice { _, address, recorder in
            let answer = try await call("drop", "[]", address)
            #expect(answer["result"] != nil)
            _ = try await recorder.problem("inactiveDestination")
            let gone = try await call("model", "[]", seq: 2, of: "Gone", address)["error"]
            #expect(gone?["data"]?["exception"]?.string == "Error invoking model: Java object is gone")
        }
    }

    /// The log shows the message instead of the text. A verdict does not become an exception in the page. Tools post by the
    /// object's name.
    @Test func receivesMessagesAsJSONText() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var handled: [String] = []
            var object = JavascriptInterface()
            object.message("postMessage") { body, context in
                handled.append("\(context.handler) \(body.json.text)")
                return body.child("name")?.string == "Known" ? .handled : Verdict(.dropped, reason: .unknownName)
            }
            server.addJavascriptInterface(object, name: "Native")
            let (page, _) = try await PageClient.attach(port: address.port)
            for (seq, text) in [#"{\"name\":\"Known\"}"#, #"{\"name\":\"Other\"}"#, "{"].enumerated() {
                let answer = try await call("postMessage", "[\"\(text)\"]", seq: seq + 1, of: "Native", address)
                #expect(answer["result"] != nil)
            }
            let post = #"{"handler":"Native","body":{"name":"Known","by":"a tool"}}"#
            _ = try await ControlClient(address).call("message.post", post)
            #expect(
                handled == [
                    #"Native {"name":"Known"}"#, #"Native {"name":"Other"}"#, #"Native {"name":"Known","by":"a tool"}"#,
                ])
            let recorded = recorder.records.compactMap { record -> String? in
                guard case .message(_, let name, let body, _, let verdict) = record.event else { return nil }
                return "\(name ?? "-") \(body.kind) \(verdict.reason?.rawValue ?? "handled")"
            }
            #expect(
                recorded == [
                    "Known object handled", "Other object unknownName", "postMessage array undecodable",
                    "Known object handled",
                ])
            page.drop()
        }
    }

    @Test func makesPage_whenDocumentCallsBeforeItAttaches() async throws {
        try await withDevice { server, address, recorder in
            var evaluated = ""
            let answer = try await call("caller", "[]", document: "d-9", address)
            #expect(answer["result"]?["value"]?.string == "p1")
            let page = try #require(server.pages.first)
            #expect(page.isAttached)
            page.evaluate("1") { evaluated = (try? $0.get())?.json.text ?? "failed" }
            page.navigate(to: "http://localhost:3000/next")
            let (client, result) = try await PageClient.attach(port: address.port, document: "d-9", resume: true)
            #expect(result["page"]?.string == "p1" && result["lastSeq"]?.number == 1)
            let id = try #require(try await client.next("method", "script.evaluate")["id"])
            #expect(
                try await client.next("method", "page.navigate")["params"]?["url"]?.string?.hasSuffix("/next") == true)
            client.send("{\"jsonrpc\":\"2.0\",\"id\":\(id.text),\"result\":{\"value\":2}}")
            _ = try await recorder.first { $0.event.kind == .result }
            #expect(evaluated == "2")
            #expect(!recorder.records.contains { $0.event.kind == .problem })
        }
    }

    /// A call may arrive before the first `page.update`, but native code must know of the load before the call.
    @Test func commitsLoad_whenCallComesBeforeFirstUpdate() async throws {
        try await withServer { server, address in
            var order: [String] = []
            let (page, _) = try await PageClient.attach(port: address.port)
            server.observePages { event, page in
                if event == .updated { order.append("updated \(page.status ?? 0)") }
            }
            var device = JavascriptInterface()
            device.method("note") { order.append("call") }
            server.addJavascriptInterface(device, name: "Device")
            for seq in 1...2 { _ = try await call("note", "[]", seq: seq, status: 404, address) }
            #expect(order == ["updated 404", "call", "call"])
            page.drop()
        }
    }

    @Test func handlesEarlierMessagesOnce() async throws {
        try await withDevice { server, address, _ in
            var order: [String] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    order.append(body.json.text)
                    return .handled
                })
            var device = JavascriptInterface()
            device.method("note") { order.append("call") }
            server.addJavascriptInterface(device, name: "Note")
            let (page, _) = try await PageClient.attach(port: address.port)
            let posts = [PageClient.post("1", seq: 1), PageClient.post("2", seq: 2)]
            _ = try await call("note", "[]", seq: 3, of: "Note", before: posts, address)
            page.send("[\(posts.joined(separator: ",")),\(PageClient.post("4", seq: 4))]")
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 4)
            #expect(order == ["1", "2", "call", "4"])
        }
    }

    @Test func answersRepeatedCall_withoutRunningItAgain() async throws {
        try await withServer { server, address in
            var count = 0
            var counter = JavascriptInterface()
            counter.method("next") { () -> Int in
                count += 1
                return count
            }
            server.addJavascriptInterface(counter, name: "Device")
            for (seq, expected) in [(1, 1.0), (1, 1), (2, 2)] {
                let answer = try await call("next", "[]", seq: seq, address)
                #expect(answer["result"]?["value"]?.number == expected)
            }
        }
    }

    /// A browser sends a request again if its connection breaks before the answer.
    @Test func answersRepeatedCall_whileItsDialogIsOpen() async throws {
        try await withServer { server, address in
            let (dialogs, continuation) = AsyncStream.makeStream(of: Dialog.self)
            server.defaultScope.dialogHandler = { continuation.yield($0) }
            async let first = call("confirm", "[\"Delete?\"]", of: "window", address)
            var dialog: Dialog?
            for await shown in dialogs {
                dialog = shown
                break
            }
            async let second = call("confirm", "[\"Delete?\"]", of: "window", address)
            let page = try #require(server.pages.first)
            try await waitUntil { page.openCalls[1]?.count == 2 }
            dialog?.answer(DialogAnswer(isAccepted: true))
            #expect(try await first["result"]?["value"]?.bool == true)
            #expect(try await second["result"]?["value"]?.bool == true)
            #expect(page.openCalls.isEmpty)
        }
    }

    /// A page may call before it has attached, and then knows that its attachment is to the same run.
    @Test func namesTheRunOfTheDaemon() async throws {
        try await withDevice { _, address, _ in
            let (page, attached) = try await PageClient.attach(port: address.port, document: "d-2")
            let response = try await post([PageClient.post("1", seq: 1)], address)
            #expect(response.fields["bridged-run"] == attached["run"]?.wholeNumber.map(String.init))
            #expect(response.fields["access-control-expose-headers"] == "Bridged-Run")
            page.drop()
        }
    }

    /// If the page had sent `page.attach` before that, it attaches again.
    @Test func sendsReplyToMessageOfCall_whenThePageAttachesAndNamesIt() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .replying { body, _, reply in reply.resolve(body) })
            let headers = ["Origin: http://localhost:3000"] + Self.json.filter { !$0.hasPrefix("Origin") }
            let post = PageClient.post("7", seq: 1, id: "1")
            #expect(try await self.post([post], headers: headers, address).status == 204)
            let page = PageClient(
                try await WebSocketClient.connect(port: address.port, origin: "http://localhost:3000"))
            page.send(PageClient.attach(document: "d-1", webView: "main", waiting: [1]))
            #expect(try await page.next("id", "1")["result"]?["value"]?.number == 7)
            page.drop()
        }
    }

    private struct Unexpected: Error { let records: [TrafficRecord] }
}
