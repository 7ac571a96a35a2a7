import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// What Turbo 8 does otherwise than Turbo 7, in a page with an import map and modules, as in Rails.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4)), .browserTurns) struct Turbo8Tests {
    @Test(.needs(.turbo8), arguments: BrowserEngine.allCases.tried)
    func tourPasses(_ engine: BrowserEngine) async throws {
        try await Turbo8Fixture.run(engine) { tour in
            try await tour.visits()
            try await tour.prefetches()
            try await tour.refreshes()
            try await tour.submits()
            try await tour.visitsFrames()
            try await tour.fails()
            if ProcessInfo.processInfo.environment["BRIDGED_WRITE_RECORDINGS"] != nil, engine == .chromium {
                try tour.writeRecording()
            }
        }
    }

    /// hotwire-native-android 143, turbo-ios 31, 52, 64: a phone's spinner stays.
    @Test(.needs(.turbo8), arguments: BrowserEngine.allCases.tried)
    func turboThatStartsAfterTheLoad_endsNoVisit(_ engine: BrowserEngine) async throws {
        try await Turbo8Fixture.run(engine) { tour in
            for session in tour.emulated.sessions.values { session.readyTimeout = .seconds(1) }
            try tour.emulated.perform("relaunch", ["url": tour.web.url + "/late"])
            let problem = try await tour.problem("turboLate")
            #expect(try /^Turbo started [0-9.]+ s after the load event/.prefixMatch(in: problem.text) != nil)
            #expect(tour.isLoading)
            #expect(try await tour.app.evaluate("typeof Turbo") == "object")
            // With the adapter of the frameworks it is the same.
            #expect(tour.emulated.sessions[.main]?.turbo.isReady == false)
        }
    }

    /// The response comes to an adapter that has not seen the visit begin. Those of the frameworks do not show it.
    @Test(.needs(.turbo8), arguments: BrowserEngine.allCases.tried)
    func visitBeforeTheAdapter_isNotShown(_ engine: BrowserEngine) async throws {
        try await Turbo8Fixture.run(engine) { tour in
            try tour.emulated.perform("relaunch", ["url": tour.web.url + "/early"])
            try await tour.ended("Early", ["/early"])
            #expect(try await tour.app.evaluate("document.querySelector('h1').textContent") == "Early")
        }
    }

    /// WebKit has no interface objects, which Android's bridge needs.
    nonisolated private static let platforms =
        BrowserEngine.allCases.tried.map { ($0, Platform.ios) } + [(.chromium, .android), (.firefox, .android)]

    /// On Android, main's web view shows the modal, too.
    @Test(
        .needs(.turbo8, .stimulus, .hotwireNativeBridge),
        arguments: platforms)
    func formComponentInAModal_works(_ engine: BrowserEngine, _ platform: Platform) async throws {
        try await Turbo8Fixture.run(engine, platform) { tour in
            try tour.emulated.perform("relaunch", ["url": tour.web.url + "/components"])
            try await tour.ended("Components", ["/components"])
            try tour.emulated.perform("visit", ["url": "/components/new"])
            try await tour.eventually("the button") {
                JSONValue.object(tour.emulated.state)["modal"]?[0]?["components"]?["form"]?["title"] == "Save"
            }
            try await tour.emulated.perform("form.submit").arrive()
            try await tour.ended("Item 1", nil)
            #expect(tour.emulated.navigation.modal == [] && tour.problems == [])
        }
    }

    /// The frameworks' adapter lets the cached page cancel the response. The app goes on, as a phone's user does.
    @Test(.needs(.turbo8, .stimulus, .hotwireNativeBridge), arguments: BrowserEngine.allCases.tried)
    func redirectToACachedPage_isLost_andSaysSo(_ engine: BrowserEngine) async throws {
        try await Turbo8Fixture.run(engine) { tour in
            try tour.emulated.perform("relaunch", ["url": tour.web.url + "/components"])
            for isCached in [false, true] {
                try await tour.ended("Components", ["/components"])
                try tour.emulated.perform("visit", ["url": "/components/new"])
                try await tour.eventually("the button") {
                    JSONValue.object(tour.emulated.state)["modal"]?[0]?["components"]?["form"]?["title"] == "Save"
                        && !tour.isLoading
                }
                try await tour.emulated.perform("form.submit").arrive()
                if isCached {
                    let problem = try await tour.problem("responseLost")
                    #expect(problem.text.contains("/items/1, which Turbo shows from its cache"), "\(problem.text)")
                } else {
                    try await tour.ended("Item 1", nil)
                }
                #expect(tour.emulated.visit(in: "main") == .ended)
                try tour.emulated.perform("back")
            }
            try await tour.ended("Components", ["/components"])
        }
    }

    /// A component of @hotwired/hotwire-native-bridge with Stimulus.
    @Test(
        .needs(.turbo8, .stimulus, .hotwireNativeBridge),
        arguments: platforms)
    func componentOfARealPage_works(_ engine: BrowserEngine, _ platform: Platform) async throws {
        try await Turbo8Fixture.run(engine, platform) { tour in
            try tour.emulated.perform("relaunch", ["url": tour.web.url + "/components"])
            try await tour.ended("Components", ["/components"])
            try await tour.eventually("the button") {
                JSONValue.object(tour.emulated.state)["main"]?[0]?["components"]?["button"]?["right"]?["title"]
                    == "Edit"
            }
            try tour.emulated.perform("button.tap")
            try await tour.app.wait(until: "document.title == 'Tapped'")
            #expect(try await tour.app.evaluate("document.documentElement.dataset.bridgeComponents.includes('button')"))
        }
    }
}

/// A driven browser with the app of Tests/TurboApp.
@MainActor private struct Turbo8Fixture {
    let app: BridgedApp
    let emulated: EmulatedApp
    let web: WebApp
    private let notes = TourNotes()

    static func run(
        _ engine: BrowserEngine, _ platform: Platform = .ios, _ body: @MainActor (Turbo8Fixture) async throws -> Void
    ) async throws {
        try requireDriven(engine)
        let web = try await WebApp.asInRails()
        var configuration = EmulatedApp.Configuration()
        configuration.framework = platform == .ios ? .ios13 : .android13
        let rules = #"{"rules":[{"patterns":["/components/new$"],"properties":{"context":"modal"}}]}"#
        configuration.pathConfiguration = PathConfiguration(
            sources: [.data(Data(rules.utf8))], options: configuration.framework.pathOptions())
        try await withBridgedApp(driving: engine, app: configuration) { app in
            app.timeout = .seconds(30)
            try await app.open(web.url + "/")
            let fixture = Turbo8Fixture(app: app, emulated: try #require(app.emulatedApp), web: web)
            #expect(!fixture.isLoading)
            try await fixture.ended("Home", ["/"])
            try await body(fixture)
        }
    }

    // MARK: The tour

    func visits() async throws {
        // turbo:load of the first page comes after its load, and later once in each visit, after the rendering.
        try await app.wait(until: "events.includes('load')")
        #expect(try await events() == ["load"])
        try await app.run("document.getElementById('player').textContent = 'sings'")
        try await app.tap("#items")
        try await ended("Item 1", ["/", "/items/1"])
        #expect(try await events() == ["visit", "before-render replace", "render replace", "load"])
        // The element is the same one in both pages.
        #expect(try await app.evaluate("document.getElementById('player').textContent") == "sings")
        try await back("Home", ["/"])
        // A link to a place in the page. Since 8.0.21 it is a visit, which the same screen shows.
        try await app.tap("#anchor")
        try await app.wait(until: "scrollY > 1000")
        try await ended("Home", ["/"])
        try await back("Home", ["/"], by: "relaunch")
        // The browser animates, and the visit ends as any other.
        let animates: Bool = try await app.evaluate("!!document.startViewTransition")
        try await app.run(
            """
            window.transitions = 0
            const start = document.startViewTransition?.bind(document)
            if (start) document.startViewTransition = (update) => { window.transitions += 1; return start(update) }
            """)
        try await app.tap("#transition")
        try await ended("Transition", ["/", "/transition"])
        #expect(try await app.evaluate("window.transitions") == (animates ? 1 : 0))
        try await back("Home", ["/"])
    }

    func prefetches() async throws {
        _ = try await requests()
        let hover = """
            const wait = (ms) => new Promise((end) => setTimeout(end, ms))
            document.getElementById("hovered").dispatchEvent(new MouseEvent("mouseenter"))
            await wait(300)
            // What a browser dispatches after a touch.
            for (const name of ["touchstart", "touchend", "mouseenter"]) {
              document.getElementById("touched").dispatchEvent(new Event(name))
            }
            await wait(300)
            return true
            """
        #expect(try await app.callAsync(hover))
        #expect(try await requests() == [])
        // Without the adapter's answer Turbo would have requested both.
        try await app.run("turboNative.linkPrefetchingIsEnabledForLocation = () => true")
        #expect(try await app.callAsync(hover))
        var prefetched: [String] = []
        while prefetched.count < 2 { prefetched += try await requests() }
        #expect(prefetched == ["GET /hovered", "GET /touched"])
    }

    func refreshes() async throws {
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#morph")
        try await ended("Morph", ["/", "/morph"])
        try await refresh(
            "document.body.insertAdjacentHTML('beforeend', '<turbo-stream action=refresh></turbo-stream>')")
        try await refresh("document.getElementById('same').click()")
        try await back("Home", ["/"])
    }

    /// Runs a script that refreshes the page, and expects that Turbo morphs it: the elements, the scroll position and the
    /// screen stay.
    private func refresh(_ script: String) async throws {
        _ = try await events()
        let count: String = try await app.evaluate("document.getElementById('count').textContent")
        try await app.run("document.getElementById('kept').isTheSame = true; scrollTo(0, 500)")
        try await app.run(script)
        try await app.wait(until: "document.getElementById('count').textContent != '\(count)'")
        try await ended("Morph", ["/", "/morph"])
        #expect(try await app.evaluate("document.getElementById('kept').isTheSame === true"))
        #expect(try await app.evaluate("scrollY") as Double == 500)
        #expect(try await events().contains("render morph"))
        #expect(messages("visitProposalRefreshingPage") > 0)
    }

    func submits() async throws {
        try await app.tap("#form")
        try await ended("New item", ["/", "/items/new"])
        try await app.tap("#save")
        try await app.wait(until: "document.getElementById('error').textContent == 'A title is missing'")
        try await app.tap("#stream")
        try await app.wait(until: "document.getElementById('target').textContent == 'new'")
        #expect(paths == ["/", "/items/new"] && problems == [])
        // Turbo refuses a form that ends without a redirect.
        try await app.tap("#refused")
        let refusal = try await problem("formRefused")
        #expect(refusal.text.hasPrefix("POST \(web.url)/refused was answered with 200 and without a redirect."))
        // The user does not see an answer that is not HTML.
        try await app.tap("#failing")
        #expect(
            try await problem("serverError").text.hasSuffix(
                #"/failing was answered with 502, and the app shows nothing of the answer: "Bad gateway""#))
        try await app.run("document.getElementById('title').value = 'Hello'")
        try await app.tap("#save")
        try await ended("Item 1", nil)
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#form")
        try await ended("New item", ["/", "/items/new"])
        try await app.tap("#failing-html")
        try await app.wait(until: "!!document.getElementById('sorry')")
        #expect(try await problem("serverError").text.contains(" 500"))
    }

    func visitsFrames() async throws {
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#frames")
        try await ended("List 1", ["/", "/list"])
        // A frame without an action is no visit.
        try await app.tap("#inside")
        try await app.wait(until: "!!document.getElementById('came')")
        #expect(paths == ["/", "/list"])
        // After one with the action advance, Turbo visits the page's new URL, which the adapter takes for a refresh.
        try await app.tap("#next")
        try await app.wait(until: "document.getElementById('row')?.textContent == 'row 2'")
        try await ended("List 2", ["/", "/list"])
    }

    func fails() async throws {
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#tracked")
        let tracked = try await problem("doubleVisit")
        #expect(tracked.text.contains("tracked_element_mismatch"), "\(tracked.text)")
        #expect(
            tracked.hint.contains("Only the new page has <link rel=\"stylesheet\" href=\"/only.css\""),
            "\(tracked.hint)")
        try await ended("Tracked", ["/", "/tracked"])
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#control")
        #expect(try await problem("doubleVisit").text.contains("turbo_visit_control_is_reload"))
        try await ended("Control", ["/", "/control"])
        try await back("Home", ["/"], by: "relaunch")
        try await app.tap("#broken")
        #expect(
            try await problem("serverError").text.hasSuffix(
                #"/broken was answered with 500, and the app shows nothing of the answer: "Broken The database is away""#
            ))
    }

    // MARK: What happened

    func back(_ title: String, _ main: [String], by action: String = "back") async throws {
        note(["perform": .string(action)])
        try emulated.perform(action)
        try await ended(title, main)
    }

    /// Waits until the visit has ended, and checks the screens.
    func ended(_ title: String, _ main: [String]?, location: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(title), and no visit; found \(emulated.visibleScreen?.title ?? "") \(isLoading)") {
            !isLoading && emulated.visibleScreen?.title == title
        }
        try await app.wait(until: "document.title == '\(title)' && document.readyState == 'complete'")
        if let main { #expect(paths == main, sourceLocation: location) }
        note(["main": .array(paths.map { .string($0) })])
    }

    private func note(_ step: JSONValue) { notes.steps.append((app.server.traffic.lastRecord, step)) }

    /// Writes what the page posted, what the app called, and what its user did, for `RecordedTurboTests`.
    func writeRecording() throws {
        let recording = TourRecording(app.traffic, notes.steps, origin: web.url)
        try recording.text.write(
            to: Repository.file("Tests/EmulatedAppTests/Recordings/turbo/tour.json"), atomically: true, encoding: .utf8)
    }

    var isLoading: Bool { emulated.tabs.allSessions.contains(where: \.isVisiting) }
    var paths: [String] { emulated.navigation.main.map { $0.url.path } }

    func events() async throws -> [String] { try await app.evaluate("window.events?.splice(0) ?? []") }

    /// The requests since the last call.
    func requests() async throws -> [String] {
        let text: String = try await app.evaluate("fetch('/log').then((log) => log.text())", awaitingPromise: true)
        return text.split(separator: "\n").map(String.init)
    }

    func messages(_ name: String) -> Int {
        app.traffic.count { if case .message("turbo", name, _, _, _) = $0.event { true } else { false } }
    }

    var problems: [String] {
        app.traffic.compactMap { if case .problem(let code, _, _, _, _) = $0.event { code } else { nil } }
    }

    /// The next problem of that code.
    func problem(_ code: String) async throws -> (text: String, hint: String) {
        let record = try await app.nextRecord(TrafficFilter([.init(.kind, "problem"), .init(.reason, code)]))
        return (record.json["text"]?.string ?? "", record.json["hint"]?.string ?? "")
    }

    func eventually(_ what: String, _ isTrue: () -> Bool) async throws {
        let deadline = ContinuousClock.now + app.timeout
        while !isTrue() {
            guard ContinuousClock.now < deadline else { throw app.failure(what, "it did not come") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
