import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// Notes what an app shows after each step of a run. It never throws: a trace must not change how a run ends.
@MainActor final class TraceRecorder {
    let app: BridgedApp
    private let limits: TraceLimits
    private let started = Timestamp.now
    private let begin = ContinuousClock.now
    private var moments: [Trace.Moment] = []
    private var pictures: [String] = []
    /// Those before it were left out.
    private var firstPicture = 0
    private var pictureBytes = 0
    /// Whether the latest picture did not come in time: a page that is busy then is likely to be so for the next one.
    private var isPageBusy = false
    /// When each step began, and how long it took; nil for one that was skipped.
    private var runs: [(start: Timestamp, duration: Duration)?] = []
    /// How many steps at the beginning are no longer in `runs`.
    private var lostSteps = 0

    init(_ app: BridgedApp, limits: TraceLimits = TraceLimits()) {
        self.app = app
        self.limits = limits
    }

    /// Notes what the app shows before the first step.
    func start() async { await note(picture()) }

    /// Notes what the app shows after a step.
    func ended(_ start: Timestamp, _ duration: Duration) async {
        runs.append((start, duration))
        // A picture takes as long as a few frames. A step that passed at once, such as one that expects a message that
        // has come, shows what the step before it shows.
        if let last = moments.last, case .taken = last.picture, duration < limits.instant,
            last.record == app.server.traffic.lastRecord
        {
            note(last.picture)
        } else {
            await note(picture())
        }
    }

    /// Notes that the steps before a position did not run, if they did not.
    func skip(to position: Int) {
        while runs.count < position, let last = moments.last {
            runs.append(nil)
            moments.append(last)
        }
    }

    /// Notes what the app shows after a call of a test. It takes no picture: that would slow down a test with many calls.
    /// - Parameter isRepeated: whether the call belongs to the step before, such as one of many that wait for something.
    /// - Returns: whether the first step was left out, because there are too many.
    func called(_ start: Timestamp, _ duration: Duration, isRepeated: Bool) -> Bool {
        if isRepeated, let last = runs.popLast() ?? nil {
            runs.append((last.start, last.duration + duration))
            moments.removeLast()
        } else {
            runs.append((start, duration))
        }
        note(.missing("A test in Swift has a picture of its end only."))
        guard runs.count > limits.calls else { return false }
        runs.removeFirst()
        moments.remove(at: 1)
        lostSteps += 1
        return true
    }

    private func note(_ picture: Trace.Picture) {
        // What came while the picture was taken belongs to this moment, and not to the next step.
        let record = app.server.traffic.lastRecord
        moments.append(Trace.Moment(record: record, time: .now, state: state(), picture: picture))
    }

    // MARK: State

    /// The app's state without secrets; that of its visible page alone if there is no app. Nil if it is too large.
    private func state() -> JSON? {
        let state = JSONValue.object(app.app?.state ?? plainState)
        let redacted = app.server.traffic.redaction.redacted(ScriptValue(state)).json
        return redacted.text.utf8.count <= limits.stateBytes ? redacted : nil
    }

    private var plainState: [JSONValue.Member] {
        let screen = (try? app.page()).map { ["url": .string($0.frame.url), "title": .string($0.title)] as JSONValue }
        return [
            .init("visible", "main"), .init("main", .array(screen.map { [$0] } ?? [])), .init("modal", .array([])),
            .init("webViews", .object([])), .init("tabs", .array([])), .init("alerts", .array([])),
        ]
    }

    // MARK: Pictures

    private func picture() async -> Trace.Picture {
        guard app.isDriven else {
            return .missing("A page cannot take one of itself: run in a browser that bridged drives (--in chromium).")
        }
        guard let page = try? app.page() else { return .missing("No page was attached.") }
        let time = isPageBusy ? limits.nextPictureTime : limits.pictureTime
        let result = await withCheckedContinuation { continuation in
            // A phone's screen has nine pixels a point. One shows as much, and takes a quarter of the time.
            page.command(.snapshot(scale: 1), timeout: time) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let value):
            isPageBusy = false
            return keep(value.string ?? "")
        case .failure(let error):
            isPageBusy = true
            return .missing("The browser took none: \(error)")
        }
    }

    /// Keeps a picture, and leaves out the oldest ones if there are too many.
    func keep(_ picture: String) -> Trace.Picture {
        // This is how the base64 of a PNG begins. Its other characters are checked when it is written.
        guard picture.hasPrefix("iVBORw0KGgo") else { return .missing("What the browser took is no PNG.") }
        guard picture.utf8.count <= limits.pictureBytes else {
            return .missing("It has \(picture.utf8.count) bytes; a trace has pictures of up to \(limits.pictureBytes).")
        }
        // Consecutive moments often look the same.
        if picture == pictures.last { return .taken(pictures.count - 1) }
        pictures.append(picture)
        pictureBytes += picture.utf8.count
        while pictureBytes > limits.allPictureBytes, pictures.indices.contains(firstPicture) {
            pictureBytes -= pictures[firstPicture].utf8.count
            pictures[firstPicture] = ""
            firstPicture += 1
        }
        return .taken(pictures.count - 1)
    }

    // MARK: Trace

    /// Makes the trace of a run that has ended. The last step that ran is the one that failed, if one did.
    /// - Parameter steps: the file, the line and the text of each step, those that did not run among them.
    func trace(
        name: String, file: String?, framework: String?, steps: [(file: String?, line: Int?, text: String)],
        failure: Trace.Failure?
    ) -> Trace {
        let (records, lost) = records()
        return Trace(
            name: name, file: file, browser: app.engine.description, framework: framework, started: started,
            duration: ContinuousClock.now - begin, failure: failure,
            steps: zip(1..., steps).map { number, step in
                let run = runs.indices.contains(number - 1) ? runs[number - 1] : nil
                let own = step.file == file ? nil : step.file
                return Trace.Step(number: number, file: own, line: step.line, text: step.text, run: run)
            },
            moments: moments.map(withoutLostPicture), pictures: pictures, records: records, visits: visits(),
            leftOut: [lostCalls, lost, lostPictures, lostStates].compactMap(\.self))
    }

    private func withoutLostPicture(_ moment: Trace.Moment) -> Trace.Moment {
        guard case .taken(let position) = moment.picture, position < firstPicture else { return moment }
        var moment = moment
        moment.picture = .missing("It was left out, because the pictures of this run have too many bytes.")
        return moment
    }

    private var lostCalls: String? { lostSteps == 0 ? nil : "Calls left out at the beginning: \(lostSteps)." }

    private var lostPictures: String? {
        guard firstPicture > 0 else { return nil }
        let limit = limits.allPictureBytes
        return "Pictures left out at the beginning, because all have more than \(limit) bytes: \(firstPicture)."
    }

    private var lostStates: String? {
        let count = moments.count { $0.state == nil }
        return count == 0 ? nil : "Stacks left out, because they have more than \(limits.stateBytes) bytes: \(count)."
    }

    /// How many visits are explained, the latest ones.
    private static let explainedVisits = 30

    private func visits() -> JSON? {
        let count = TraceRecorder.explainedVisits
        guard let answer = try? app.app?.explainVisits(to: nil, last: count), let json = try? JSON.parse(answer.text)
        else { return nil }
        return json.text.utf8.count <= limits.stateBytes ? json["visits"] : nil
    }

    private func records() -> (records: [StoredRecord], lost: String?) {
        let last = app.server.traffic.lastRecord
        let all = app.server.traffic.query(after: max(0, last - limits.records), limit: limits.records).records
        return limits.latest(of: all, last: last)
    }
}

/// How much a trace holds.
struct TraceLimits: Sendable {
    /// A step that takes less time, and has no record, needs no picture of its own.
    var instant = Duration.milliseconds(20)
    /// How long to wait for a picture. A page that is busy for longer has none.
    var pictureTime = Duration.seconds(5)
    /// How long to wait for the next one of a page that had none.
    var nextPictureTime = Duration.milliseconds(500)
    /// The largest picture, in bytes of base64.
    var pictureBytes = 4 << 20
    var allPictureBytes = 24 << 20
    /// The greatest number of a test's calls.
    var calls = 500
    /// The largest state of the app, in bytes.
    var stateBytes = 512 << 10
    var records = 10_000
    /// The largest record, in bytes. Only the time and the kind of a larger one are shown.
    var recordBytes = 256 << 10
    var allRecordBytes = 16 << 20

    /// The latest records that a trace holds, and a sentence about those that it leaves out.
    /// - Parameter last: the number of the latest record.
    func latest(of all: [StoredRecord], last: Int) -> (records: [StoredRecord], lost: String?) {
        var bytes = 0
        let kept = all.suffix(records).reversed().prefix { record in
            bytes += min(record.line.count, recordBytes)
            return bytes <= allRecordBytes
        }
        let large = kept.count { $0.line.count > recordBytes }
        let earlier = last - kept.count
        let lost = [
            earlier > 0 ? "Records left out at the beginning: \(earlier)." : nil,
            large > 0 ? "Records without their contents, which are too large: \(large)." : nil,
        ].compactMap(\.self)
        let shown = kept.reversed().map { $0.line.count > recordBytes ? $0.withoutContents : $0 }
        return (shown, lost.isEmpty ? nil : lost.joined(separator: " "))
    }
}

extension StoredRecord {
    /// A record in place of one that is too large for a trace.
    fileprivate var withoutContents: StoredRecord {
        let text = JSONValue.string("a \(facets.kind.rawValue) of \(line.count) bytes")
        return StoredRecord(
            TrafficRecord(
                record: number, time: time, page: facets.page, webView: facets.webView, direction: facets.direction,
                event: .app(event: "left out", fields: [.init("text", text)])))
    }
}
