import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// Tabs: each has its own stacks, and all share the page of `main`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct TabTests {
    private func withTabs(
        _ tabs: [(String, String)] = [("Home", "/"), ("Posts", "/posts")],
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run { configuration in
            configuration.tabs = tabs.compactMap { title, path in
                URL(string: path).map { EmulatedApp.Tab(title: title, url: $0) }
            }
            configuration.handle = { $0.url.path == "/numbers" ? .acceptCustom("numbers") : .accept }
        } _: { fixture in
            try await body(fixture)
        }
    }

    @Test func keepsTheStackOfEachTab() async throws {
        try await withTabs { fixture in
            try await fixture.boot()
            try fixture.tapTab("Posts")
            #expect(try await fixture.visit("v-1") == #""http://localhost:3000/posts",{"action":"advance"},null"#)
            try await fixture.post(
                "visitProposed", #"{"location":"http://localhost:3000/posts/1","options":{"action":"advance"}}"#)
            #expect(try await fixture.visit("v-2") == #""http://localhost:3000/posts/1",{"action":"advance"},null"#)
            #expect(fixture.stacks == [["/"], ["/posts", "/posts/1"]] && fixture.main == ["/posts", "/posts/1"])
            try fixture.tapTab("1")
            #expect(try await fixture.visit("v-3") == #""http://localhost:3000/",{"action":"restore"},"r-0""#)
            #expect(fixture.stacks == [["/"], ["/posts", "/posts/1"]] && fixture.main == ["/"])
            try fixture.tapTab("Posts")
            #expect(try await fixture.visit("v-4") == #""http://localhost:3000/posts/1",{"action":"restore"},"v-2""#)
            // UIKit pops to the root if the selected tab is tapped.
            try fixture.tapTab("Posts")
            #expect(try await fixture.visit("v-5") == #""http://localhost:3000/posts",{"action":"restore"},"v-1""#)
            #expect(fixture.stacks == [["/"], ["/posts"]])
        }
    }

    @Test func updatesTheScreenOfTheVisitsTab() async throws {
        try await withTabs([("Home", "/"), ("Numbers", "/numbers")]) { fixture in
            try fixture.tapTab("Numbers")
            try await fixture.boot()
            let screens = fixture.app.tabs.navigators.compactMap { $0?.state.main.first }
            #expect(screens.map(\.title) == ["Test", nil] && screens.map(\.id) == [1, 2])
            #expect(screens.last?.kind == .native("numbers"))
        }
    }

    @Test func startsInTheTabThatTheBrowserOpened() async throws {
        try await withTabs([("Posts", "/posts"), ("Home", "/")]) { fixture in
            try await fixture.boot()
            #expect(fixture.app.selectedTab == 1 && fixture.stacks == [[], ["/"]])
            try fixture.perform("relaunch")
            #expect(fixture.app.selectedTab == 0 && fixture.stacks == [["/posts"], []])
            #expect(try await fixture.destination() == "http://localhost:3000/posts")
        }
    }

    @Test(arguments: [
        (Framework.ios13, TabBarHiding?.none, [true, true, false]), (.ios13, .whenPushed, [true, false, false]),
        (.ios13, .always, [true, true, false]), (.android13, nil, [true, true, false]),
        (.android13, .whenPushed, [true, true, false]), (.android13, .always, [false, false, false]),
    ])
    func tabBarIsVisible_onTheFirstScreen_onAPushedOne_andInAModal(
        _ framework: Framework, _ hiding: TabBarHiding?, _ expected: [Bool]
    ) async throws {
        try await PageFixture.run {
            $0.framework = framework
            $0.tabs = [EmulatedApp.Tab(title: "Home", url: try #require(URL(string: "/")))]
            $0.tabBarHiding = hiding
        } _: { fixture in
            _ = try await fixture.post("{}", to: "sync")
            let url = try #require(URL(string: PageFixture.origin + "/posts"))
            var seen = [fixture.app.tabs.isBarVisible]
            fixture.app.route(url)
            seen.append(fixture.app.tabs.isBarVisible)
            fixture.app.navigate("modal") { $0.route(VisitProposal(url: url, properties: ["context": "modal"])) }
            seen.append(fixture.app.tabs.isBarVisible)
            #expect(seen == expected)
        }
    }

    @Test func hiddenTabBar_cannotBeTapped() async throws {
        try await PageFixture.run {
            $0.tabs = [EmulatedApp.Tab(title: "Home", url: try #require(URL(string: "/")))]
            $0.tabBarHiding = .whenPushed
        } _: { fixture in
            try await fixture.boot()
            fixture.app.route(try #require(URL(string: PageFixture.origin + "/posts")))
            #expect(fixture.refusal("Home") == "the tab bar is hidden above a tab's first screen.")
        }
    }

    @Test func hiddenTab_cannotBeTapped_onAndroid() async throws {
        try await PageFixture.run {
            $0.framework = .android13
            $0.tabs = try ["/", "/posts", "/help"].map {
                EmulatedApp.Tab(title: $0, url: try #require(URL(string: $0)))
            }
            $0.hiddenTabs = ["/posts"]
        } _: { fixture in
            _ = try await fixture.post("{}", to: "sync")
            #expect(fixture.refusal("/posts") == "there is no tab '/posts'. The tabs are: /, /help.")
            try fixture.tapTab("2")
            #expect(fixture.app.selectedTab == 2)
        }
    }

    /// hotwire-native-ios 186; `BottomNavigationView.getMaxItemCount`.
    @Test(arguments: [
        (Framework.ios13, 6, String?.some("behind it")), (.android13, 6, "IllegalArgumentException"), (.ios13, 5, nil),
    ])
    func moreThanFiveTabs_areReported(_ framework: Framework, _ count: Int, _ text: String?) async throws {
        try await PageFixture.run {
            $0.framework = framework
            $0.tabs = try (1...count).map {
                EmulatedApp.Tab(title: "\($0)", url: try #require(URL(string: "/\($0)")))
            }
        } _: { fixture in
            let problems = fixture.problems("tooManyTabs")
            #expect(problems.count == (text == nil ? 0 : 1) && problems.allSatisfy { $0.contains(text ?? "") })
            #expect(problems.allSatisfy { !$0.contains("  ") })
        }
    }

    @Test func explainsWhyATabCannotBeTapped() async throws {
        try await PageFixture.run { fixture in
            #expect(fixture.refusal("Home")?.hasPrefix("the app has no tabs.") == true)
        }
        try await withTabs { fixture in
            try await fixture.boot()
            #expect(fixture.refusal("3") == "there is no tab '3'. The tabs are: Home, Posts.")
            fixture.app.navigate("modal") {
                $0.route(VisitProposal(url: fixture.app.navigation.main[0].url, properties: ["context": "modal"]))
            }
            #expect(fixture.refusal("Posts") == "a modal covers the tabs. dismissModal dismisses it.")
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

    /// The paths on the main stack of each tab.
    fileprivate var stacks: [[String]] {
        app.tabs.navigators.map { ($0?.state.main ?? []).map { $0.url.path } }
    }

    /// Simulates the visit that native code starts. The identifier is also the page's restoration identifier.
    /// - Returns: the arguments of the call.
    fileprivate func visit(_ identifier: String) async throws -> String {
        let call = try await script()
        try await post("visitStarted", #"{"identifier":"\#(identifier)"}"#)
        try await post("visitCompleted", #"{"identifier":"\#(identifier)","restorationIdentifier":"\#(identifier)"}"#)
        return String(
            call.dropFirst("window.turboNative.visitLocationWithOptionsAndRestorationIdentifier(".count).dropLast())
    }
}
