import BridgeClient
import BridgeProtocol
import Dispatch
import TestSupport
import Testing

@testable import BridgeBrowsers

@Suite struct BrowserMessageTests {
    private func parse(_ text: String) -> JSON? {
        Array(text.utf8).withUnsafeBytes { JSON.parseFromBrowser($0) }
    }

    @Test func loneSurrogatesBecomeReplacementCharacters() {
        let json = parse(#"["a\ud800b", "\udc00", "\ud83d\ude00", "\\ud800", "\ud83d\ud83d\ude00", "\n\uD8aF"]"#)
        #expect(
            json?.elements.map(\.string) == [
                "a\u{fffd}b", "\u{fffd}", "\u{1F600}", "\\ud800", "\u{fffd}\u{1F600}", "\n\u{fffd}",
            ])
        #expect(parse(#"["\ud8"#) == nil && parse(#"["\ud800"#) == nil && parse("[\"\\") == nil)
    }

    /// A page starts requests that never end; those that follow are recorded nevertheless.
    @Test func requestsThatNeverEnd_giveWay() throws {
        var requests = ChromiumRequests()
        func event(_ method: String, _ id: Int) throws -> [(frame: String, FinishedRequest)] {
            let json = """
                {"requestId":"\(id)","frameId":"f","type":"Fetch","timestamp":\(id),
                "request":{"url":"http://localhost/\(id)","method":"GET"}}
                """
            return requests.handle("Network.\(method)", try JSON.parse(json))
        }
        for id in 1...4_096 { #expect(try event("requestWillBeSent", id).isEmpty) }
        let first = try event("requestWillBeSent", 5_000)
        #expect(first.map(\.1.url) == ["http://localhost/1"] && first[0].1.failure?.contains("had not ended") == true)
        #expect(try event("loadingFinished", 5_000).map(\.1.url) == ["http://localhost/5000"])
        #expect(try event("loadingFinished", 1).isEmpty)
    }

    /// A page can keep thousands of requests under way, each after some redirections.
    @Test func redirectionsTakeNoRoom() throws {
        var requests = ChromiumRequests()
        for _ in 1...20_000 {
            let json = """
                {"requestId":"1","frameId":"f","type":"Fetch","timestamp":1,"redirectResponse":{"status":302},
                "request":{"url":"http://localhost/","method":"GET"}}
                """
            _ = requests.handle("Network.requestWillBeSent", try JSON.parse(json))
        }
        #expect(requests.order == ["1"])
    }

    private func handle(
        _ requests: inout ChromiumRequests, _ method: String, _ json: String
    ) throws -> [FinishedRequest] {
        requests.handle("Network.\(method)", try JSON.parse(json)).map(\.1)
    }

    @Test func pingsTakeLimitedRoom() throws {
        var requests = ChromiumRequests()
        let ping = try JSON.parse(#"{"url":"http://localhost/ping"}"#)
        for id in 1...20_000 {
            #expect(requests.pingSent("\(id)", ping, "f") == nil)
            #expect(requests.pingEnded("\(id)", status: 204) != nil)
        }
        #expect(requests.order.count <= 8_192)
        for id in 1...4_096 { #expect(requests.pingSent("unanswered \(id)", ping, "f") == nil) }
        #expect(requests.pingSent("next", ping, "f")?.1.failure?.contains("had not ended") == true)
    }

    /// Chromium announces a preflight, which gets no record, and ends it.
    @Test func faultsOfPreflightsAreForgotten() throws {
        var requests = ChromiumRequests()
        let request = #""frameId":"f","request":{"url":"http://localhost/","method":"GET"}"#
        for id in 1...5_000 {
            requests.mark("\(id)", fault: "x")
            let json = #"{"requestId":"\#(id)","type":"Preflight",\#(request)}"#
            #expect(try handle(&requests, "requestWillBeSent", json).isEmpty)
        }
        requests.mark("a", fault: "y")
        _ = try handle(&requests, "requestWillBeSent", #"{"requestId":"a","type":"Fetch",\#(request)}"#)
        #expect(try handle(&requests, "loadingFinished", #"{"requestId":"a"}"#).map(\.fault) == ["y"])
    }

    /// Chromium does not say that a body has arrived which no script reads, but it counts its bytes.
    @Test(arguments: [
        (#"{"Content-Length":"2"}"#, 2, true), (#"{"content-length":"3"}"#, 2, false), ("{}", 2, false),
    ]) func bodyThatHasArrivedEndsItsRequest(headers: String, received: Int, ends: Bool) throws {
        var requests = ChromiumRequests()
        let sent = #"{"requestId":"1","frameId":"f","loaderId":"l","type":"Fetch","request":{"url":"http://a/"}}"#
        _ = try handle(&requests, "requestWillBeSent", sent)
        let response = #"{"requestId":"1","timestamp":1,"response":{"status":200,"headers":\#(headers)}}"#
        #expect(try handle(&requests, "responseReceived", response).isEmpty)
        let data = #"{"requestId":"1","timestamp":2,"encodedDataLength":\#(received)}"#
        let ended = try handle(&requests, "dataReceived", data)
        #expect(ended.map(\.milliseconds) == (ends ? [2_000] : []))
        // A request that goes on when its document leaves has no duration: Chromium does not report its end.
        let left = requests.leave("f", for: "other").map(\.1)
        #expect(left.count == (ends ? 0 : 1) && left.allSatisfy { $0.milliseconds == nil && $0.failure == nil })
    }
}

@Suite struct AnsweredEvaluationsTests {
    /// A daemon that repeats its request must not run the script twice.
    @Test func evaluationsThatRunAreNotForgotten() {
        var answers = AnsweredEvaluations()
        answers.begin(.number(1))
        for id in 2...2_000 {
            answers.begin(.number(id))
            answers.finish(.number(id), [1])
        }
        #expect(answers.contains(.number(1)) && answers[.number(1)] == nil)
        #expect(!answers.contains(.number(2)) && answers[.number(2_000)] == [1])
        answers.finish(.number(1), [2])
        #expect(answers[.number(1)] == [2])
        for id in 1...3 {
            answers.begin(.number(id))
            answers.finish(.number(id), [UInt8](repeating: 0, count: 40 << 20))
        }
        #expect(answers.contains(.number(3)) && !answers.contains(.number(2)))
    }
}

@MainActor @Suite(.timeLimit(.minutes(1))) struct MainQueueSocketTests {
    /// A daemon that does not read does not stop the driver.
    @Test func leavingDoesNotWait() async throws {
        let listener = try ListeningSocket()
        let answer = Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8)
        let done = DispatchSemaphore(value: 0)
        defer { done.signal() }
        listener.accept { connection in
            _ = connection.read()
            connection.write(answer)
            done.wait()
        }
        let port = Int(listener.port)
        let socket = try await MainQueueSocket.connect(
            { try WebSocket(host: "127.0.0.1", port: port, path: "/page") }, onMessage: { _ in }, onClose: {})
        socket.queue([UInt8](repeating: 120, count: 32 << 20))
        let began = ContinuousClock.now
        socket.leave()
        #expect(ContinuousClock.now - began < .seconds(5) && socket.isClosed)
    }
}
