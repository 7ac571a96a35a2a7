import BridgeInput
import BridgeProcesses
import BridgeProtocol
import Foundation
import Synchronization

/// Answers the lines of a client. The calls of tools run side by side, each on a thread of its own: one that waits for a
/// message must not hold up the one that makes the page send it. Everything else is answered at once.
///
/// One thread calls its methods.
final class MCPSession: Sendable {
    /// How many calls may be under way.
    static let mostCalls = 32
    /// How long calls may go on when there is no more input: enough for those of `echo … | bridged mcp`, and less than
    /// clients wait before they send SIGTERM (the specification's "Lifecycle", "Shutdown").
    private static let timeAtEnd = Duration.seconds(1)
    /// How long calls may take to end when they are cancelled.
    private static let timeToCancel = Duration.milliseconds(500)

    private let server: MCPServer
    private let output: @Sendable (String) -> Void
    /// The calls under way, in the order in which they came.
    private let calls = Mutex<[(id: RequestID, call: MCPCall)]>([])
    private let running = DispatchGroup()

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
        case .request(let id, "tools/call", _): start(id, message)
        case .notification("notifications/cancelled", let params):
            guard let id = params?["requestId"].flatMap(RequestID.init) else { return }
            end(id)?.cancel()
        default:
            if let answer = server.answer(to: message) { output(answer) }
        }
    }

    private func start(_ id: RequestID, _ message: RPCMessage) {
        let call = MCPCall()
        let mistake: String? = calls.withLock { calls in
            if calls.contains(where: { $0.id == id }) {
                return "There is a request with the id \(id) already, which has no answer yet. Give each its own."
            }
            if calls.count >= Self.mostCalls {
                return "\(calls.count) calls have no answer yet, and there can be no more. Wait for one."
            }
            calls.append((id, call))
            return nil
        }
        if let mistake { return output(MCPServer.response(id, error: RPCError(.invalidRequest, mistake))) }
        running.enter()
        let thread = Thread { [self] in
            let answer = server.answer(to: message, within: call)
            // Nobody wants the answer of a call that is no longer there (the specification's "Cancellation").
            if end(id, call) != nil, let answer { output(answer) }
            running.leave()
        }
        // Printing JSON recurses as deep as it nests.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Takes a call from those under way.
    /// - Parameter call: nil for whichever has the id.
    /// - Returns: nil if it is not among them.
    private func end(_ id: RequestID, _ call: MCPCall? = nil) -> MCPCall? {
        calls.withLock { calls in
            guard let index = calls.firstIndex(where: { $0.id == id && (call == nil || $0.call === call) }) else {
                return nil
            }
            return calls.remove(at: index).call
        }
    }

    /// Ends the calls under way when the input has ended, after a moment in which they can be answered.
    func end() {
        guard running.wait(timeout: .now() + DispatchTimeInterval(Self.timeAtEnd)) == .timedOut else { return }
        let rest = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for (id, call) in rest {
            call.cancel()
            output(
                MCPServer.response(
                    id, error: RPCError(.invalidRequest, "Standard input ended, which ends all calls: keep it open.")))
        }
        _ = running.wait(timeout: .now() + DispatchTimeInterval(Self.timeToCancel))
    }
}
