import BridgeProtocol
package import BridgeTraffic
import Synchronization

/// The latest records of an app's traffic, which any thread may read: an expectation may fail on each.
package final class LatestRecords: Sendable {
    /// How many records failures show.
    private static let limit = 10
    private let records = Mutex<[TrafficRecord]>([])

    /// Adds a record, unless it is of a script, which mostly is the test's own, or of a request for a part of a page that has
    /// succeeded, because a page may have dozens of them.
    func append(_ record: TrafficRecord) {
        guard ![.evaluate, .callAsync, .result].contains(record.event.kind) else { return }
        if case .request(let request, _) = record.event, request.hasBroughtPartOfPage { return }
        records.withLock { records in
            if records.count == Self.limit { records.removeFirst() }
            records.append(record)
        }
    }

    /// The records, the oldest first.
    package var all: [TrafficRecord] { records.withLock(\.self) }

    /// Makes an error with the latest traffic.
    func failure(_ expected: String, _ found: String, isTimeOut: Bool = false) -> BridgedAppFailure {
        BridgedAppFailure(expected: expected, found: found, records: all, isTimeOut: isTimeOut)
    }

    /// The latest traffic, with a line for each record.
    package var text: String { all.latestTraffic }
}

extension FinishedRequest {
    /// Whether the request was for a part of a page, such as a script or an image, and has succeeded. WebKit does not tell
    /// the type.
    fileprivate var hasBroughtPartOfPage: Bool {
        guard method == "GET", failure == nil, fault == nil, let status, status < 400 else { return false }
        guard let type else { return !["html", "json"].contains { mimeType?.contains($0) ?? true } }
        return !["document", "fetch"].contains(type)
    }
}

extension [TrafficRecord] {
    /// The records, with a line for each, as failures show them.
    var latestTraffic: String {
        let readable = ReadableTraffic()
        let lines = map { "  " + readable.text($0).replacing("\n", with: "\n  ") }
        return lines.isEmpty ? "There is no traffic." : "The latest traffic:\n" + lines.joined(separator: "\n")
    }
}

/// The app that ``withBridgedApp(in:app:_:test:_:)`` has started for the test that runs.
enum CurrentApp {
    @TaskLocal static var app: BridgedApp?
}
