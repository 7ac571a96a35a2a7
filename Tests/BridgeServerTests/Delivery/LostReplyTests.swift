import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Replies that were lost with a connection.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LostReplyTests {
    @Test func sendsReplyAgain_whenPageAsksForIt() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            server.addHandler("fail", .replying { _, _, reply in reply.reject("no") })
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...3 { await page.post("\(seq)", seq: seq, to: seq == 2 ? "fail" : "echo", id: "\(seq)") }
            _ = try await recorder.first { if case .reply(_, 3, _, _, _) = $0.event { true } else { false } }
            page.drop()
            let (again, _) = try await PageClient.attach(port: address.port, resume: true, waiting: [2, 3])
            #expect(try await again.next("id", "2")["error"]?["message"]?.string == "no")
            #expect(try await again.next("id", "3")["result"]?["value"]?.number == 3)
            #expect(recorder.records.count { $0.event.kind == .message } == 3, "nothing was handled twice")
        }
    }

    /// All of them end together when the page leaves, and other clients wait meanwhile.
    @Test func refusesMessages_ifTooManyWaitForTheirReplies() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var held: [Reply] = []
            server.addHandler("never", .replying { _, _, reply in held.append(reply) })
            let (page, _) = try await PageClient.attach(port: address.port)
            for start in stride(from: 1, through: OwedReplies.limit, by: 1_024) {
                let batch = (start..<start + 1_024).map { PageClient.post("0", seq: $0, to: "never", id: "\($0)") }
                page.send("[\(batch.joined(separator: ","))]")
            }
            await page.post("0", seq: OwedReplies.limit + 1, to: "never", id: "last")
            let error = try await page.next("id", "last")["error"]
            #expect(error?["code"]?.wholeNumber == -32006 && error?["data"]?["limit"]?.wholeNumber == OwedReplies.limit)
            page.close(1001)
            _ = try await PageClient.attach(port: address.port, document: "d-2")
            _ = try await recorder.first { if case .page(.gone) = $0.event { true } else { false } }
            #expect(recorder.records.count { $0.event.kind == .reply } == OwedReplies.limit)
        }
    }

    @Test func sendsReply_thatWasGivenWhilePageWasAway() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var held: [Reply] = []
            server.addHandler("later", .replying { _, _, reply in held.append(reply) })
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...2 { await page.post("0", seq: seq, to: "later", id: "\(seq)") }
            while true { if try await page.next("method", "page.ack")["params"]?["seq"]?.number == 2 { break } }
            page.drop()
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            held[0].resolve(.null)
            let (again, _) = try await PageClient.attach(port: address.port, resume: true, waiting: [1, 2])
            #expect(try await again.next("id", "1")["result"]?["value"]?.kind == .null)
            held[1].resolve(.null)
            #expect(try await again.next("id", "2")["result"]?["value"]?.kind == .null)
        }
    }

    @Test func sendsMoreRepliesAgainThanMayWait() async throws {
        try await withServer {
            $0.limits.waitingMessages = 8
        } _: { server, address in
            let recorder = Recorder(server)
            var held: [Reply] = []
            server.addHandler("later", .replying { _, _, reply in held.append(reply) })
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...50 { await page.post("0", seq: seq, to: "later", id: "\(seq)") }
            while true { if try await page.next("method", "page.ack")["params"]?["seq"]?.number == 50 { break } }
            page.drop()
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            for reply in held { reply.resolve(.null) }
            let (again, _) = try await PageClient.attach(port: address.port, resume: true, waiting: Array(1...50))
            _ = try await again.next("id", "50")
        }
    }

    @Test func sendsError_whenReplyIsNoLongerKept() async throws {
        try await withServer { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let count = ReplyCache.limits.messages + 1
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...count { await page.post("\(seq)", seq: seq, to: "echo", id: "\(seq)") }
            _ = try await page.next("id", "\(count)")
            page.drop()
            let (again, _) = try await PageClient.attach(port: address.port, resume: true, waiting: Array(1...count))
            _ = try await again.next("id", "\(count)")
            let error = try await again.nextError()
            #expect(error["code"]?.number == -32006)
        }
    }
}
