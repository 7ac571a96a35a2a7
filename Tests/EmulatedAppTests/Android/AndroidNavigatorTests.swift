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
          {"patterns": ["/turbo"], "properties": {"uri": "turbo://fragment/web"}},
          {"patterns": ["/turbo/root$"], "properties": {"presentation": "replace_root"}},
          {"patterns": ["/turbo/top$", "/instead$"], "properties": {"presentation": "replace"}},
          {"patterns": ["/turbo/new"], "properties": {"context": "modal", "fallback_uri": "hotwire://fragment/web/modal/sheet"}},
          {"patterns": ["/turbo/numbers$"], "properties": {"fallback_uri": "hotwire://fragment/numbers"}},
          {"patterns": ["/turbo/lost$"], "properties": {"context": "modal", "fallback_uri": "turbo://fragment/lost"}},
          {"patterns": ["/edit/instead$"], "properties": {"context": "modal"}},
          {"patterns": ["/root$"], "properties": {"presentation": "replace_root"}},
          {"patterns": ["/modal-root$"], "properties": {"presentation": "replace_root", "context": "modal"}}
        ]}
        """

    private func navigator(startingAt start: String = "/", _ paths: String...) throws -> Navigator {
        let document = try PathConfigurationDocument(
            Data(Self.configuration.utf8), options: Framework.android13.pathOptions())
        var navigator = Navigator(
            startLocation: try url(start), framework: .android13, properties: { document.properties(for: $0) },
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

    // See `Navigator.kt`, `navigateToLocation` and `replaceRootLocation`.

    @Test(arguments: ["/turbo", "/turbo/lost", "/turbo/root"])
    func uriWithoutAFragment_showsNothing(_ path: String) throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, path) == [])
        #expect(stacks(navigator) == "/ /a" && navigator.reasons.last == .noDestination)
        #expect(navigator.missingFragment?.uri == "turbo://fragment/web")
    }

    /// The screen on top is popped before the navigator finds out.
    @Test func uriWithoutAFragment_thatReplaces_popsTheTop() throws {
        var navigator = try navigator("/a", "/b")
        #expect(try propose(&navigator, "/turbo/top") == [])
        #expect(stacks(navigator) == "/ /a")
        #expect(try propose(&navigator, "/turbo/top") == [] && stacks(navigator) == "/")
        #expect(try propose(&navigator, "/turbo/top") == [] && stacks(navigator) == "/")
    }

    @Test func fallback_isShownInstead_asItsOwnUriSays() throws {
        var navigator = try navigator("/a")
        #expect(try propose(&navigator, "/turbo/new") == ["visit advance /turbo/new"])
        #expect(stacks(navigator) == "/ /a | /turbo/new" && navigator.reasons.contains(.fallbackDestination))
        #expect(navigator.state.modal.last?.isBottomSheet == true)
        #expect(try propose(&navigator, "/turbo/numbers") == [])
        #expect(stacks(navigator) == "/ /a native:numbers")
    }

    @Test func registeredUris_areThoseOfTheBuild() {
        var binary = Binary()
        #expect(
            binary.hasFragment(for: "hotwire://fragment/numbers") && !binary.hasFragment(for: "turbo://fragment/web"))
        binary.uris = ["turbo://fragment/web"]
        #expect(binary.hasFragment(for: "Turbo://fragment/web") && binary.hasFragment(for: "hotwire://fragment/web"))
        #expect(!binary.hasFragment(for: "hotwire://fragment/numbers"))
    }

    /// On a phone its fragment stays on the screen, because the navigation library began with it, and nothing gets the
    /// modal's result.
    @Test func modalThatHasReplacedTheStart_stays() throws {
        var navigator = try navigator("/edit/instead")
        #expect(stacks(navigator) == " | /edit/instead")
        #expect(try propose(&navigator, "/a") == [] && stacks(navigator) == " | /edit/instead")
        #expect(navigator.back().isEmpty && stacks(navigator) == " | /edit/instead")
        _ = try propose(&navigator, "/new")
        _ = navigator.clearAll()
        #expect(stacks(navigator) == " | /edit/instead")
        _ = try propose(&navigator, "/root")
        #expect(stacks(navigator) == "/root")
    }

    /// Only destinations outside the modal's context observe a modal's result; see `HotwireFragment.shouldHandleModalResults`.
    @Test func startWithTheContextModal_getsNoResult() throws {
        var navigator = try navigator(startingAt: "/edit/start")
        #expect(stacks(navigator) == "/edit/start")
        #expect(try propose(&navigator, "/a") == [] && stacks(navigator) == "/edit/start")
        #expect(navigator.reasons.last == .noResultDestination)
        #expect(try propose(&navigator, "/new") == ["visit advance /new"] && stacks(navigator) == "/edit/start | /new")
        #expect(try propose(&navigator, "/a") == [] && stacks(navigator) == "/edit/start")
        #expect(try propose(&navigator, "/root") == ["visit advance /root"] && stacks(navigator) == "/root")
    }

    /// The navigation library pops sheets before it shows a whole screen; see `NavController.addEntryToBackStack`.
    @Test func wholeScreen_takesAwayTheSheetBelow() throws {
        #expect(stacks(try navigator("/a", "/panel", "/new")) == "/ /a | /new")
        #expect(stacks(try navigator("/a", "/panel", "/sheet")) == "/ /a /panel | /sheet")
    }

    @Test func titleOfTheConfiguration_isTheScreens() throws {
        let properties: PathProperties = ["title": "Numbers", "uri": "hotwire://fragment/numbers"]
        for (framework, title) in [(Framework.android13, "Numbers"), (.ios13, nil)] {
            var navigator = Navigator(startLocation: try url("/"), framework: framework, properties: { _ in [:] })
            _ = navigator.start()
            _ = navigator.route(VisitProposal(url: try url("/numbers"), properties: properties))
            #expect(navigator.state.main.last?.title == title)
        }
    }

    @Test func backLeavesAModal_butNotTheApp() throws {
        var navigator = try navigator("/new")
        #expect(!navigator.back().isEmpty && stacks(navigator) == "/")
        #expect(navigator.back().isEmpty && navigator.reasons == [.rootStays])
    }
}
