import AppHost
import BridgeServer
import BridgeTesting
import CAppTesting
import Foundation

/// Lets an app's own tests and flows run: the app's web views get windows of a browser that bridged drives, without a
/// screen.
///
/// Nothing has to be called. A test program that links this module has it.
@MainActor enum AppTesting {
    private static var windows: AppWindows?

    fileprivate static func prepare() {
        do {
            if let flow = try HostedFlow.ofEnvironment() { AppHost.test = FlowRun(flow) }
        } catch {
            let text = "error: \(HostedFlow.variable) is not what bridged test writes: \(error)\n"
            FileHandle.standardError.write(Data(text.utf8))
            exit(1)
        }
        BridgeServer.makeShared = {
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            configuration.logPath = ProcessInfo.processInfo.environment["BRIDGED_LOG"]
            // The first page waits until the browser has started.
            configuration.limits.pageTimeout = .seconds(60)
            let server = try BridgeServer(configuration)
            windows = AppWindows(of: server)
            return server
        }
        atexit {
            // Swift Testing ends on another thread. The browser ends with its parent; only its profile stays behind.
            guard Thread.isMainThread else { return }
            MainActor.assumeIsolated { AppTesting.windows?.close() }
        }
    }
}

/// Called on the main thread, before `main`.
@_cdecl("bridged_prepare_app_tests") func prepareAppTests() {
    MainActor.assumeIsolated { AppTesting.prepare() }
}
