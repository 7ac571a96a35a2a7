import TestSupport
import Testing

@testable import BridgeServer

/// Responses without an end.
@MainActor @Suite(.timeLimit(.minutes(1))) struct StreamTests {
    /// lws does not look at what comes while a response goes on: unwatched, the hang-up would keep the loop busy for ever.
    @Test func ends_whenTheClientHangsUp() async throws {
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
