import Foundation
import PathConfiguration
import Testing

@testable import EmulatedApp

/// How the stacks of an app for Android change; see `Navigator.kt`.
@Suite struct AndroidNavigatorTests {
    private static let configuration = """
        {"rules": [
          {"patterns": ["/$", "/clear$"], "properties": {"presentation": "clear_all"}},
          {"patterns": ["/new", "/edit", "/sheet"], "properties": {"context": "modal"}},
          {"patterns": ["/sheet", "/panel"], "properties": {"uri": "hotwire://fragment/web/modal/sheet"}},
          {"patterns": ["/numbers$"], "properties": {"uri": "hotwire://fragment/numbers"}},
          {"patterns": ["/root$"], "properties": {"presentation": "replace_root"}},
          {"patterns": ["/modal-root$"], "properties": {"presentation": "replace_root", "context": "modal"}}
        ]}
        """

    private func navigator(_ paths: String...) throws -> Navigator {
        let document = try PathConfigurationDocument(
            Data(Self.configuration.utf8), options: Framework.android13.pathOptions())
        var navigator = Navigator(
            startLocation: try url("/"), framework: .android13, properties: { document.properties(for: $0) },
            handle: { Framework.android13.nativeScreen(of: $0.properties).map { .acceptCustom($0) } ?? .accept })
        _ = navigator.start()
        for path in paths { _ = navigator.visitProposed(try url(path), action: .advance, redirected: false) }
        return navigator
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://app.test\(path)")) }

    /// Both stacks: those of the modal stand after a bar.
    private func stacks(_ navigator: Navigator) -> String {
        func names(_ screens: [Screen]) -> String {
            screens.map { $0.isWeb ? $0.url.path : $0.name }.joined(separator: " ")
        }
        let modal = navigator.state.modal
        return names(navigator.state.main) + (modal.isEmpty ? "" : " | " + names(modal))
    }

    private func propose(
        _ navigator: inout Navigator, _ path: String, _ action: VisitAction = .advance, redirected: Bool = false
    ) throws -> [String] {
        let effects = navigator.visitProposed(try url(path), action: action, redirected: redirected)
        return NavigationOutcome(navigator.state, effects).visits.map { "\($0.kind) \($0.action) \($0.url.path)" }
    }

    @Test func startDestinationIsShown_whateverItsRule() throws {
        #expect(stacks(try navigator()) == "/")
    }

    @Test func oneVisitFollowsAPush() throws {
        var navigator = try navigator()
        #expect(try propose(&navigator, "/a") == ["visit advance /a"])
        #expect(stacks(navigator) == "/ /a")
    }

    @Test func redirectPopsNothing() throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, "/b", .replace, redirected: true) == ["visit replace /b"])
        #expect(stacks(navigator) == "/ /b")
    }

    @Test func previousPlaceComesBack_withoutAVisitOfItsOwn() throws {
        var navigator = try navigator("/a", "/b")
        #expect(try propose(&navigator, "/a") == [])
        #expect(stacks(navigator) == "/ /a")
    }

    @Test func placeAfterAModal_isPushedBelowIt() throws {
        var navigator = try navigator("/a", "/new", "/edit")
        #expect(stacks(navigator) == "/ /a | /new /edit")
        #expect(try propose(&navigator, "/b", .replace) == ["visit advance /b"])
        #expect(stacks(navigator) == "/ /a /b")
    }

    @Test func popFromAModal_popsOneMore() throws {
        var navigator = try navigator("/a", "/new")
        #expect(try propose(&navigator, "/recede_historical_location") == [])
        #expect(stacks(navigator) == "/")
    }

    @Test func refreshLoadsTheCurrentDestination_andPopsNothing() throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, "/refresh_historical_location") == ["refresh replace /a"])
        #expect(stacks(navigator) == "/ /a")
    }

    @Test func clearingLoadsNothing() throws {
        var navigator = try navigator("/a", "/b", "/new")
        #expect(try propose(&navigator, "/clear") == [])
        #expect(stacks(navigator) == "/")
    }

    @Test func bottomSheetTakesThePlaceOfAnother() throws {
        var navigator = try navigator("/a", "/sheet/1", "/sheet/2")
        #expect(stacks(navigator) == "/ /a | /sheet/2")
        // A rule need not say that a sheet is modal.
        #expect(stacks(try self.navigator("/panel/1", "/panel/2")) == "/ /panel/2")
        _ = navigator.back()
        #expect(stacks(navigator) == "/ /a")
    }

    @Test func rootIsReplaced_alsoByTheSamePlace() throws {
        var navigator = try navigator("/a", "/new", "/root")
        #expect(stacks(navigator) == "/root")
        _ = try propose(&navigator, "/root")
        #expect(stacks(navigator) == "/root")
    }

    @Test func modalThatReplacesTheRoot_isRefused_andSaysWhy() throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, "/modal-root") == [])
        #expect(navigator.reasons == [.modalReplacesRoot] && stacks(navigator) == "/ /a")
    }

    @Test func fragmentOfTheApp_isANativeScreen() throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, "/numbers") == [])
        #expect(stacks(navigator) == "/ /a native:numbers")
    }

    @Test func backLeavesAModal_butNotTheApp() throws {
        var navigator = try navigator("/new")
        #expect(!navigator.back().isEmpty && stacks(navigator) == "/")
        #expect(navigator.back().isEmpty && navigator.reasons == [.rootStays])
    }
}
