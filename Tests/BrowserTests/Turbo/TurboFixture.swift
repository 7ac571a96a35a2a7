import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// A daemon, its emulated app, a web app and a browser, in which scenarios run one after the other.
@MainActor final class TurboFixture {
    let app: BridgedApp
    let web: WebApp
    let library: WebApp.Library
    private var name = ""
    /// The number of the last record that a scenario has already checked.
    private var mark = 0

    let engine: Browser.Engine
    /// Whether the page learns of its loads before they begin, as in Chromium and in WebKitGTK since 2.52 (`web/bridge/loads.js`).
    let asksAboutLoads: Bool

    private init(
        _ app: BridgedApp, _ web: WebApp, _ library: WebApp.Library, in engine: Browser.Engine, asksAboutLoads: Bool
    ) {
        self.engine = engine
        self.asksAboutLoads = asksAboutLoads
        self.app = app
        self.web = web
        self.library = library
    }

    /// Starts everything, opens the web app's first page and runs `body`.
    static func run(
        _ engine: Browser.Engine, _ library: WebApp.Library, on platform: Platform = .ios, adapter: String? = nil,
        _ body: @MainActor (TurboFixture) async throws -> Void
    ) async throws {
        try requireInstalled(engine)
        try #require(library.file.isAtHand, Comment(rawValue: library.file.absence))
        let server = try BridgeServer()
        var configuration = EmulatedApp.Configuration()
        configuration.framework = platform == .ios ? .ios13 : .android13
        // iOS waits 30 s, which is too long for a test.
        configuration.framework.turboLoadTimeout = .seconds(4)
        configuration.pathConfiguration = PathConfiguration(
            sources: [.file(Repository.file("Examples/TurboApp/path-configuration.json"))],
            options: .init(platform: platform))
        configuration.signInURL = URL(string: "/session")
        configuration.turboAdapter = adapter
        let app = try await BridgedApp(
            .attached(engine), server: server, emulatedApp: EmulatedApp(server: server, configuration))
        app.timeout = .seconds(20)
        do {
            let web = try await WebApp(library, bridge: "http://localhost:\(app.address.port)/bridge.js")
            try await app.open(web.url + "/")
            let hasEvent: Bool = try await app.evaluate(
                "!!window.NavigateEvent && 'sourceElement' in NavigateEvent.prototype")
            let fixture = TurboFixture(
                app, web, library, in: engine, asksAboutLoads: hasEvent && engine != .firefox)
            _ = try await server.traffic.next(loaded, after: 0, timeout: .seconds(30))
            try await body(fixture)
            await app.close()
        } catch {
            await app.close()
            throw error
        }
    }

    /// Relaunches the app at a path and runs a scenario. Failures name the scenario.
    func scenario(_ name: String, at path: String = "/", _ body: @MainActor () async throws -> Void) async throws {
        self.name = name
        mark = app.server.traffic.lastRecord
        try perform("relaunch", ["url": "\(web.url)\(path)"])
        try await expect(["turboIsReady", "pageLoaded"], main: [path])
        try await body()
    }

    /// Runs `body` while loads time out after 2 seconds. A short limit for all scenarios would make them fail on a busy
    /// machine.
    func withShortLoads(_ body: () async throws -> Void) async throws {
        let sessions = app.emulatedApp?.sessions.values.map { ($0, $0.loadTimeout) } ?? []
        for (session, _) in sessions { session.loadTimeout = .seconds(2) }
        defer { for (session, timeout) in sessions { session.loadTimeout = timeout } }
        try await body()
    }

    var isIOS: Bool { app.emulatedApp?.configuration.framework.platform == .ios }

    /// Whether the app keeps the result of a form without Turbo on its screen: on iOS, if the browser asks about loads.
    var asksAboutForms: Bool { isIOS && asksAboutLoads }

    // MARK: Actions

    func perform(_ action: String, _ arguments: Action.Arguments = [:]) throws {
        try app.emulatedApp?.perform(action, arguments)
    }

    /// Leaves a screen and returns to an earlier one.
    ///
    /// On Android it waits first. Turbo caches pages in a timer, and in Firefox on a busy machine the timers of a page
    /// that waited for a synchronous answer fire late.
    func leave(by action: String) async throws {
        if !isIOS { try await settle() }
        try perform(action)
    }

    func tap(_ selector: String) async throws { try await app.tap(selector) }

    // MARK: Expectations

    /// Checks the messages to `turbo` since the last check, in order, and then the stacks, the title and the error on
    /// the screen.
    func expect(
        _ messages: [String], main: [String], modal: [String] = [], title: String? = nil,
        error: String? = nil, location: SourceLocation = #_sourceLocation
    ) async throws {
        try await waitForMessages(messages.count)
        let came = inOrderOfEngine(takeMessages().map(\.text))
        #expect(came == inOrderOfEngine(inOrderOfPlatform(messages)), "\(name): \(came)", sourceLocation: location)
        try await expectScreens(main, modal, title, error, location)
    }

    /// Checks two visits that overlap, so that their messages are interleaved in any order: `messages` are those that
    /// belong to no visit, and `visits` those of each visit, in the order in which the visits began.
    func expect(
        _ messages: [String], visits: [[String]], main: [String], title: String? = nil,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        try await waitForMessages(messages.count + visits.joined().count)
        let came = takeMessages()
        var identifiers: [String?] = [nil]
        for message in came where !identifiers.contains(message.visit) { identifiers.append(message.visit) }
        let sequences = identifiers.map { identifier in came.filter { $0.visit == identifier }.map(\.text) }
        let expected = [messages] + visits.map(inOrderOfPlatform)
        #expect(sequences == expected, "\(name): \(came)", sourceLocation: location)
        try await expectScreens(main, [], title, nil, location)
    }

    /// iOS's adapter reports a completed visit at once and a rendered one after the next repaint. Android's reports both
    /// after the repaint, and Turbo renders first.
    private func inOrderOfPlatform(_ messages: [String]) -> [String] {
        guard !isIOS else { return messages }
        var result = messages
        for index in result.indices.dropLast() where result[index...index + 1] == ["visitCompleted", "visitRendered"] {
            result.swapAt(index, index + 1)
        }
        return result
    }

    /// In WebKit, Turbo may have a response before it notices that the request has ended.
    private func inOrderOfEngine(_ messages: [String]) -> [String] {
        guard engine == .webKitGTK else { return messages }
        var result = messages
        for index in result.indices.dropLast()
        where result[index + 1] == "visitRequestFinished"
            && ["visitRequestCompleted", "visitRequestFailed"].contains(result[index])
        {
            result.swapAt(index, index + 1)
        }
        return result
    }

    private func expectScreens(
        _ main: [String], _ modal: [String], _ title: String?, _ error: String?, _ location: SourceLocation
    ) async throws {
        let scenario = Comment(rawValue: name)
        #expect(paths(.main) == main, scenario, sourceLocation: location)
        #expect(paths(.modal) == modal, scenario, sourceLocation: location)
        #expect(shownError == error, scenario, sourceLocation: location)
        guard let title else { return }
        try await eventually("the title \(title)") { app.emulatedApp?.visibleScreen?.title == title }
    }

    private func waitForMessages(_ count: Int) async throws {
        var (after, missing) = (mark, count)
        while missing > 0 {
            do {
                let record = try await app.server.traffic.next(Self.turbo, after: after, timeout: app.timeout)
                after = record.number
                if !record.text.contains("\"turboFinding\"") { missing -= 1 }
            } catch {
                return  // The comparison that follows reports the missing messages.
            }
        }
    }

    private static let turbo = TrafficFilter([.init(.kind, "message"), .init(.handler, "turbo", "TurboSession")])

    private static let loaded = TrafficFilter([.init(.name, "pageLoaded")])

    func takeMessages() -> [(text: String, visit: String?)] {
        let records = app.traffic.filter { $0.record > mark }
        mark = records.last?.record ?? mark
        return records.compactMap { record in
            // Only bridged's own script posts findings, which are about a page and no part of a visit.
            guard case .message(let handler, let name, let body, _, let verdict) = record.event, let name,
                ["turbo", "TurboSession"].contains(handler), name != "turboFinding"
            else { return nil }
            let text = verdict.outcome == .handled ? "" : " \(verdict.reason?.rawValue ?? "")"
            guard handler == "TurboSession" else { return (name + text, body.json["data"]?["identifier"]?.string) }
            return (iOSName(of: name, body) + text, visit(of: name, body))
        }
    }

    /// Returns iOS's name of an event. Android uses other names for some, and one method for both kinds of failure.
    private func iOSName(of method: String, _ arguments: ScriptValue) -> String {
        switch method {
        case "turboFailedToLoad": "pageLoadFailed"
        case "visitProposedToLocation": "visitProposed"
        case "visitRequestFailedWithStatusCode":
            (arguments.child(index: 3)?.number ?? 0) > 0
                ? "visitRequestFailed" : "visitRequestFailedWithNonHttpStatusCode"
        default: method
        }
    }

    /// Returns the identifier of the visit among the arguments, or nil if the event belongs to no visit.
    private func visit(of method: String, _ arguments: ScriptValue) -> String? {
        if method == "visitRequestFailedWithStatusCode" { return arguments.child(index: 1)?.string }
        // `visitProposedToLocation` and the names that begin with `visitProposal` are about a visit that does not exist yet.
        guard method.hasPrefix("visit"), !method.hasPrefix("visitPropos") else { return nil }
        return arguments.child(index: 0)?.string
    }

    /// Returns the paths of a stack's screens, bottom to top.
    func paths(_ stack: NavigationStack) -> [String] {
        (app.emulatedApp?.navigation[stack] ?? []).map { screen in
            screen.isWeb ? screen.url.absoluteString.replacing(web.url, with: "") : screen.name
        }
    }

    /// The HTTP status, the code or the name of the error that the visible screen shows; nil if it shows none.
    var shownError: String? {
        let state = JSONValue.object(app.emulatedApp?.state ?? [])
        let stack = app.emulatedApp?.navigation.visibleStack.rawValue ?? ""
        let error = state[stack]?.elements?.last?["error"]
        let code = error?["statusCode"]?.number ?? error?["errorCode"]?.number
        return code.map { "\(Int($0))" } ?? error?["cause"]?.string ?? error?["error"]?.string
    }

    /// Waits for a condition that no record reports.
    func eventually(_ what: String, _ isTrue: () -> Bool) async throws {
        let deadline = ContinuousClock.now + app.timeout
        while !isTrue() {
            guard ContinuousClock.now < deadline else { throw app.failure(what, "it did not come in \(name)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits for the repaint after a visit, and skips the messages that have arrived.
    func settle() async throws {
        try await app.run("window.hasSettled = false; setTimeout(() => { window.hasSettled = true }, 100)")
        try await app.wait(until: "window.hasSettled")
        _ = takeMessages()
    }

    func problems() -> [String] {
        app.traffic.compactMap { if case .problem(let code, _, _, _, _) = $0.event { code } else { nil } }
    }
}
