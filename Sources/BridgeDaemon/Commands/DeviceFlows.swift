import BridgeClient
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation

/// `bridged test --on`
extension TestCommand {
    /// Runs the flows in a real app that a running daemon observes, one after the other, and ends the process.
    @MainActor func runOnDevice(_ name: String, _ configuration: ServeConfiguration) throws {
        let flows = try selection.flows(flows, configuration.server.redaction)
        LocalTraffic.bypassProxy()
        let runner: DeviceFlowRunner
        do {
            let finder = DaemonFinder(environment: ProcessInfo.processInfo.environment)
            let daemon = DaemonClient(try finder.find(url: appOptions.url))
            let device = try FlowDevice.named(name, in: daemon)
            runner = DeviceFlowRunner(daemon, device, logFolder: keepLog, ask: ask ? TestCommand.askUser : nil)
        } catch let error as ClientError {
            throw CommandFailure(error)
        } catch let mistake as FlowDevice.Mistake {
            throw CommandFailure(mistake.description, .usage)
        }
        let runs = flows.map { flow in
            FlowRun(flow, in: .attached(.webKitGTK), with: nil) { await runner.run(flow) }
        }
        Task {
            let results = await report(runs)
            Foundation.exit(results.allSatisfy { $0.failure == nil } ? 0 : 1)
        }
        dispatchMain()
    }

    /// Prints what to do, and waits for Return.
    /// - Returns: false if the input has ended, or begins with s.
    private static func askUser(_ text: String) -> Bool {
        Terminal.printError(TerminalText.escape(text))
        guard let line = readLine() else { return false }
        return line.lowercased().first != "s"
    }
}
