import Testing

@testable import BridgeServer

/// How messages are coalesced into batches, without a socket.
@Suite struct OutboxTests {
    private func outbox(messages: Int = 1_024, bytes: Int = 1 << 20) -> Outbox {
        Outbox(headroom: 16, limits: Outbox.Limits(messages: messages, bytes: bytes))
    }

    /// The next batch's payload as text; nil if no messages wait.
    private func next(_ outbox: inout Outbox) -> String? {
        guard let batch = outbox.next() else { return nil }
        return batch.send { String(decoding: $0[$1...], as: UTF8.self) }
    }

    /// The index at which the next batch's payload begins.
    private func nextPayload(_ outbox: inout Outbox) -> Int? {
        guard let batch = outbox.next() else { return nil }
        return batch.send { $1 }
    }

    @Test func writesSingleMessageAsObject() {
        var outbox = outbox()
        _ = outbox.append { $0.object { $0.member("a", 1) } }
        #expect(next(&outbox) == "{\"a\":1}")
        let isEmpty = outbox.isEmpty
        #expect(isEmpty)
    }

    @Test func writesSeveralMessagesAsOneBatch() {
        var outbox = outbox()
        for number in 1...3 { _ = outbox.append { $0.integer(number) } }
        #expect(next(&outbox) == "[1,2,3]")
        #expect(next(&outbox) == nil)
    }

    @Test func leavesRoomForTheFrameHeader() throws {
        var outbox = outbox()
        _ = outbox.append { $0.null() }
        let one = nextPayload(&outbox)
        for _ in 1...2 { _ = outbox.append { $0.null() } }
        let two = nextPayload(&outbox)
        #expect(try #require(one) >= 16)
        #expect(try #require(two) >= 16)
    }

    @Test func startsANewBatchAfterALargeOne() {
        var outbox = outbox()
        let large = String(repeating: "x", count: Outbox.batchBytes)
        for text in [large, "y"] { _ = outbox.append { $0.string(text) } }
        #expect(next(&outbox)?.count == large.count + 2)
        #expect(next(&outbox) == "\"y\"")
    }

    @Test func knowsWhenTooManyMessagesWait() {
        var outbox = outbox(messages: 2)
        var haveTooMany: [Bool] = []
        for _ in 1...3 {
            _ = outbox.append { $0.null() }
            haveTooMany.append(outbox.hasTooManyMessages)
        }
        #expect(next(&outbox) == "[null,null,null]")
        haveTooMany.append(outbox.hasTooManyMessages)
        #expect(haveTooMany == [false, false, true, false])
    }

    @Test func dropsMessages_afterTheEndOfTheConnection() {
        var outbox = outbox(messages: 2)
        _ = outbox.append { $0.null() }
        outbox.discard()
        let accepted = (1...3).map { _ in outbox.append { $0.null() } }
        let (bytes, isEmpty) = (outbox.bytes, outbox.isEmpty)
        #expect(accepted == [true, true, true] && bytes == 0 && isEmpty)
    }

    @Test func tellsWhenTooManyBytesWait() {
        var outbox = outbox(bytes: 10)
        var areWithinLimits = (1...3).map { _ in outbox.append { $0.string("0123456789") } }
        _ = next(&outbox)
        areWithinLimits.append(outbox.append { $0.null() })
        #expect(areWithinLimits == [true, false, true, true])
    }
}
