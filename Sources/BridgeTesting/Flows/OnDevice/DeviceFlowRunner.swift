package import BridgeClient
import BridgeProcesses
import BridgeProtocol
import BridgeTraffic
import Foundation

/// Runs flows in the pages of a real app, which a running daemon observes.
///
/// The daemon asks the page for what a step does, and the page does it by a script. What the user does outside of the page
/// is left out, or the user is asked for it.
package struct DeviceFlowRunner: Sendable {
    private let daemon: DaemonClient
    private let device: FlowDevice
    private let logFolder: String?
    private let ask: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - logFolder: gets the records of each flow, as `FLOW-phone.ndjson`; nil to keep none.
    ///   - ask: asks the user to do something, and returns whether that is done; nil to leave such steps out.
    package init(
        _ daemon: DaemonClient, _ device: FlowDevice, logFolder: String?, ask: (@Sendable (String) -> Bool)?
    ) {
        (self.daemon, self.device, self.logFolder, self.ask) = (daemon, device, logFolder, ask)
    }

    /// Runs a flow's steps until one fails. The calls of the daemon block a thread of their own.
    package func run(_ flow: Flow) async -> FlowResult {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: runAndWait(flow)) }
        }
    }

    private func runAndWait(_ flow: Flow) -> FlowResult {
        let started = ContinuousClock.now
        var result = FlowResult(flow: flow, engine: .attached(.webKitGTK), duration: .zero)
        result.device = device.info
        do {
            let traffic = try DeviceTraffic(daemon, device)
            let steps = DeviceSteps(daemon, device, traffic, ask)
            let failures = run(flow, steps)
            (result.failure, result.laterFailures) = (failures.first, Array(failures.dropFirst()))
            (result.notes, result.skippedSteps) = (steps.notes, steps.skipped)
            try keepLog(of: flow, traffic)
        } catch {
            result.failure = result.failure ?? FlowFailure(expected: "the daemon to answer", found: "\(error)")
        }
        result.removeSecrets()
        result.duration = ContinuousClock.now - started
        return result
    }

    private func run(_ flow: Flow, _ steps: DeviceSteps) -> [FlowFailure] {
        var failures: [FlowFailure] = []
        var positions: [Int] = []
        for (position, step) in flow.steps.enumerated() {
            guard failures.isEmpty || flow.cleansUp(step, after: failures, positions) else { continue }
            positions.append(position)
            let place = FlowFailure.Place(number: position + 1, line: step.line, text: step.text)
            do { try steps.run(step, at: place) } catch {
                let failure = error as? BridgedAppFailure
                failures.append(
                    FlowFailure(
                        step: place, expected: failure?.expected ?? "the daemon to answer",
                        found: failure?.found ?? "\(error)", records: failure?.records ?? []))
            }
        }
        return failures
    }

    private func keepLog(of flow: Flow, _ traffic: DeviceTraffic) throws {
        guard let logFolder else { return }
        let name = URL(fileURLWithPath: flow.file).deletingPathExtension().lastPathComponent
        let file = [name, flow.row.map(String.init), "phone"].compactMap(\.self).joined(separator: "-")
        let opensPage = if case .open = flow.steps.first?.action { true } else { false }
        let lines = try traffic.all(opensPage: opensPage).map { $0.text + "\n" }.joined()
        try FileManager.default.createDirectory(atPath: logFolder, withIntermediateDirectories: true)
        try FileManager.default.writePrivately(lines, to: "\(logFolder)/\(file).ndjson")
    }
}
