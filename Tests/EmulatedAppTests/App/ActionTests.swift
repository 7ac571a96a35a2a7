import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// What actions of the app's user answer: the result, or why there is none.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ActionTests {
    @Test func actionThatChangesNothing_saysWhy() async throws {
        try await PageFixture.run {
            $0.handle = { $0.url.path == "/refused" ? .reject : .accept }
        } _: { fixture in
            try await fixture.boot()
            #expect(
                fixture.refusal("visit", ["url": "/nothing"]) == "nothing changed: the path configuration says none.")
            #expect(fixture.refusal("visit", ["url": "/refused"]) == "nothing changed: the app refuses it.")
            #expect(fixture.refusal("foreground") == "the app is in the foreground already.")
            #expect(fixture.refusal("background") == nil)
            #expect(fixture.refusal("background") == "the app is in the background already.")
            #expect(fixture.main == ["/"])
        }
    }

    @Test func tapOnTheSelectedTab_atItsFirstScreen_saysSo() async throws {
        try await PageFixture.run {
            $0.tabs = [URL(string: "/")].compactMap { $0.map { EmulatedApp.Tab(title: "Home", url: $0) } }
        } _: { fixture in
            try await fixture.boot()
            #expect(
                fixture.refusal("tapTab", ["tab": "Home"])
                    == "the tab Home is selected, and shows its first screen.")
        }
    }

    @Test func actionNamesTheReasonOfTheNewState() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let result = try fixture.app.perform("visit", ["url": "/posts"])
            #expect(result.why == ["the place is new and the action is advance: it is pushed"])
            try await result.arrive()
        }
    }

    private static let connect = """
        {"id":"1","component":"form","event":"connect",\
        "data":{"metadata":{"url":"http://localhost:3000/"},"submitTitle":"Save"}}
        """

    @Test func replyThatThePageDoesNotTake_failsTheAction() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post(Self.connect, to: "bridge")
            let taken = try fixture.app.perform("form.submit")
            #expect(try await fixture.script().contains(#""event":"connect""#))
            try await taken.arrive()

            let lost = try fixture.app.perform("form.submit")
            _ = try await fixture.script(#""error":{"code":4,"message":"TypeError: no nativeBridge"}"#)
            let error = await #expect(throws: ActionRefusal.self) { try await lost.arrive() }
            #expect(error?.description.hasPrefix("the reply did not reach the page: ") == true)
            _ = try await fixture.recorder.problem("componentReplyLost")
        }
    }

    /// The browser shows something else, such as an image, and no page is there to load what the action asks for.
    @Test func actionWithoutAPage_saysSo() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let left = try await waitForValue { (left: AsyncStream<Bool>.Continuation) in
                fixture.server.observePages { event, page in if !page.isAttached { left.yield(true) } }
                fixture.page.close(1000)
            }
            #expect(left)
            for (action, arguments) in [("visit", ["url": "/posts"]), ("relaunch", [:]), ("pullToRefresh", [:])] {
                #expect(
                    fixture.refusal(action, arguments)?.hasPrefix(
                        "no page is attached to main, so nothing can be loaded") == true, "\(action)")
            }
            #expect(fixture.main == ["/"])
        }
    }
}

extension PageFixture {
    /// Performs an action.
    /// - Returns: the reason for which the app refuses it; nil if it does not.
    func refusal(_ action: String, _ arguments: Action.Arguments = [:]) -> String? {
        do { try app.perform(action, arguments) } catch { return "\(error)" }
        return nil
    }
}
