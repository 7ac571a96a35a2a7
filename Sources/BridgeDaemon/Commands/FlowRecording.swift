import BridgeServer
import BridgeTesting
import Foundation
import UnixSignals

/// `bridged test --record`: serves, and writes what was done as a flow when it is stopped. On the main actor.
@MainActor struct FlowRecording {
    private let path: String
    private let serving: Serving

    init(path: String, _ options: ServeOptions) throws {
        self.path = path
        serving = try Serving(options)
    }

    func run() throws {
        let server = try serving.makeServer()
        let app = try serving.makeApp(server)
        let recorder = FlowRecorder(server) { step in
            print("  - \(step)")
            fflush(nil)
        }
        Task {
            for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { await server.stop() }
        }
        try server.runOnMainThread { address in
            print(
                """
                Recording at \(address.url). Open your page in any browser; try \(address.url)demo/. Ctrl-C ends it, and writes \(path).
                """)
            fflush(nil)
        }
        withExtendedLifetime(app) {}
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        try Data(recorder.flow(named: name).utf8).write(to: URL(fileURLWithPath: path))
        print("Wrote \(path): \(recorder.stepCount) steps. Run it: bridged test \(path)")
    }
}
