import BridgeProtocol
import BridgeTraffic

/// Follows every message and every evaluation of a simulation, and notes the first promise that is broken.
@MainActor class Invariants {
    /// What keeps records.
    struct Keepers: OptionSet, Hashable, CustomStringConvertible {
        static let log = Keepers(rawValue: 1)
        static let archive = Keepers(rawValue: 2)

        let rawValue: Int

        var description: String { "[\(contains(.log) ? " log" : "")\(contains(.archive) ? " archive" : "") ]" }
    }

    /// What is known of one message.
    struct MessageState {
        let page: SimulatedPage
        let seq: Int
        let handler: HandlerName
        /// The run of the daemon in which a handler got it last; 0 before.
        var handledIn = 0
        /// The run of the daemon that recorded it last; 0 before.
        var recordedIn = 0
        /// Where its record is.
        var keptIn: Keepers = []
        /// Whether the page knows that the daemon has handled it and has its record.
        var isTold = false
        /// Whether a request on its way to this run of the daemon has it, of which the page thinks that it got lost. The
        /// page can then read from an earlier run that the message was handled, before the request arrives.
        var isInLostCall = false
        var ends = 0
    }

    /// The state of one script of native code.
    struct ScriptState {
        let page: SimulatedPage
        let run: Int
        var executions = 0
        var ends = 0
        var hasTimedOut = false
    }

    private(set) var violation: Violation?
    /// Gets each line of the log.
    var show: ((String) -> Void)?
    var messages: [MessageState] = []
    private(set) var scripts: [ScriptState] = []
    /// The run of the daemon, from 1.
    var run = 0
    /// The last message number that each document's handlers got in this run.
    var lastSeq: [Int: Int] = [:]
    private var lastScript: [Int: Int] = [:]
    /// What keeps records in this simulation.
    var keepers: Keepers = .log
    /// The keepers whose latest write has failed.
    var failing: Keepers = []
    /// The keepers that cannot be written, which the daemon has not said yet.
    var unsaid: Keepers = []
    /// How often this run of the daemon has said that a keeper cannot be written.
    var said: [Keepers: Int] = [:]
    /// The number of the last record of this run that the archive has.
    var lastArchived = 0
    /// The messages that came in beacons which this run of the daemon has accepted.
    var acceptedByBeacon: [Int] = []

    func violate(_ invariant: Violation.Invariant, _ text: @autoclosure () -> String) {
        if violation == nil { violation = Violation(invariant: invariant, text: text()) }
    }

    func name(_ number: Int) -> String {
        let message = messages[number]
        return "message \(message.seq) of \(message.page.document) to \(message.handler.rawValue)"
    }

    // MARK: Messages

    func posted(by page: SimulatedPage, seq: Int, _ handler: HandlerName) -> Int {
        messages.append(MessageState(page: page, seq: seq, handler: handler))
        return messages.count - 1
    }

    /// A handler has received a message.
    func handled(_ number: Int) {
        guard messages.indices.contains(number) else { return }
        let message = messages[number]
        if message.handledIn == run { violate(.once, "\(name(number)) was handled twice") }
        messages[number].handledIn = run
    }

    /// The daemon has made the record of a message.
    /// - Parameter isLate: whether messages of the next document were handled already, without a reason.
    func recorded(_ number: Int, isLate: (SimulatedPage, Int) -> Bool) {
        guard messages.indices.contains(number), !messages[number].page.isLiar else { return }
        let message = messages[number]
        if message.recordedIn == run { violate(.once, "\(name(number)) was recorded twice") }
        if message.isTold, !message.isInLostCall {
            violate(.once, "\(name(number)) was handled again, although the page knew that it was handled")
        }
        let last = lastSeq[message.page.number, default: 0]
        if message.seq <= last { violate(.order, "\(name(number)) was handled after message \(last)") }
        if isLate(message.page, message.seq) {
            violate(.order, "\(name(number)) was handled after messages of the next document")
        }
        lastSeq[message.page.number] = message.seq
        messages[number].recordedIn = run
    }

    func lostCall(with numbers: [Int]) {
        for number in numbers where messages.indices.contains(number) { messages[number].isInLostCall = true }
    }

    func isHandledInThisRun(_ number: Int) -> Bool { messages[number].handledIn == run }

    /// Whether a message of this document has a record in this run.
    func hasRecorded(_ page: SimulatedPage) -> Bool { lastSeq[page.number] != nil }

    /// A page, or the network on its way to the page, was told that the daemon has handled a message.
    func mustBeLogged(_ number: Int) {
        guard messages.indices.contains(number) else { return }
        let message = messages[number]
        if message.keptIn != keepers, !message.page.isLiar {
            violate(.logged, "\(name(number)) is acknowledged, and is only in \(message.keptIn) of \(keepers)")
        }
    }

    func toldPage(_ number: Int) {
        mustBeLogged(number)
        messages[number].isTold = true
    }

    func settled(_ number: Int, _ end: MessageEnd) {
        messages[number].ends += 1
        if messages[number].ends > 1 { violate(.ends, "the promise of \(name(number)) settled twice") }
    }

    func accepted(_ beacon: Beacon) { acceptedByBeacon += beacon.messages }

    // MARK: Evaluations

    func requested(on page: SimulatedPage) -> Int {
        scripts.append(ScriptState(page: page, run: run))
        return scripts.count - 1
    }

    func executed(_ script: Int, on page: SimulatedPage) {
        guard scripts.indices.contains(script) else { return }
        scripts[script].executions += 1
        if scripts[script].executions > 1 { violate(.once, "script \(script) ran twice in \(page.document)") }
        if scripts[script].page !== page { violate(.result, "script \(script) ran in \(page.document)") }
        if let last = lastScript[page.number], last > script, scripts[last].run == scripts[script].run {
            violate(.order, "script \(script) ran after script \(last) in \(page.document)")
        }
        lastScript[page.number] = script
    }

    func ended(_ script: Int, _ result: Result<ScriptValue, ScriptError>) {
        scripts[script].ends += 1
        if scripts[script].ends > 1 { violate(.ends, "script \(script) ended twice") }
        if case .success(let value) = result, value.json.wholeNumber != script, !scripts[script].page.isLiar {
            violate(.result, "script \(script) got \(value.json.summary) as its result")
        }
    }
}
