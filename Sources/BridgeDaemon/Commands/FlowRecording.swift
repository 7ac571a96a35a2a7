import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import UnixSignals

/// Runs `bridged test --record`: serves until Ctrl-C, and then writes the recorded steps as a flow.
@MainActor struct FlowRecording {
    let path: String
    let configuration: ServeConfiguration
    /// The browsers of `--in`. The first one shows the app. Without any, the person opens a page with the script tag.
    let engines: [BrowserEngine]
    let device: TestDevice
    /// The options of the command line with which the flow runs, too, such as `--tab`.
    let arguments: [String]

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
        var browser: (any DrivenBrowser)?
        try server.runOnMainThread { address in
            port = address.port
            if let engine = engines.first {
                Task {
                    do { browser = try await open(engine, server, address) } catch {
                        Terminal.printError("error: \(TerminalText.escape("\(error)"))")
                    }
                }
            }
            Task {
                _ = await signals.value
                output.write(
                    """
                    Recording at \(address.url). Open your page in any browser, or \(address.url)demo/. Ctrl-C writes \(path).

                    """)
            }
        }
        withExtendedLifetime(app) {}
        browser?.close()
        let url = URL(fileURLWithPath: path)
        let flow = recorder.flow(named: url.deletingPathExtension().lastPathComponent)
        do {
            try Data(flow.utf8).write(to: url)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)", .usage)
        }
        output.write("Wrote \(path): \(recorder.stepCount) steps. Run it: \(command(port, recorder.variables))\n")
        output.finish(before: .now + .seconds(1))
    }

    /// Opens a window of a driven browser, where the person begins.
    private func open(
        _ engine: BrowserEngine, _ server: BridgeServer, _ address: BridgeServer.Address
    ) async throws -> any DrivenBrowser {
        var options = LaunchOptions()
        // Without a screen only tools can act, such as bridged app and bridged call.
        options.isHeadless = !BrowserEngine.hasDisplay()
        options.device = try device.device(on: configuration.frameworks[0].platform)
        let link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
        return try await engine.open(configuration.app.rootURL?.absoluteString, at: link, options) {
            Terminal.printError("bridged: \(TerminalText.escape($0))")
        }
    }

    /// The command that runs the flow as it was recorded.
    private func command(_ port: UInt16, _ variables: [String]) -> String {
        let withTag = ["--port", "\(port)", "--in", "\(TestBrowser.attached(.chromium))"]
        let ending = engines.isEmpty ? withTag : ["--in", engines.map(\.rawValue).joined(separator: ",")]
        let values = variables.flatMap { ["--env", "\($0)=…"] }
        return (["bridged", "test", path] + ending + arguments + values).map(TerminalText.escape).joined(separator: " ")
    }
}
