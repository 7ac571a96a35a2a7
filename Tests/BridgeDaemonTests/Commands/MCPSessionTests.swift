import BridgeClient
import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// The order in which a client of the Model Context Protocol gets answers, revision 2025-06-18.
@Suite(.timeLimit(.minutes(1))) struct MCPSessionTests {
    /// A session whose tool `messages_wait` waits until `app_perform` is called, or until the call is cancelled.
    private struct Client {
        let session: MCPSession
        /// What the server writes.
        var lines: AsyncStream<String>.Iterator
        /// Has an element for each call of `messages_wait` that has begun, and for each that was cancelled.
        let begun: AsyncStream<Void>
        let cancelled: AsyncStream<Void>

        init() {
            let (lines, output) = AsyncStream.makeStream(of: String.self)
            let (cancelled, cancelling) = AsyncStream.makeStream(of: Void.self)
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            let message = DispatchSemaphore(value: 0)
            let methods = #"{"methods":[{"name":"messages.wait","params":[]},{"name":"app.perform","params":[]}]}"#
            let tools = MCPOwnTools(
                run: { _, _ in ("", true) }, startDaemon: { _, _ in MCPResult("") }, stopDaemon: { MCPResult("") },
                diagnose: { _, _ throws(ClientError) in [] })
            let server = MCPServer(
                methods: (try? JSON.parse(methods)) ?? .null, actions: [], ownTools: tools,
                callMethod: { method, _, call throws(ClientError) in
                    if method == "app.perform" {
                        message.signal()
                    } else {
                        call.onCancel {
                            cancelling.yield()
                            message.signal()
                        }
                        beginning.yield()
                        message.wait()
                    }
                    return .null
                })
            session = MCPSession(server) { output.yield($0) }
            self.lines = lines.makeAsyncIterator()
            self.begun = begun
            self.cancelled = cancelled
        }

        func send(_ text: String) { session.receive(.line(Array(text.utf8))) }

        func call(_ tool: String, id: Int) {
            send(#"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)"}}"#)
        }

        mutating func next() async throws -> JSON { try await JSON.parse(#require(lines.next())) }
    }

    /// A call that waits for a message must not hold up the one that makes the page send it.
    @Test func callsRunSideBySide() async throws {
        var client = Client()
        client.call("messages_wait", id: 1)
        client.send(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        #expect(try await client.next()["id"]?.wholeNumber == 2)
        client.call("app_perform", id: 3)
        let ids = [try await client.next(), try await client.next()].map { $0["id"]?.wholeNumber }
        #expect(Set(ids) == [1, 3])
    }

    /// A model may fill in a form and tap its button in one turn.
    @Test func otherCallsAreAnsweredInOrder() async throws {
        var client = Client()
        for id in 1...20 { client.call("app_perform", id: id) }
        for id in 1...20 { #expect(try await client.next()["id"]?.wholeNumber == id) }
    }

    @Test func cancelledCall_endsAndIsNotAnswered() async throws {
        var client = Client()
        client.call("messages_wait", id: 1)
        var begun = client.begun.makeAsyncIterator()
        _ = await begun.next()
        client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)
        client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        var cancelled = client.cancelled.makeAsyncIterator()
        _ = await cancelled.next()
        client.session.end()
        client.send(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        #expect(try await client.next()["id"]?.wholeNumber == 2)
    }

    @Test func whenTheInputEnds_callsEnd() async throws {
        var client = Client()
        client.call("messages_wait", id: 1)
        var begun = client.begun.makeAsyncIterator()
        _ = await begun.next()
        client.session.end()
        let answer = try await client.next()
        #expect(answer["id"]?.wholeNumber == 1)
        #expect(answer["error"]?["message"]?.string?.contains("keep it open") == true)
        var cancelled = client.cancelled.makeAsyncIterator()
        #expect(await cancelled.next() != nil)
    }

    @Test func refusesAnIDThatIsInUse_andTooManyCalls() async throws {
        var client = Client()
        for id in 1...MCPSession.mostCalls { client.call("messages_wait", id: id) }
        client.call("app_perform", id: 1)
        #expect(try await client.next()["error"]?["message"]?.string?.contains("Give each its own") == true)
        client.call("app_perform", id: 100)
        #expect(try await client.next()["error"]?["message"]?.string?.contains("can be no more") == true)
        client.session.end()
    }
}
