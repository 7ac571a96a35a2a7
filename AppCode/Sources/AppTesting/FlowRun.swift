import AppHost
import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation

/// Runs one flow of `bridged test --app` against the app in this process, and ends the process.
@MainActor final class FlowRun: AppTest {
    private let flow: HostedFlow
    private var server: BridgeServer?
    private var windows: AppWindows?

    init(_ flow: HostedFlow) { self.flow = flow }

    func willLaunch(_ server: BridgeServer) throws {
        self.server = server
        windows = AppWindows(of: server, in: BrowserEngine(rawValue: flow.engine))
    }

    func didLaunch(_ app: any ControllableApp) {
        guard let server else { return }
        Task {
            var status: Int32 = 0
            do {
                try await flow.run { engine in
                    let app = try await BridgedApp(hosting: app, on: server, in: engine)
                    // `--url` names it.
                    app.baseURL = server.configuration.appOrigins.first
                    return app
                }
            } catch {
                FileHandle.standardError.write(Data("error: The flow did not run to its end: \(error)\n".utf8))
                status = 1
            }
            windows?.close()
            exit(status)
        }
    }
}
