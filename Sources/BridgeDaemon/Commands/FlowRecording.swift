import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import UnixSignals

/// Runs `bridged test --record`: serves until Ctrl-C, and then writes the recorded steps as a flow.
@MainActor struct FlowRecording {
    let path: String
    let configuration: ServeConfiguration

    func run() throws {
        let server = try configuration.makeServer()
        let app = try configuration.makeApp(server)
        let output = StreamWriter(STDOUT_FILENO)
        let recorder = FlowRecorder(server, app) { step in output.write("  - \(TerminalText.escapeJSON(step))\n") }
        // Pages of other servers name the port in their script tags.
        var port = configuration.server.port
        let signals = Task { await UnixSignalsSequence(trapping: .sigterm, .sigint) }
        Task {
            for await _ in await signals.value { await server.stop() }
        }
        try server.runOnMainThread { address in
            port = address.port
            Task {
                _ = await signals.value
                output.write(
                    """
                    Recording at \(address.url). Open your page in any browser, or \(address.url)demo/. Ctrl-C writes \(path).

                    """)
            }
        }
        withExtendedLifetime(app) {}
        let url = URL(fileURLWithPath: path)
        let flow = recorder.flow(named: url.deletingPathExtension().lastPathComponent)
        do {
            try Data(flow.utf8).write(to: url)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)", .usage)
        }
        output.write("Wrote \(path): \(recorder.stepCount) steps. Run it: bridged test \(path) --port \(port)\n")
        output.finish(before: .now + .seconds(1))
    }
}
