import BridgeYAML
import EmulatedApp
import Testing

@testable import BridgeTesting

/// Where a real app and the emulated one part, without a browser.
@MainActor struct FlowDifferenceTests {
    @Test(arguments: [
        (
            #"result.value = window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("http:\/\/a.b\/posts?p=2",{},"x")"#,
            "turboNative.visitLocationWithOptionsAndRestorationIdentifier /posts?p=2"
        ),
        ("window.turboNative.cacheSnapshot()", "turboNative.cacheSnapshot"),
        (#"window.nativeBridge.replyWith({"id":"1"})"#, "nativeBridge.replyWith"),
        ("document.title", nil),
    ])
    func calls_ofTheFrameworksAdapters_areTold(_ script: String, _ call: String?) {
        #expect(FlowHistory.call(in: script) == call)
    }

    private func result(
        app: String?, _ events: [FlowEvent] = [], stacks: String = "main: /", visiting path: String = "/"
    ) throws -> FlowResult {
        let text = "name: A\nsteps:\n  - open: /\n  - visit: \(path)\n"
        let flow = try Flow(YAMLFile(name: "f.yml", text: text))
        var result = FlowResult(
            flow: flow, engine: .attached(.chromium), framework: app == nil ? .ios13 : nil, app: app, duration: .zero)
        result.events = events
        result.navigations = [FlowNavigation(step: 1, stacks: stacks)]
        return result
    }

    @Test func whatDoesNotComeEquallyOften_isListed() throws {
        let request = FlowEvent(step: 1, kind: .request, text: "GET /posts 200")
        let call = FlowEvent(step: 1, kind: .call, text: "turboNative.cacheSnapshot")
        let shared = FlowEvent(step: 1, kind: .message, text: "turbo visitProposed")
        let own = FlowEvent(step: 1, kind: .message, text: "nativeApp PageLoaded")
        let progress = FlowEvent(step: 1, kind: .message, text: "turbo visitRendered")
        let difference = try #require(
            FlowDifference([
                try result(app: "Demo", [shared, request, call, progress]),
                try result(app: nil, [shared, request, request, own]),
            ]))
        let lines = difference.lines.filter { !$0.hasPrefix(" ") }
        #expect(lines == ["request GET /posts 200", "call turboNative.cacheSnapshot"])
        #expect(difference.lines[1].hasSuffix("1 times") && difference.lines[2].hasSuffix("2 times"))
    }

    /// Each run of a flow that creates a record gets another id.
    @Test(arguments: [
        (["main: / › /posts/7", "main: / › /posts/7/edit"], ["main: / › /posts/8", "main: / › /posts/8/edit"]),
        (["main: /posts/7   modal: /comments/7"], ["main: /posts/8   modal: /comments/9"]),
        (
            ["main: /orders/0b5c6f0e-5c44-4a0e-9b1c-3f1f6f0f2a11"],
            ["main: /orders/9c1c6f0e-5c44-4a0e-9b1c-3f1f6f0f2a12"]
        ),
        (["main: /posts/1", "main: /posts/7"], ["main: /posts/1", "main: /posts/8"]),
    ])
    func idsOfNewRecords_areAlike(_ stacks: [String], _ others: [String]) throws {
        var (one, other) = (try result(app: nil), try result(app: nil))
        one.navigations = stacks.map { FlowNavigation(step: 1, stacks: $0) }
        other.navigations = others.map { FlowNavigation(step: 1, stacks: $0) }
        #expect(FlowDifference([one, other]) == nil)
        #expect(FlowDifference([other, one, other]) == nil)
    }

    /// A number that is another record, or no id, stays a difference.
    @Test(arguments: [
        (["main: /posts/7", "main: /posts/7"], ["main: /posts/8", "main: /posts/9"]),
        (["main: /posts/7", "main: /posts/9"], ["main: /posts/8", "main: /posts/8"]),
        (["main: /posts/1", "main: /posts/2"], ["main: /posts/1", "main: /posts/1"]),
        (["main: /posts/7"], ["main: /posts/8/edit"]), (["main: /posts/7"], ["main: /comments/7"]),
        (["main: /posts/7"], ["main: /posts/7   modal: /posts/7"]), (["main: /v1.2"], ["main: /v1.3"]),
        (["main: /posts?page=1"], ["main: /posts?page=2"]), (["main: /posts/7"], ["main: /posts/new"]),
        // The flow names this one.
        (["main: /items/5"], ["main: /items/6"]),
    ])
    func otherRecords_areADifference(_ stacks: [String], _ others: [String]) throws {
        var (one, other) = (try result(app: nil, visiting: "/items/5"), try result(app: nil, visiting: "/items/5"))
        one.navigations = stacks.map { FlowNavigation(step: 1, stacks: $0) }
        other.navigations = others.map { FlowNavigation(step: 1, stacks: $0) }
        #expect(FlowDifference([one, other]) != nil)
        #expect(FlowDifference([other, one]) != nil)
    }

    /// A run for which there was no time says nothing about its app.
    @Test func runThatDidNotBegin_isNoDifference() throws {
        var (one, other) = (try result(app: nil), try result(app: nil))
        other.failure = FlowFailure(expected: "the run to end within 5m", found: "it did not begin")
        #expect(FlowDifference([one, other]) != nil)
        other.hasBegun = false
        #expect(FlowDifference([one, other]) == nil)
        #expect(PrettyReport.end([one, other]) == "1 of 2 failed, of which 1 did not begin.\n")
        one.failure = other.failure
        #expect(PrettyReport.end([one]) == "1 of 1 failed.\n")
    }

    /// A real app's requests for a new record, and a step that fails on both.
    @Test func idsOfNewRecords_areAlikeInEventsAndFailures() throws {
        func run(_ id: Int, app: String?, fails: Bool) throws -> FlowResult {
            var result = try result(
                app: app, [FlowEvent(step: 1, kind: .request, text: "GET /posts/\(id) 200")],
                stacks: "main: /posts/\(id)")
            let place = FlowFailure.Place(number: 1, line: 3, text: "open")
            if fails { result.failure = FlowFailure(step: place, expected: "a page", found: "http://h/posts/\(id)") }
            return result
        }
        #expect(FlowDifference([try run(7, app: "Demo", fails: false), try run(8, app: nil, fails: false)]) == nil)
        #expect(FlowDifference([try run(7, app: nil, fails: true), try run(8, app: nil, fails: true)]) == nil)
    }

    /// A real app's native screen is called by its class, that of the emulated app by its identifier.
    @Test func nativeScreens_areAlike_whateverTheirNames() throws {
        let own = try result(app: "Demo", [], stacks: "main: / › native:NumbersViewController")
        let emulated = try result(app: nil, [], stacks: "main: / › native:numbers")
        #expect(FlowDifference([own, emulated]) == nil)
        let other = try result(app: nil, [], stacks: "main: / › /numbers")
        #expect(FlowDifference([own, other]) != nil)
    }
}
