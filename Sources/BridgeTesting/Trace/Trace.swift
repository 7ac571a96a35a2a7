import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// What happened in a run, step by step. `web/trace` shows it.
struct Trace: Sendable {
    struct Step: Sendable {
        /// From 1.
        let number: Int
        /// The step's file, if it is not that of the run.
        var file: String?
        /// The step's line in its file; nil if it has none.
        let line: Int?
        let text: String
        /// Nil if the step did not run.
        var run: (start: Timestamp, duration: Duration)?
    }

    /// What the app showed before the first step, or after a step.
    struct Moment: Sendable {
        /// The number of the latest record.
        let record: Int
        let time: Timestamp
        /// The app's state as `app.state` shows it, without secrets; nil if it was left out.
        var state: JSON?
        var picture: Picture
    }

    /// The picture of the visible page, or the reason why there is none.
    enum Picture: Sendable, Equatable {
        /// The position in ``Trace/pictures``.
        case taken(Int)
        case missing(String)
    }

    struct Failure: Sendable {
        /// The number of the failed step; nil if the run failed before its first.
        let step: Int?
        let expected: String
        let found: String
    }

    let name: String
    /// The file of the flow; nil for a test in Swift.
    let file: String?
    let browser: String
    let framework: String?
    let started: Timestamp
    let duration: Duration
    let failure: Failure?
    let steps: [Step]
    /// One more than the steps that ran.
    let moments: [Moment]
    /// PNGs in base64. One that was left out is empty.
    let pictures: [String]
    let records: [StoredRecord]
    /// The answer of `visits.explain`; nil if the run's app cannot explain its visits, or the answer is too large.
    let visits: JSON?
    /// What is not in the trace, and why, in sentences.
    let leftOut: [String]
}

extension Trace: JSONWritable {
    /// Writes everything but the pictures, which moments name by their positions.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("version", BridgeServer.version)
            writer.member("name", name)
            writer.member("file", ifPresent: file)
            writer.member("browser", browser)
            writer.member("framework", ifPresent: framework)
            writer.member("started", started)
            writer.member("milliseconds", duration.milliseconds)
            writer.member("failure", ifPresent: failure)
            writer.member("steps", steps)
            writer.member("moments", moments)
            writer.member("records", records)
            writer.member("visits", ifPresent: visits)
            writer.member("leftOut", leftOut)
        }
    }
}

extension Trace.Moment: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("record", record)
            writer.member("time", time)
            writer.member("state", state ?? .null)
            switch picture {
            case .taken(let position): writer.member("picture", position)
            case .missing(let reason): writer.member("missing", reason)
            }
        }
    }
}

extension Trace.Step: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", number)
            writer.member("file", ifPresent: file)
            writer.member("line", ifPresent: line)
            writer.member("text", text.cut(to: 2_000))
            guard let run else { return }
            writer.member("time", run.start)
            writer.member("milliseconds", run.duration.milliseconds)
        }
    }
}

extension Trace.Failure: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("step", ifPresent: step)
            writer.member("expected", expected.cut(to: 20_000))
            writer.member("found", found.cut(to: 20_000))
        }
    }
}

extension String {
    /// The text; if it is longer than `limit` characters, its beginning and how long it is.
    fileprivate func cut(to limit: Int) -> String {
        // Counting bytes first, because counting the characters of a long text takes long.
        guard utf8.count > limit, count > limit else { return self }
        return "\(prefix(limit))… (cut: \(count) characters)"
    }
}
