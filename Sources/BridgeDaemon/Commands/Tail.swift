import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

/// `bridged tail`
struct Tail: ClientCommand {
    static let configuration = clientConfiguration(
        "tail", "Show the traffic; --follow shows new records too.",
        """
        Filters: \(FilterHelp.text)

        Examples:
          bridged tail --follow
          bridged tail --filter verdict:dropped              # why did nothing happen?
          bridged tail --since 5m --filter 'handler:nativeApp -name:ActionButton'
          bridged tail --follow --json | jq 'select(.kind == "console").text'
          bridged tail --follow --stacks                     # what the emulated app shows after each step
        """)

    @Option(parsing: .unconditional, help: ArgumentHelp("Only records that match.", valueName: "expression"))
    var filter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only records since a time: 2026-11-21T10:00:00Z, or an age such as 30s, 5m or 2h.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("How many records to begin with. (default: 10; all with --since)", valueName: "count"))
    var last: Int?

    @Flag(name: .shortAndLong, help: "Continue with new records.")
    var follow = false

    @Flag(help: "Only the emulated app's stacks after each of its steps, and why; with --follow its buttons, too.")
    var stacks = false

    @OptionGroup var page: PageOptions
    @OptionGroup var options: ClientOptions

    func validate() throws {
        if stacks, options.json || filter != nil {
            throw ValidationError("--stacks chooses and formats the records: give it without --json and --filter.")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        let last = last ?? (since == nil ? 10 : nil)
        let query: KeyValuePairs = [
            "filter": stacks ? StackLines.filter(following: follow) : filter, "page": page.page,
            "webView": page.webView,
            "since": try since.map { try PointInTime.read($0).description }, "last": last.map { "\($0)" },
            "follow": follow ? "1" : nil,
        ]
        let format: TailOutput.Format =
            options.json ? .json : stacks ? .stacks(StackLines(asking: follow ? daemon : nil)) : .readable
        var output = TailOutput(format)
        let end = Result {
            try daemon.readLines(of: "traffic", query: query) { output.write($0) }
        }
        output.finish()
        try end.get()
    }
}

/// The lines of `tail`. While their reader stalls they wait; beyond 64 MiB they are left out, and a `gap` record says
/// so.
struct TailOutput {
    private let stream = StreamWriter(STDOUT_FILENO, limit: 64 << 20)
    private let format: Format
    private let readable: ReadableTraffic
    private var missed = (count: 0, last: [UInt8]())

    enum Format {
        case readable, json
        case stacks(StackLines)
    }

    init(_ format: Format) {
        self.format = format
        var readable = Terminal.readable
        // A program that reads the lines, such as grep, needs them whole.
        if isatty(STDOUT_FILENO) == 0 { readable.width = .max }
        self.readable = readable
    }

    mutating func write(_ line: [UInt8]) {
        if stream.failure != nil { Foundation.exit(CommandFailure.Code.failed.rawValue) }
        guard !stream.isCrowded else {
            missed = (missed.count + 1, line)
            return
        }
        if missed.count > 0 { print(gap(of: missed.count, last: missed.last)) }
        missed = (0, [])
        print(line)
    }

    /// Waits until everything is written, however long its reader takes.
    func finish() { stream.finish(before: .now + .seconds(1 << 30)) }

    private func print(_ line: [UInt8]) {
        switch format {
        case .json: stream.write(line.count + 1) { TerminalText.escapeJSON(line) + [UInt8(ascii: "\n")] }
        case .readable:
            stream.write(line.count + 1) { [readable] in
                Array((readable.text(ofLine: String(decoding: line, as: UTF8.self)) + "\n").utf8)
            }
        case .stacks(let lines):
            guard let text = lines.text(of: line, readable) else { return }
            stream.write(text.utf8.count + 1) { Array((text + "\n").utf8) }
        }
    }

    private func gap(of count: Int, last: [UInt8]) -> [UInt8] {
        let record = TrafficRecord(
            record: TrafficRecord(line: last)?.record ?? 0, time: .now, direction: .toNative, event: .gap(count: count))
        return Array(StoredRecord(record).line.dropLast())
    }
}

extension ReadableTraffic {
    /// Formats a line of NDJSON for people. A line that this version cannot read as a record is only escaped.
    func text(ofLine line: String) -> String {
        (try? JSON.parse(line)).flatMap(TrafficRecord.init(json:)).map(text) ?? TerminalText.escape(line)
    }
}

enum FilterHelp {
    static let text = """
        dir: handler: name: page: web-view: kind: verdict: reason: text:, each followed by a value, or a word alone. All \
        terms must match; a comma means or, - means not: dir:toNative kind:message,reply -name:ActionButton "two words".
        """
}

enum PointInTime {
    /// Reads a time.
    /// - Parameter text: an age such as `30s`, `5m`, `2h` or `1d`, or a time as in RFC 3339.
    /// - Throws: `CommandFailure`.
    static func read(_ text: String) throws -> Timestamp {
        if let time = Timestamp(text) { return time }
        let units = ["s": 1.0, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[String($0)] }), let count = Double(text.dropLast()), count >= 0,
            count * unit < 1e9
        else {
            throw CommandFailure(
                "'\(text)' is not valid for --since. Give 30s, 5m, 2h, 1d or 2026-11-21T10:00:00Z.", .usage)
        }
        return Timestamp(microseconds: Timestamp.now.microseconds - Int64(count * unit * 1_000_000))
    }
}
