import TestSupport
import Testing

@testable import BridgeServer

/// Responses that stay open.
@MainActor @Suite(.timeLimit(.minutes(4))) struct StreamTests {
    /// libwebsockets reads nothing during a response. Without the checks of `HTTPStream`, the end of the client's stream
    /// would keep the loop busy forever.
    @Test func endsWhenTheClientHangsUp() async throws {
        try await withServer { server, address in
            let (ends, end) = AsyncStream<Void>.makeStream()
            server.router.on(.get, "/endless") { _, responder in
                let stream = responder.stream(contentType: "text/plain")
                stream.onEnd = { end.yield() }
                stream.write(Array("first\n".utf8))
            }
            let download = try await HTTPDownload(path: "/endless", port: address.port, headers: [])
            #expect(try await download.nextLine() == "first")
            download.drop()
            var iterator = ends.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
    }

    /// A client must be able to tell a response that has ended from one that was cut off (RFC 9112, section 8).
    @Test func marksItsEnd() async throws {
        try await withServer { server, address in
            server.router.on(.get, "/two") { _, responder in
                let stream = responder.stream(contentType: "text/plain")
                stream.write(Array("first\n".utf8))
                stream.write(Array("second\n".utf8))
                stream.end()
            }
            for (version, marks) in [("1.1", true), ("1.0", false)] {
                let text = try await HTTPClient.exchange(
                    "GET /two HTTP/\(version)\r\nHost: localhost:\(address.port)\r\n\r\n", port: address.port)
                let body = try #require(text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) })
                #expect(text.contains("Transfer-Encoding: chunked\r\n") == marks)
                #expect(body.hasSuffix("\r\n0\r\n\r\n") == marks, "\(body)")
                #expect(marks || body == "first\nsecond\n")
            }
        }
    }

    /// A round of the loop writes only a part of so many bytes. Nothing else wakes the loop for the rest.
    @Test(arguments: [1, 40]) func writesLargeResponses_whole(clients: Int) async throws {
        try await withServer {
            $0.limits.pongTimeout = .seconds(3_600)
        } _: { server, address in
            let body = String(repeating: "x", count: 20_000_000 / clients)
            server.router.on(.get, "/large") { _, responder in responder.respond(.text(body)) }
            let request = "GET /large HTTP/1.0\r\nHost: localhost:\(address.port)\r\n\r\n"
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<clients {
                    group.addTask {
                        let answer = try await HTTPClient.exchange(request, port: address.port)
                        return answer.utf8.count
                    }
                }
                for try await count in group { #expect(count > body.utf8.count) }
            }
        }
    }
}
