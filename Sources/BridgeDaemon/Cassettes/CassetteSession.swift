import BridgeProtocol
import BridgeTraffic
import BridgeYAML
import Dispatch
import Foundation
import Synchronization

/// Records pages for a cassette from a log, or from a daemon that runs elsewhere, until Ctrl-C.
///
/// The records come on one thread. A queue writes the file, at most every 200 ms. The lock of the state makes that safe.
final class CassetteSession: Sendable {
    private struct State {
        let tape: CassetteTape
        /// How many entries the last line said; nil if there was none.
        var printedCount: Int?
        var isWriteScheduled = false
        var hasWarned = false
        /// The latest mistake in the file, if somebody has edited it meanwhile.
        var mistake: YAMLError?
    }

    private static let pause = DispatchTimeInterval.milliseconds(200)

    private let path: String
    /// Whether the recording is added to a file, which then may stay as it is.
    private let isAdding: Bool
    private let isJSON: Bool
    /// What is said if there is nothing to write: a clause, without a full stop.
    private let nothing: String
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "bridged.cassette")

    init(path: String, adding: Bool, json: Bool, nothing: String) throws {
        (self.path, isAdding, isJSON, self.nothing) = (path, adding, json, nothing)
        state = Mutex(State(tape: try CassetteTape(path: path, adding: adding)))
    }

    /// Records until `read` returns, or until SIGINT or SIGTERM, which end the process.
    /// - Parameter read: passes each record to the session.
    func run(_ read: () throws -> Void) throws {
        let signals = [SIGINT, SIGTERM].map { number in
            // A shell lets programs in the background ignore SIGINT.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in endProcess() }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        do { try read() } catch {
            try write()
            throw error
        }
        try write()
        try throwIfEmpty()
    }

    /// Notes a record without writing.
    func note(_ record: TrafficRecord) {
        state.withLock { state in
            warn(of: record, &state)
            _ = state.tape.note(record)
        }
    }

    /// Notes a record. What is new is written soon.
    func add(_ record: TrafficRecord) {
        let schedulesWrite = state.withLock { state in
            warn(of: record, &state)
            guard state.tape.note(record), !state.isWriteScheduled else { return false }
            state.isWriteScheduled = true
            return true
        }
        guard schedulesWrite else { return }
        queue.asyncAfter(deadline: .now() + CassetteSession.pause) { [self] in
            do { try writeUnlessEdited() } catch { fail(error) }
        }
    }

    /// Writes what is new. If somebody has left a mistake in the file, that is said, and the next message tries again.
    private func writeUnlessEdited() throws {
        do {
            try write()
            state.withLock { $0.mistake = nil }
        } catch let mistake as YAMLError {
            let isNew = state.withLock { state in
                defer { state.mistake = mistake }
                return state.mistake != mistake
            }
            guard isNew else { return }
            Terminal.printError(
                TerminalText.escape(
                    "warning: \(mistake) Nothing is written until that is corrected; the recording goes on."))
        }
    }

    /// Says that nothing is recorded of the first page that is not a real app's.
    private func warn(of record: TrafficRecord, _ state: inout State) {
        guard case .page(.attached) = record.event, record.device == nil, !state.hasWarned else { return }
        state.hasWarned = true
        Terminal.printError(
            TerminalText.escape(
                "warning: \(record.page ?? "a page") at \(record.url ?? "") is not in a real app: bridged answers it. Nothing of "
                    + "such pages is recorded. Open the page in the app, as docs/phone.md says."))
    }

    private func write() throws {
        try state.withLock { state in
            state.isWriteScheduled = false
            let result = Result { try state.tape.write() }
            let count = state.tape.entryCount
            if count != state.printedCount, count > 0 || isAdding {
                printCount(count)
                state.printedCount = count
            }
            try result.get()
        }
    }

    private func printCount(_ count: Int) {
        if isJSON {
            Terminal.print(["file": .string(path), "entries": .number(Double(count))] as JSONValue)
        } else {
            Terminal.print("\(TerminalText.escape(path)): \(count) \(isAdding ? "new " : "")entries")
        }
    }

    private func throwIfEmpty() throws {
        guard !isAdding, state.withLock({ $0.tape.entryCount }) == 0 else { return }
        throw CommandFailure(
            "\(nothing), so \(path) is not written. Only what a real app answers is recorded: attach its pages, as "
                + "docs/phone.md says.", .failed)
    }

    private func endProcess() -> Never {
        do {
            try write()
            try throwIfEmpty()
        } catch { fail(error) }
        Foundation.exit(0)
    }

    private func fail(_ error: any Error) -> Never {
        let failure = error as? CommandFailure ?? CommandFailure("\(error)", .failed)
        failure.report(asJSON: isJSON)
        Foundation.exit(failure.code.rawValue)
    }
}
