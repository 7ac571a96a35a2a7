import BridgeInput
import BridgeProcesses
import BridgeProtocol
import Foundation
import Synchronization

/// Answers the lines of a client. Each call of a tool runs on a thread of its own. Most wait for the one before, because a model
/// may fill in a form and tap its button in one turn; but one that waits for a message must not hold up the one that makes the
/// page send it. Everything else is answered at once.
///
/// One thread calls its methods.
final class MCPSession: Sendable {
    /// How many calls may be under way.
    static let mostCalls = 32
    /// How long calls may go on when there is no more input: enough for those of `echo … | bridged mcp`, and less than
    /// clients wait before they send SIGTERM (the specification's "Lifecycle", "Shutdown").
    private static let timeAtEnd = Duration.milliseconds(500)
    /// How long calls may take to end when they are cancelled: a call of the daemon looks once a second.
    private static let timeToCancel = Duration.milliseconds(1_200)
    /// The tools that run beside the others.
    private static let parallel = ["messages_wait", "doctor", "test_flow"]

    private let server: MCPServer
    private let output: @Sendable (String) -> Void
    /// The calls under way, in the order in which they came.
    private let calls = Mutex<[(id: RequestID, call: MCPCall)]>([])
    private let running = DispatchGroup()
    /// Runs while the latest call runs that the next one waits for.
    private let latest = Mutex(DispatchGroup())

    /// - Parameter output: is called with each answer, on any thread.
    init(_ server: MCPServer, output: @escaping @Sendable (String) -> Void) {
        (self.server, self.output) = (server, output)
    }

    func receive(_ line: InputLines.Line) {
        switch line {
        case .line(let text) where text.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }: break
        case .line(let text): receive(MCPServer.message(text))
        case .tooLong:
            receive(
                .malformed(
                    id: .null,
                    error: RPCError(
                        .invalidRequest,
                        "A request has more than \(InputFile.usualLimit) bytes, and was not read. Send less at once.")))
        }
    }

    private func receive(_ message: RPCMessage) {
        switch message {
        case .request(let id, "tools/call", let params):
            start(id, message, beside: Self.parallel.contains(params?["name"]?.string ?? ""))
        case .notification("notifications/cancelled", let params):
            guard let id = params?["requestId"].flatMap(RequestID.init) else { return }
            calls.withLock { $0.first { $0.id == id }?.call }?.cancel()
        default:
            if let answer = server.answer(to: message) { output(answer) }
        }
    }

    /// - Parameter others: whether the call does not wait for those before it, nor those after it for this one.
    private func start(_ id: RequestID, _ message: RPCMessage, beside others: Bool) {
        let call = MCPCall()
        let mistake: String? = calls.withLock { calls in
            if calls.contains(where: { $0.id == id }) {
                return "There is a request with the id \(id) already, which has not ended yet. Give each its own."
            }
            if calls.count >= Self.mostCalls {
                return "\(calls.count) calls have not ended yet, and there can be no more. Wait for one."
            }
            calls.append((id, call))
            return nil
        }
        if let mistake { return output(MCPServer.response(id, error: RPCError(.invalidRequest, mistake))) }
        let (own, before) = (DispatchGroup(), others ? nil : latest.withLock(\.self))
        if !others { latest.withLock { $0 = own } }
        own.enter()
        running.enter()
        let thread = Thread { [self] in
            before?.wait()
            let answer = call.isCancelled ? nil : server.answer(to: message, within: call)
            calls.withLock { $0.removeAll { $0.call === call } }
            // Nobody wants the answer of a call that was cancelled (the specification's "Cancellation").
            if !call.isCancelled, let answer { output(answer) }
            own.leave()
            running.leave()
        }
        // Printing JSON recurses as deep as it nests.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Ends the calls under way when the input has ended, after a moment in which they can be answered.
    func end() {
        guard running.wait(timeout: .now() + DispatchTimeInterval(Self.timeAtEnd)) == .timedOut else { return }
        for (id, call) in calls.withLock(\.self) where !call.isCancelled {
            call.cancel()
            output(
                MCPServer.response(
                    id, error: RPCError(.invalidRequest, "Standard input ended, which ends all calls: keep it open.")))
        }
        _ = running.wait(timeout: .now() + DispatchTimeInterval(Self.timeToCancel))
    }
}
