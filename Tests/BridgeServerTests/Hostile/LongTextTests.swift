import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Pages whose texts are too long: names are refused, other texts are cut, and records do not repeat a long URL.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LongTextTests {
    private static let long = String(repeating: "x", count: 100_000)

    private func attach(_ text: String, _ replacement: String) -> String {
        let attach = PageClient.attach(document: "d-1", webView: "main")
        precondition(attach.contains(text))
        return attach.replacing(text, with: replacement)
    }

    @Test func cutsALongURL_andSaysSoOnce() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let page = try await PageClient(port: address.port)
            page.send(attach(":3000/\"", ":3000/\(Self.long)\""))
            _ = try await page.next("id", "attach")
            page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"url":"http://localhost/\#(Self.long)"}}"#)
            page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"title":"\#(Self.long)"}}"#)
            page.send(
                #"{"jsonrpc":"2.0","method":"console.entry","params":{"level":"log","text":"x","kind":"console"}}"#)
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            #expect(server.pages[0].url.utf8.count == 8_192 + 3 && server.pages[0].url.hasSuffix("x…"))
            #expect(server.pages[0].title.utf8.count == 1_024 + 3)
            for record in recorder.records {
                let limit = record.event.kind == .page ? 8_192 : 1_024
                #expect((record.url?.utf8.count ?? 0) == limit + 3, "\(record.event.kind)")
            }
            let problems = recorder.records.filter { $0.event.kind == .problem }
            #expect(problems.count == 1)
            #expect(try await recorder.problem("textCut").text == "The URL of p1 has more than 8192 bytes and was cut.")
        }
    }

    nonisolated static let names = [
        ("\"d-1\"", "/document", 64), ("\"main\"", "/webView", 200),
        ("\"http://localhost:3000\"", "/frame/origin", 1_024), ("\"complete\"", "/readyState", 32),
    ]

    @Test(arguments: names)
    func refusesLongNames(_ name: (text: String, place: String, limit: Int)) async throws {
        try await withServer { _, address in
            let page = try await PageClient(port: address.port)
            page.send(attach(name.text, "\"\(String(repeating: "x", count: name.limit + 1))\""))
            let error = try await page.nextError()
            #expect(error["code"]?.number == -32602)
            let expected = "\(name.place): expected at most \(name.limit) bytes, found \(name.limit + 1)"
            #expect(error["message"]?.string == "Invalid params: \(expected)")
            page.send(attach(name.text, "\"\(String(repeating: "x", count: name.limit))\""))
            #expect(try await page.next("id", "attach")["result"] != nil)
        }
    }

    /// The state of an app has the names of web views as keys.
    @Test func refusesControlCharactersInTheNameOfAWebView() async throws {
        try await withServer { _, address in
            let page = try await PageClient(port: address.port)
            for character in [#"\u0000"#, #"\n"#, #"\u007f"#] {
                page.send(attach("\"main\"", "\"x\(character)y\""))
                let message = try await page.nextError()["message"]?.string
                #expect(message == "Invalid params: /webView: expected a name without control characters")
            }
        }
    }

    @Test func refusesLongHandlerNames_andShowsTheirBeginning() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            for number in 1...2 {
                // The second has the form that `bridge.js` does not write.
                let post = PageClient.post("1", seq: number, to: Self.long)
                page.send(number == 1 ? post : post.replacing(",\"method\"", with: ", \"method\""))
                let error = try await page.nextError()
                #expect(error["code"]?.number == -32602 && error["message"]?.string?.contains("/handler") == true)
            }
            let record = try await recorder.first { $0.event.kind == .message }
            guard case .message(let handler, _, _, _, let verdict) = record.event else { return }
            #expect(handler.utf8.count == 259 && verdict.reason == .malformed)
            #expect(recorder.records.filter { $0.event.kind == .message }.count == 2)
        }
    }

    @Test func refusesLongIDs() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(#"{"jsonrpc":"2.0","id":"\#(Self.long)","result":{"value":1}}"#)
            let error = try await page.next("jsonrpc", "2.0")
            #expect(error["id"]?.isNull == true && error["error"]?["code"]?.number == -32600)
            #expect(error.text.utf8.count < 500)
        }
    }

    @Test func cutsConsoleEntries() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(
                """
                {"jsonrpc":"2.0","method":"console.entry","params":{"level":"log","text":"\(Self.long)","kind":"console",\
                "url":"\(Self.long)","stack":"\(Self.long)"}}
                """)
            let record = try await recorder.first { $0.event.kind == .console }
            guard case .console(let entry) = record.event else { return }
            #expect(entry.text.utf8.count == 65_539 && entry.stack?.utf8.count == 65_539)
            #expect(entry.url?.utf8.count == 8_195)
        }
    }

    @Test func cutsWithinACharacter() {
        #expect(PageText.cut("aé", to: 3) == "aé")
        #expect(PageText.cut("aéé", to: 3) == "aé…")
        #expect(PageText.cut("aéé", to: 4) == "aé\u{fffd}…")
    }
}
