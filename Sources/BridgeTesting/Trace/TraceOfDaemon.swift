package import BridgeProtocol
package import BridgeTraffic

/// The trace of a test that calls a daemon from another language: what the app shows when the test ends, and the traffic.
package struct TraceOfDaemon {
    /// The test's name.
    package let name: String
    /// What the test expected and what it found, as the language's own test library says it.
    package let failure: String
    /// The engine of the visible page, or how it is attached.
    package let browser: String
    /// The answer of `app.state`.
    package let state: JSON
    /// A PNG in base64, or the reason why there is none.
    package let picture: Result<String, NoPicture>
    /// Of the answer of `visits.explain`.
    package let visits: [JSON]
    /// Records without secrets, the oldest first.
    package let records: [TrafficRecord]
    /// What the test did, in its order.
    package let steps: [Step]

    /// An action or an assertion of the test.
    package struct Step: Sendable {
        package let text: String
        package let start: Timestamp
        package let duration: Duration

        /// Reads `{text, time, milliseconds}`.
        package init?(_ json: JSON) {
            guard let text = json["text"]?.string, let start = json["time"]?.string.flatMap(Timestamp.init),
                let milliseconds = json["milliseconds"]?.number
            else { return nil }
            (self.text, self.start, duration) = (text, start, Duration(clampingMilliseconds: milliseconds))
        }

        var end: Timestamp {
            Timestamp(microseconds: start.microseconds + Int64((duration / .microseconds(1)).rounded()))
        }
    }

    package struct NoPicture: Error {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    package init(
        name: String, failure: String, browser: String, state: JSON, picture: Result<String, NoPicture>, visits: [JSON],
        records: [TrafficRecord], steps: [Step] = []
    ) {
        self.name = name
        self.failure = failure
        self.browser = browser
        self.state = state
        self.picture = picture
        self.visits = visits
        self.records = records
        self.steps = steps
    }

    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    package func html() throws -> String { try TraceDocument.html(of: trace, withoutSecrets: { $0 }) }

    private var trace: Trace {
        let limits = TraceLimits()
        let last = records.last?.record ?? 0
        let (kept, lost) = limits.latest(of: records.map(StoredRecord.init), last: records.count)
        let now = Timestamp.now
        let steps = steps.suffix(limits.calls)
        let start = min(records.first?.time ?? now, steps.first?.start ?? now)
        let duration = Duration.microseconds(max(0, now.microseconds - start.microseconds))
        let (shown, pictures): (Trace.Picture, [String]) =
            switch picture {
            case .success(let data): (.taken(0), [data])
            case .failure(let error): (.missing(error.reason), [])
            }
        let redacted = Redaction.standard.redacted(ScriptValue(json: state, checked: nil)).json
        let state = redacted.text.utf8.count <= limits.stateBytes ? redacted : nil
        let none = Trace.Picture.missing("A test in another language has a picture of its end only.")
        let lastStart = steps.last?.end ?? start
        let ending = Duration.microseconds(max(0, now.microseconds - lastStart.microseconds))
        let all = steps.map { ($0.text, $0.start, $0.duration) } + [("end of \(name)", lastStart, ending)]
        return Trace(
            name: name, file: nil, browser: browser, framework: nil, started: start, duration: duration,
            failure: Trace.Failure(step: all.count, expected: "the test to pass", found: failure),
            steps: zip(1..., all).map { number, step in
                Trace.Step(number: number, line: nil, text: step.0, run: (step.1, step.2))
            },
            moments: [Trace.Moment(record: 0, time: start, state: nil, picture: none)]
                + steps.map { step in
                    // The records do not name their step, but all of them come from clocks of one machine.
                    let latest = records.last { $0.time <= step.end }?.record ?? 0
                    return Trace.Moment(record: latest, time: step.end, state: nil, picture: none)
                } + [Trace.Moment(record: last, time: now, state: state, picture: shown)],
            pictures: pictures, records: kept, visits: JSON(.array(visits.map(JSONValue.init))),
            leftOut: [lost, state == nil ? "The stacks, because they have more than \(limits.stateBytes) bytes." : nil]
                .compactMap(\.self))
    }
}
