import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// The requests of driven pages, as records.
@MainActor @Suite(.timeLimit(.minutes(4))) struct RequestRecordTests {
    private static let posts =
        #"{"url":"http://localhost:3000/posts?page=2","method":"GET","type":"fetch","status":200,"mimeType":"text/html","milliseconds":12.5}"#

    private func attach(_ address: BridgeServer.Address) async throws -> PageClient {
        let token = try DiscoveryFileContents(path: address.discoveryFile).token
        return try await PageClient.attachDriven(port: address.port, token: token).0
    }

    @Test func requestBecomesARecord() async throws {
        try await withServer { server, address in
            server.defaultScope.visitOfRequest = { request, page in request.status == 200 && page.id == "p1" ? 7 : nil }
            let page = try await attach(address)
            let control = try ControlClient(address)
            async let record = control.call("messages.wait", #"{"kind":"request","match":{"status":200},"after":0}"#)
            page.tell("request.finished", Self.posts)
            let text = try await record.description
            #expect(text.contains(#""direction":"toNative","kind":"request","method":"GET","requestURL":"#))
            #expect(text.hasSuffix(#""mimeType":"text/html","durationMs":12.5,"visit":7}"#), "\(text)")
            page.tell(
                "request.finished",
                #"{"url":"http://me:secret@localhost:3000/x","method":"POST","failure":"net::ERR_FAILED"}"#)
            let failed = try await control.call(
                "messages.wait", #"{"kind":"request","filter":"text:ERR_FAILED","after":0}"#)
            #expect(failed["failure"]?.string == "net::ERR_FAILED" && failed["visit"] == nil)
            #expect(failed["requestURL"]?.string == "http://localhost:3000/x")
        }
    }

    @Test func longTextsAreCut() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let long = String(repeating: "x", count: 20_000)
            let page = try await attach(address)
            page.tell(
                "request.finished",
                #"{"url":"http://\#(long)","method":"\#(long)","mimeType":"\#(long)","failure":"\#(long)"}"#)
            let record = try await recorder.first { $0.event.kind == .request }
            guard case .request(let request, nil) = record.event else {
                Issue.record("\(record)")
                return
            }
            #expect(request.url.utf8.count < 8_200 && request.failure?.utf8.count ?? 0 < 1_030)
            #expect(request.method.utf8.count < 40 && request.mimeType?.utf8.count ?? 0 < 260)
        }
    }

    @Test(arguments: [
        ("http://me:secret@staging.example/a?b=c@d", "http://staging.example/a?b=c@d"),
        ("https://me@staging.example", "https://staging.example"), ("http://a.example/@x", "http://a.example/@x"),
        ("http://a:b@c:d@e.example/", "http://e.example/"), ("data:text/html,a@b", "data:text/html,a@b"),
    ])
    func recordHasNoPassword(_ url: String, _ recorded: String) {
        #expect(PageText.withoutUserInfo(url) == recorded)
    }

    @Test func onlyADriverTells() async throws {
        try await withServer { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            page.tell("request.finished", Self.posts)
            #expect(try await page.nextError()["code"]?.number == -32601)
            let wrong = try await attach(address).ask(
                "request.finished", #"{"url":"http://localhost:3000/","method":1}"#)
            #expect(wrong["error"]?["message"]?.string?.contains("/method") == true)
        }
    }
}
