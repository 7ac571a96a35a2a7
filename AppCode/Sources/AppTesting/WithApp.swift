import AppHost
public import BridgeProtocol
import BridgeServer
public import BridgeTesting
public import HeadlessUIKit

/// Launches an app in this process, runs `body`, and ends the app. Its web views are windows of a browser without a screen.
///
/// ```swift
/// try await withApp(AppDelegate(), sceneDelegate: SceneDelegate()) { app in
///     try await app.open("http://localhost:3000/")
///     try app.app?.perform("tap", ["text": "New post"])
/// }
/// ```
/// There is one `UIApplication` in a process, so that only one app runs at a time. Other calls wait.
///
/// - Parameters:
///   - sceneDelegate: nil for an app that makes its window in `application(_:didFinishLaunchingWithOptions:)`.
///   - engine: nil for the best one that is installed.
/// - Throws: what `body` throws, and an error if no browser is installed or the server cannot listen.
@MainActor public func withApp<Value>(
    _ delegate: @autoclosure () -> any UIApplicationDelegate,
    sceneDelegate: @autoclosure () -> (any UISceneDelegate)? = nil, in engine: BrowserEngine? = nil,
    _ body: @MainActor (BridgedApp) async throws -> Value
) async throws -> Value {
    await AppTurn.take()
    defer { AppTurn.pass() }
    let engine = try engine ?? AppWindows.engine()
    var configuration = BridgeServer.Configuration()
    configuration.port = 0
    let server = try BridgeServer(configuration)
    let hosted = AppHost.makeApp(on: server)
    let windows = AppWindows(of: server, in: engine)
    let app = try await BridgedApp(hosting: hosted, on: server, in: engine)
    let scene = sceneDelegate()
    UIApplication.shared.launch(delegate(), sceneDelegate: { _ in scene })
    let result: Result<Value, any Error>
    do { result = .success(try await body(app)) } catch { result = .failure(error) }
    UIApplication.shared.end()
    windows.close()
    await server.stop()
    return try result.get()
}

/// Whose turn it is to have the only `UIApplication`.
@MainActor private enum AppTurn {
    private static var isTaken = false
    private static var waiting: [CheckedContinuation<Void, Never>] = []

    static func take() async {
        guard isTaken else { return isTaken = true }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// The turn stays taken if somebody waits for it.
    static func pass() {
        guard !waiting.isEmpty else { return isTaken = false }
        waiting.removeFirst().resume()
    }
}
