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
}
