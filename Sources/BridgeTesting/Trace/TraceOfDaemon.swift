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

    package struct NoPicture: Error {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    package init(
        name: String, failure: String, browser: String, state: JSON, picture: Result<String, NoPicture>, visits: [JSON],
        records: [TrafficRecord]
    ) {
        self.name = name
        self.failure = failure
        self.browser = browser
        self.state = state
        self.picture = picture
        self.visits = visits
        self.records = records
    }

    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    package func html() throws -> String { try TraceDocument.html(of: trace, withoutSecrets: { $0 }) }

    private var trace: Trace {
        let limits = TraceLimits()
        let last = records.last?.record ?? 0
        let (kept, lost) = limits.latest(of: records.map(StoredRecord.init), last: records.count)
        let now = Timestamp.now
        let start = records.first?.time ?? now
        let duration = Duration.microseconds(max(0, now.microseconds - start.microseconds))
        let (shown, pictures): (Trace.Picture, [String]) =
            switch picture {
            case .success(let data): (.taken(0), [data])
            case .failure(let error): (.missing(error.reason), [])
            }
        let redacted = Redaction.standard.redacted(ScriptValue(json: state, checked: nil)).json
        let state = redacted.text.utf8.count <= limits.stateBytes ? redacted : nil
        let before = "A test in another language has a picture of its end only."
        return Trace(
            name: name, file: nil, browser: browser, framework: nil, started: start, duration: duration,
            failure: Trace.Failure(step: 1, expected: "the test to pass", found: failure),
            steps: [Trace.Step(number: 1, line: nil, text: "end of \(name)", run: (start, duration))],
            moments: [
                Trace.Moment(record: 0, time: start, state: nil, picture: .missing(before)),
                Trace.Moment(record: last, time: now, state: state, picture: shown),
            ],
            pictures: pictures, records: kept, visits: JSON(.array(visits.map(JSONValue.init))),
            leftOut: [lost, state == nil ? "The stacks, because they have more than \(limits.stateBytes) bytes." : nil]
                .compactMap(\.self))
    }
}
