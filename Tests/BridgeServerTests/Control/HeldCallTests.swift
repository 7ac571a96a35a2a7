import BridgeTraffic
import Testing

@testable import BridgeServer

/// Calls of a tool that does not read its answers.
@MainActor @Suite(.timeLimit(.minutes(2))) struct HeldCallTests {
    private let channel = Channel(
        id: 1, role: .control, transport: DeafTransport(), limits: Outbox.Limits(messages: 100, bytes: 10))
    private let connection: ControlConnection
    private let calls = Calls()

    /// What became of the calls, in order.
    @MainActor private final class Calls {
        var begun: [Int] = []
        var ended: [Int] = []
    }

    private final class DeafTransport: ChannelTransport {
        func writeAfterRound(_ id: ConnectionID) {}
        func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {}
    }

    init() { connection = ControlConnection(channel: channel, Deadlines(clock: SystemClock())) }

    /// Leaves an answer unread that has as many bytes as may wait.
    private func fill() { channel.send { $0.raw(Array("\"an answer of more than ten bytes\"".utf8)) } }

    private func call(_ number: Int) {
        connection.run { [connection, calls] in
            do { try await connection.waitForRoom() } catch { return calls.ended.append(number) }
            calls.begun.append(number)
            // It waits for a page, say, and answers nothing.
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private func untilHeld() async { for _ in 1...20 { await Task.yield() } }

    @Test func callsBeginInOrder_whenTheToolHasRead() async throws {
        fill()
        for number in 1...50 { call(number) }
        await untilHeld()
        #expect(calls.begun == [])
        _ = channel.nextBatch()
        for number in 51...60 { call(number) }
        while calls.begun.count < 60 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(calls.begun == Array(1...60))
        connection.close()
    }

    @Test func callsEnd_ifTheConnectionCloses() async throws {
        fill()
        for number in 1...3 { call(number) }
        await untilHeld()
        connection.close()
        while calls.ended.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(calls.ended == [1, 2, 3] && calls.begun == [])
    }
}
