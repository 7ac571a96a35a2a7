import BridgeServer
import BridgeTesting
import Foundation
import UnixSignals

/// Runs `bridged test --record`: serves until Ctrl-C, and then writes the recorded steps as a flow.
@MainActor struct FlowRecording {
    let path: String
    let configuration: ServeConfiguration

    func run() throws {
        let server = try configuration.makeServer()
        let app = try configuration.makeApp(server)
        let recorder = FlowRecorder(server) { step in Terminal.print("  - \(step)") }
        Task {
            for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { await server.stop() }
        }
        try server.runOnMainThread { address in
            Terminal.print(
                """
                Recording at \(address.url). Open your page in any browser, or \(address.url)demo/. Ctrl-C writes \(path).
                """)
        }
        withExtendedLifetime(app) {}
        let url = URL(fileURLWithPath: path)
        try Data(recorder.flow(named: url.deletingPathExtension().lastPathComponent).utf8).write(to: url)
        Terminal.print("Wrote \(path): \(recorder.stepCount) steps. Run it: bridged test \(path)")
    }
}
