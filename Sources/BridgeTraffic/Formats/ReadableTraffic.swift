import BridgeProtocol

/// Formats traffic for a terminal: a line for each record, and another one for its hint, if it has one.
///
/// Control characters from pages are escaped.
public struct ReadableTraffic: Sendable {
    /// Whether to use colours (ANSI escape sequences).
    public var usesColor: Bool
    /// The greatest number of characters to show of a body, a script or another long text; `.max` for whole texts.
    public var width: Int
    /// The seconds to add to UTC for the times shown.
    public var secondsFromUTC: Int

    public init(usesColor: Bool = false, width: Int = 120, secondsFromUTC: Int = 0) {
        self.usesColor = usesColor
        self.width = width
        self.secondsFromUTC = secondsFromUTC
    }

    /// The record, without a newline at the end:
    /// `10:00:00.123  p1 → nativeApp  ActionButton {"path":"/customers/new"}   handled`.
    public func text(_ record: TrafficRecord) -> String {
        let line = line(for: record)
        let page = record.page.map { safe($0) + " " } ?? ""
        let arrow = colored(line.mark ?? (record.direction == .toNative ? "→" : "←"), line.isBad ? .red : .cyan)
        var text = "\(colored(time(record.time), .dim))  \(page)\(arrow) \(safe(line.text))"
        if let verdict = line.verdict { text += "   \(colored(safe(verdict), line.isBad ? .red : .green))" }
        if let hint = line.hint { text += "\n              \(colored(safe(hint), .dim))" }
        return text
    }

    private struct Line {
        var mark: String?
        var text: String
        var verdict: String?
        var hint: String?
        var isBad = false
    }

    private func line(for record: TrafficRecord) -> Line {
        var line = line(for: record.event)
        if let device = record.device { line.text += " (\(device))" }
        if let here = record.here {
            line.verdict = "\(line.verdict ?? ""); here it would be \(here)"
            line.hint = here.hint
        }
        return line
    }

    private func line(for event: TrafficRecord.Event) -> Line {
        switch event {
        case .message(let handler, let name, let body, _, let verdict):
            let name = name.map { shortened($0, to: 40) + " " } ?? ""
            return judged("\(handler)  \(name)\(short(body, isNamed: !name.isEmpty))", verdict)
        case .reply(let handler, _, let result, let duration, let verdict):
            return judged("\(handler) reply \(short(result)) \(time(duration))", verdict)
        case .evaluate(_, let source):
            return Line(text: "evaluate \(short(source))")
        case .callAsync(_, let body, let arguments):
            return Line(text: "callAsync \(short(body)) \(short(arguments))")
        case .result(_, let result, let duration):
            return Line(text: "result \(short(result)) \(time(duration))", isBad: result.isFailure)
        case .console(let entry):
            return Line(text: "console \(entry.level): \(short(entry.text))", isBad: entry.kind != .console)
        case .page(let event):
            return Line(text: "page \(event.rawValue)")
        case .request(let request, _): return line(for: request)
        case .app("note", let fields):
            // What a tool says about the records that follow.
            let text = fields.first { $0.key == "text" }.flatMap { $0.value.string } ?? ""
            return Line(mark: "#", text: short(text))
        case .app(let event, let fields):
            return Line(text: "app \(event) \(short(JSONValue.object(fields)))")
        case .problem(let code, let text, let hint, _, let count):
            let times = count.map { " (\($0) more times)" } ?? ""
            return Line(mark: "!", text: "\(code): \(text)\(times)", hint: hint, isBad: true)
        case .gap(let count):
            return Line(mark: "!", text: "gap: \(count) records missed", isBad: true)
        }
    }

    private func line(for request: FinishedRequest) -> Line {
        // An app may refuse a response that has come.
        let end = [request.status.map(String.init), request.mimeType, request.failure].compactMap(\.self)
            .joined(separator: " ")
        let duration = request.milliseconds.map { " " + time(Duration(clampingMilliseconds: $0)) } ?? ""
        return Line(
            text: "\(request.method) \(short(request.url)) \(short(end))\(duration)",
            isBad: request.failure != nil || request.status ?? 0 >= 400)
    }

    private func judged(_ text: String, _ verdict: Verdict) -> Line {
        Line(text: text, verdict: verdict.description, hint: verdict.hint, isBad: !verdict.isTaken)
    }

    // MARK: Parts

    /// Formats a value. If the line already shows the name, the body is formatted without it. (If the body is not an
    /// object, it is the array of a call of an interface object, and the name is not in it.)
    private func short(_ value: ScriptValue, isNamed: Bool = false) -> String {
        guard isNamed, value.kind == .object else { return value.kind == .undefined ? "undefined" : short(value.json) }
        var writer = JSONWriter()
        writer.object { writer in
            value.json.forEachMember { key, member in
                if key != "name" { writer.member(named: key, member) }
            }
        }
        return short(writer.text)
    }

    private func short(_ value: some JSONWritable) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return short(writer.text)
    }

    private func short(_ text: String) -> String { shortened(text, to: width) }

    private func short(_ result: Result<ScriptValue, RPCError>) -> String {
        switch result {
        case .success(let value): short(value)
        case .failure(let error): "error: \(short(error.description))"
        }
    }

    private func time(_ duration: Duration) -> String { "(\(duration.milliseconds) ms)" }

    /// The time of day, such as `10:00:00.123`.
    private func time(_ time: Timestamp) -> String {
        let local = Timestamp(microseconds: time.microseconds &+ Int64(secondsFromUTC) &* 1_000_000).description
        return String(local.dropFirst(local.count - 16).prefix(12))
    }

    private func safe(_ text: String) -> String { TerminalText.escape(text) }

    private enum Color: String {
        case dim = "2"
        case red = "31"
        case green = "32"
        case cyan = "36"
    }

    private func colored(_ text: String, _ color: Color) -> String {
        usesColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

extension TrafficRecord: CustomStringConvertible {
    /// The readable line, with the time in UTC.
    public var description: String { ReadableTraffic().text(self) }
}

extension StoredRecord: CustomStringConvertible {
    /// The readable line, with the time in UTC.
    public var description: String { TrafficRecord(json: json)?.description ?? String(decoding: line, as: UTF8.self) }
}
