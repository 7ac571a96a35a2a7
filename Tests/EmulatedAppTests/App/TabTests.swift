import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// Tabs, each with stacks of its own, which the page of `main` serves in turn.
@MainActor @Suite(.timeLimit(.minutes(1))) struct TabTests {
    private func withTabs(
        _ tabs: [(String, String)] = [("Home", "/"), ("Posts", "/posts")],
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run { configuration in
            configuration.tabs = tabs.compactMap { title, path in
                URL(string: path).map { EmulatedApp.Tab(title: title, url: $0) }
            }
            configuration.handle = { $0.url.path == "/numbers" ? .acceptCustom("numbers") : .accept }
        } _: { hand in
            try await body(hand)
        }
    }

    @Test func keepsEachTabsStack_andComesBackToItsTopScreen() async throws {
        try await withTabs { hand in
            try await hand.boot()
            try hand.tapTab("Posts")
            #expect(try await hand.visit("v-1") == #""http://localhost:3000/posts",{"action":"advance"},null"#)
            try await hand.post(
                "visitProposed", #"{"location":"http://localhost:3000/posts/1","options":{"action":"advance"}}"#)
            #expect(try await hand.visit("v-2") == #""http://localhost:3000/posts/1",{"action":"advance"},null"#)
            #expect(hand.stacks == [["/"], ["/posts", "/posts/1"]] && hand.main == ["/posts", "/posts/1"])
            try hand.tapTab("1")
            #expect(try await hand.visit("v-3") == #""http://localhost:3000/",{"action":"restore"},"r-0""#)
            #expect(hand.stacks == [["/"], ["/posts", "/posts/1"]] && hand.main == ["/"])
            try hand.tapTab("Posts")
            #expect(try await hand.visit("v-4") == #""http://localhost:3000/posts/1",{"action":"restore"},"v-2""#)
            // As UIKit does with the tab that is selected.
            try hand.tapTab("Posts")
            #expect(try await hand.visit("v-5") == #""http://localhost:3000/posts",{"action":"restore"},"v-1""#)
            #expect(hand.stacks == [["/"], ["/posts"]])
        }
    }

    @Test func whatComesOfAVisit_belongsToItsTab() async throws {
        try await withTabs([("Home", "/"), ("Numbers", "/numbers")]) { hand in
            try hand.tapTab("Numbers")
            try await hand.boot()
            let screens = hand.app.navigators.compactMap { $0?.state.main.first }
            #expect(screens.map(\.title) == ["Test", nil] && screens.map(\.id) == [1, 2])
            #expect(screens.last?.kind == .native("numbers"))
        }
    }

    @Test func startsInTheTabThatTheBrowserOpened() async throws {
        try await withTabs([("Posts", "/posts"), ("Home", "/")]) { hand in
            try await hand.boot()
            #expect(hand.app.selectedTab == 1 && hand.stacks == [[], ["/"]])
            try hand.perform("relaunch")
            #expect(hand.app.selectedTab == 0 && hand.stacks == [["/posts"], []])
            #expect(try await hand.destination() == "http://localhost:3000/posts")
        }
    }

    @Test func saysWhyATabCantBeTapped() async throws {
        try await PageFixture.run { hand in
            #expect(hand.refusal("Home")?.hasPrefix("the app has no tabs.") == true)
        }
        try await withTabs { hand in
            try await hand.boot()
            #expect(hand.refusal("3") == "there is no tab '3'. The tabs are: Home, Posts.")
            hand.app.navigate("modal") {
                $0.route(VisitProposal(url: hand.app.navigation.main[0].url, properties: ["context": "modal"]))
            }
            #expect(hand.refusal("Posts") == "a modal covers the tabs. dismissModal dismisses it.")
        }
    }
}

extension PageFixture {
    fileprivate func perform(_ action: String, _ arguments: Action.Arguments = [:]) throws {
        try app.perform(action, arguments)
    }

    fileprivate func tapTab(_ tab: String) throws { try perform("tapTab", ["tab": tab]) }

    fileprivate func refusal(_ tab: String) -> String? {
        do { try tapTab(tab) } catch { return "\(error)" }
        return nil
    }

    /// Each tab's main stack.
    fileprivate var stacks: [[String]] {
        app.navigators.map { ($0?.state.main ?? []).map { $0.url.path } }
    }

    /// Plays the visit that native code asks for; the page is called as the visit is.
    /// - Returns: what it was asked with.
    fileprivate func visit(_ identifier: String) async throws -> String {
        let call = try await script()
        try await post("visitStarted", #"{"identifier":"\#(identifier)"}"#)
        try await post("visitCompleted", #"{"identifier":"\#(identifier)","restorationIdentifier":"\#(identifier)"}"#)
        return String(
            call.dropFirst("window.turboNative.visitLocationWithOptionsAndRestorationIdentifier(".count).dropLast())
    }
}
