import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// What the session of iOS visits when the user begins to swipe back, and lets go; see hotwire-native-ios, `Session.swift`,
/// `visitableViewWillAppear` and `visitableViewDidAppear`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct BackSwipeTests {
    private static let origin = PageFixture.origin

    private func run(
        _ framework: Framework = .ios13, _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run {
            $0.framework = framework
            $0.handle = { $0.url.path == "/numbers" ? .acceptCustom("numbers") : .accept }
        } _: { fixture in
            if framework.platform == .ios { try await fixture.boot() }
            try await body(fixture)
        }
    }

    private func push(_ path: String, _ fixture: PageFixture) throws {
        fixture.app.route(try #require(URL(string: Self.origin + path)))
    }

    private func cancelBack(_ fixture: PageFixture) throws { try fixture.app.perform("back", ["cancelled": "true"]) }

    private func call(_ path: String, _ action: String, _ identifier: String?) -> String {
        let identifier = identifier.map { "\"\($0)\"" } ?? "null"
        return "window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("
            + #""\#(Self.origin)\#(path)",{"action":"\#(action)"},\#(identifier))"#
    }

    private func complete(_ identifier: String, _ fixture: PageFixture) async throws {
        try await fixture.post("visitStarted", #"{"identifier":"\#(identifier)"}"#)
        try await fixture.post(
            "visitCompleted", #"{"identifier":"\#(identifier)","restorationIdentifier":"r-\#(identifier)"}"#)
    }

    @Test(arguments: [Framework.ios12, .ios13, .turboNavigator])
    func cancelledSwipe_restoresTheScreenBeneath_andThenTheOneOnTop(_ framework: Framework) async throws {
        try await run(framework) { fixture in
            try push("/posts", fixture)
            #expect(try await fixture.script() == call("/posts", "advance", nil))
            try await complete("v-1", fixture)
            try cancelBack(fixture)
            #expect(try await fixture.script() == call("/", "restore", "r-0"))
            #expect(try await fixture.script() == call("/posts", "restore", "r-v-1"))
            #expect(fixture.main == ["/", "/posts"] && fixture.app.sessions[.main]?.isVisiting == true)
            // Turbo names the cancelled visit, too.
            try await fixture.post("visitStarted", #"{"identifier":"v-2"}"#)
            try await complete("v-3", fixture)
            #expect(fixture.app.sessions[.main]?.isVisiting == false)
            try fixture.app.perform("back")
            #expect(try await fixture.script() == call("/", "restore", "r-0"))
            #expect(fixture.main == ["/"])
        }
    }

    /// The visit of the screen beneath cancels the one that is under way, so that it is no longer completed.
    @Test func swipeFromAScreenThatLoads_visitsItAnew() async throws {
        try await run { fixture in
            try push("/posts", fixture)
            #expect(try await fixture.script() == call("/posts", "advance", nil))
            try await fixture.post("visitStarted", #"{"identifier":"v-1"}"#)
            try cancelBack(fixture)
            #expect(try await fixture.script() == #"window.turboNative.cancelVisitWithIdentifier("v-1")"#)
            #expect(try await fixture.script() == call("/", "restore", "r-0"))
            #expect(try await fixture.script() == call("/posts", "advance", nil))
        }
    }

    @Test func swipeFromANativeScreen_restoresTheOneBeneath() async throws {
        try await run { fixture in
            try push("/numbers", fixture)
            #expect(try await fixture.script() == "window.turboNative.cacheSnapshot()")
            try cancelBack(fixture)
            #expect(try await fixture.script() == call("/", "restore", "r-0"))
            #expect(fixture.main == ["/", "/numbers"])
        }
    }

    @Test func swipeToANativeScreen_visitsNothing() async throws {
        try await run { fixture in
            try push("/numbers", fixture)
            #expect(try await fixture.script() == "window.turboNative.cacheSnapshot()")
            try push("/posts", fixture)
            #expect(try await fixture.script() == call("/posts", "advance", nil))
            try await complete("v-1", fixture)
            try cancelBack(fixture)
            try push("/next", fixture)
            #expect(try await fixture.script() == call("/next", "advance", nil))
        }
    }

    @Test func refusesSwipes_thatTheScreenDoesNotAllow() async throws {
        try await run { fixture in
            let refusal = try #require(throws: ActionRefusal.self) { try cancelBack(fixture) }
            #expect(refusal.description == "main shows its first screen.")
        }
        try await run(.android13) { fixture in
            let refusal = try #require(throws: ActionRefusal.self) { try cancelBack(fixture) }
            #expect(refusal.description == "Android's frameworks learn nothing of a gesture that the user cancels.")
        }
    }
}
