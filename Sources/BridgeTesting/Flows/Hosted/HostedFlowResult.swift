import BridgeProtocol
import BridgeTraffic
package import Foundation

/// The result of a ``HostedFlow``, as the app's process writes it.
package struct HostedFlowResult: Codable, Sendable {
    private struct Failure: Codable {
        var place: FlowFailure.Place?
        let expected: String
        let found: String
        /// The latest records, each as a line of the traffic log.
        let records: [String]
    }

    /// The first, and those of the steps of `after`.
    private let failures: [Failure]
    private let navigations: [FlowNavigation]
    private let events: [FlowEvent]
    private let notes: [String]
    private let seconds: Double
    private let trace: TraceFile?

    init(_ result: FlowResult) {
        failures = ([result.failure].compactMap(\.self) + result.laterFailures).map {
            Failure(place: $0.step, expected: $0.expected, found: $0.found, records: $0.records.map(\.text))
        }
        (navigations, events, notes) = (result.navigations, result.events, result.notes)
        seconds = result.duration / .seconds(1)
        trace = result.trace
    }

    /// Reads the file that an app has written.
    package init(contentsOf file: URL) throws {
        let data = try Data(contentsOf: file)
        do { self = try JSONDecoder().decode(HostedFlowResult.self, from: data) } catch {
            throw HostedFlowError.otherVersion("its result cannot be read")
        }
    }

    /// - Parameter app: the app's name.
    package func result(of flow: Flow, in engine: TestBrowser, app: String) -> FlowResult {
        var result = FlowResult(flow: flow, engine: engine, app: app, duration: .seconds(seconds))
        (result.navigations, result.events, result.notes) = (navigations, events, notes)
        result.trace = trace
        let failures = failures.map {
            FlowFailure(
                step: $0.place, expected: $0.expected, found: $0.found,
                records: $0.records.compactMap { TrafficRecord(line: $0.utf8) })
        }
        (result.failure, result.laterFailures) = (failures.first, Array(failures.dropFirst()))
        return result
    }
}
