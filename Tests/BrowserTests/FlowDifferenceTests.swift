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

    private func result(app: String?, _ events: [FlowEvent], stacks: String = "main: /") throws -> FlowResult {
        let flow = try Flow(YAMLFile(name: "f.yml", text: "name: A\nsteps:\n  - open: /\n"))
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

    /// A real app's native screen is called by its class, that of the emulated app by its identifier.
    @Test func nativeScreens_areAlike_whateverTheirNames() throws {
        let own = try result(app: "Demo", [], stacks: "main: / › native:NumbersViewController")
        let emulated = try result(app: nil, [], stacks: "main: / › native:numbers")
        #expect(FlowDifference([own, emulated]) == nil)
        let other = try result(app: nil, [], stacks: "main: / › /numbers")
        #expect(FlowDifference([own, other]) != nil)
    }
}
