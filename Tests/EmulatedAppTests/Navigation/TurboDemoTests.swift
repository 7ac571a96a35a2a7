import Foundation
import PathConfiguration
import Testing

@testable import EmulatedApp

/// turbo-ios 7.1 with the navigator of its demo app; see its `TurboNavigationController.swift`.
@Suite struct TurboDemoTests {
    /// The semantics of the demo's own path configuration.
    private static let rules = """
        {"settings": {"enable-feature-x": true}, "rules": [
          {"patterns": ["/new$", "/edit$"], "properties": {"presentation": "modal"}},
          {"patterns": ["/numbers$"], "properties": {"view-controller": "numbers"}},
          {"patterns": ["/$"], "properties": {"presentation": "clear_all"}},
        ]}
        """

    private func navigator(_ framework: Framework = .turboIOS71) throws -> Navigator {
        let document = try PathConfigurationDocument(Data(Self.rules.utf8), options: framework.pathOptions())
        var navigator = Navigator(
            startLocation: try url("/"), framework: framework, properties: { document.properties(for: $0) },
            handle: { framework.nativeScreen(of: $0.properties).map { .acceptCustom($0) } ?? .accept })
        #expect(visits(navigator.launch()) == ["visit replace /"])
        return navigator
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://app.test\(path)")) }

    private func propose(
        _ navigator: inout Navigator, _ path: String, _ action: VisitAction = .advance, redirected: Bool = false
    ) throws -> [String] {
        visits(navigator.visitProposed(try url(path), action: action, redirected: redirected))
    }

    private func visits(_ effects: [NavigationEffect]) -> [String] {
        NavigationOutcome(NavigationState(), effects).visits.map {
            "\($0.kind.rawValue) \($0.action.rawValue) \($0.url.path)"
        }
    }

    private func stacks(_ navigator: Navigator) -> String {
        (navigator.state.main.map(\.url.path) + (navigator.state.modal.isEmpty ? [] : ["|"])
            + navigator.state.modal.map(\.url.path)).joined(separator: " ")
    }

    @Test func pushesEvenTheSamePlace_andReplaces() throws {
        var navigator = try navigator()
        _ = try propose(&navigator, "/one")
        _ = try propose(&navigator, "/one")
        #expect(stacks(navigator) == "/ /one /one")
        #expect(try propose(&navigator, "/two", .replace, redirected: true) == ["visit replace /two"])
        #expect(stacks(navigator) == "/ /one /two")
        // Only `replace` replaces.
        #expect(try propose(&navigator, "/three", .restore) == ["visit restore /three"])
        #expect(stacks(navigator) == "/ /one /two /three")
    }

    @Test func modalHasOneScreen_andGoesWithTheNextProposal() throws {
        var navigator = try navigator()
        #expect(try propose(&navigator, "/new") == ["visit advance /new"])
        _ = try propose(&navigator, "/edit")
        #expect(stacks(navigator) == "/ | /edit")
        _ = try propose(&navigator, "/one")
        #expect(stacks(navigator) == "/ /one")
    }

    /// The demo pops one screen and reloads the session, whatever the path configuration says.
    @Test func root_popsAScreen_andReloads() throws {
        var navigator = try navigator()
        for path in ["/one", "/two", "/new"] { _ = try propose(&navigator, path) }
        #expect(try propose(&navigator, "/") == ["refresh replace /one"])
        #expect(stacks(navigator) == "/ /one" && navigator.reasons == [.home])
        _ = try propose(&navigator, "/numbers")
        _ = try propose(&navigator, "/two")
        #expect(try propose(&navigator, "/") == ["refresh replace /two"])
        #expect(navigator.state.main.last?.kind == .native("numbers"))
    }

    @Test func appsOwnCode_isAskedForNoHost() throws {
        var navigator = try navigator()
        let elsewhere = try #require(URL(string: "https://other.test/"))
        #expect(
            navigator.visitProposed(elsewhere, action: .advance, redirected: false) == [
                .open(elsewhere, via: .browser)
            ])
        _ = navigator.route(try #require(URL(string: "https://other.test/page")))
        #expect(stacks(navigator) == "/ /page")
    }

    @Test func links_leaveTheApp() throws {
        let start = try url("/")
        let file = try url("/image.jpg")
        #expect(Framework.turboIOS71.destination(ofLink: file, startLocation: start) == .browser)
        #expect(Framework.turboIOS71.destination(ofLink: try url("/page"), startLocation: start) == .system)
        #expect(Framework.turboNavigator.destination(ofLink: try url("/page"), startLocation: start) == .browser)
        #expect(Framework.ios13.destination(ofLink: file, startLocation: start) == nil)
    }

    @Test func componentsAreThoseOfStrada_orNone() {
        #expect(Framework.turboIOS71.userAgent(components: ["form"]) == "Turbo Native iOS")
        #expect(
            Framework.stradaIOS10.userAgent(prefix: "App", components: ["form", "menu"])
                == "App Turbo Native iOS bridge-components: [form menu]")
        #expect(Framework(named: "turbo-ios") == .turboIOS71 && Framework(named: "strada-ios") == .stradaIOS10)
    }
}
