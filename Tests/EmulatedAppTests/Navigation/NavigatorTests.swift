import Foundation
import Testing

@testable import EmulatedApp
@testable import PathConfiguration

/// What the recordings do not cover: reasons, titles, bar buttons, and the rules of TurboNavigator.
@Suite struct NavigatorTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: "https://app.test\(text)")) }

    private func navigator(_ framework: Framework = .ios13) throws -> Navigator {
        let document = PathConfigurationDocument(
            options: .init(includesHistoricalLocations: framework.knowsHistoricalLocations))
        var navigator = Navigator(
            startLocation: try url("/"), framework: framework, properties: { document.properties(for: $0) },
            handle: { proposal in
                (proposal.properties[framework.nativeScreenKey] as String?).map { .acceptCustom($0) } ?? .accept
            })
        _ = navigator.start()
        return navigator
    }

    /// Routes to a path with properties, as native code does.
    private func go(
        _ navigator: inout Navigator, _ path: String, _ properties: PathProperties = [:],
        _ action: VisitAction = .advance
    ) throws -> [NavigationEffect] {
        navigator.route(VisitProposal(url: try url(path), action: action, properties: properties))
    }

    private func names(_ screens: [Screen]) -> [String] {
        screens.map { $0.name.replacing("https://app.test", with: "") }
    }

    // MARK: Reasons

    @Test func givesTheReasonForEachDecision() throws {
        var navigator = try navigator()
        func reasons(_ path: String, _ properties: PathProperties = [:], _ action: VisitAction = .advance) throws
            -> [NavigationReason]
        {
            _ = try go(&navigator, path, properties, action)
            return navigator.reasons
        }
        #expect(try reasons("/a") == [.advances])
        #expect(try reasons("/a/") == [.samePlace])
        #expect(try reasons("/b", [:], .replace) == [.keepsHeight])
        #expect(try reasons("/") == [.previousPlace])
        #expect(try reasons("/m", ["context": "modal"]) == [])
        #expect(try reasons("/c", [:], .restore) == [.leftModal])
        #expect(try reasons("/d", ["view_controller": "map"]) == [.nativeScreen, .advances])
        #expect(try reasons("/x", ["historical_location": true, "presentation": "none"]) == [.historicalLocation])
        _ = navigator.dismissModal()
        #expect(navigator.reasons == [.noModal])
        _ = navigator.start()
        #expect(navigator.reasons == [.startedBefore])
        _ = try go(&navigator, "/m", ["context": "modal"])
        _ = navigator.visitProposed(try url("/e"), action: .advance, redirected: true)
        #expect(navigator.reasons == [.redirected, .advances])
        #expect(Set(NavigationReason.allCases.map(\.text)).count == NavigationReason.allCases.count)
    }

    // MARK: Screens

    @Test func updatesAScreen_whileItIsOnAStack() throws {
        var navigator = try navigator()
        _ = try go(&navigator, "/a")
        let id = try #require(navigator.state.main.last?.id)
        navigator.updateScreen(id) { screen in
            screen.title = "A"
            screen.barButtons = [.init(url: "https://app.test/new", icon: "plus")]
        }
        _ = try go(&navigator, "/b")
        _ = navigator.back()
        #expect(navigator.state.main.last?.title == "A" && navigator.state.main.last?.barButtons.first?.icon == "plus")
        _ = navigator.back()
        navigator.updateScreen(id) { $0.title = "B" }
        #expect(navigator.state[id] == nil && names(navigator.state.main) == ["/"])
    }

    @Test func newScreenOfTheSamePlace_hasNoTitle() throws {
        var navigator = try navigator()
        let id = try #require(navigator.state.main.first?.id)
        navigator.updateScreen(id) { $0.title = "Home" }
        _ = try go(&navigator, "/")
        #expect(navigator.state.main.first?.title == nil)
    }

    // MARK: TurboNavigator

    @Test func turboNavigator_replacesMainsTop_afterAModalAndReplace() throws {
        for (framework, main) in [(Framework.ios13, ["/", "/a", "/b"]), (.turboNavigator, ["/", "/b"])] {
            var navigator = try navigator(framework)
            _ = try go(&navigator, "/a")
            _ = try go(&navigator, "/m", ["context": "modal"])
            _ = try go(&navigator, "/b", [:], .replace)
            #expect(names(navigator.state.main) == main && navigator.state.modal.isEmpty)
        }
    }

    @Test func turboNavigator_comparesWholeURLs() throws {
        for (framework, main) in [(Framework.ios13, ["/", "/a#x"]), (.turboNavigator, ["/", "/a", "/a#x"])] {
            var navigator = try navigator(framework)
            _ = try go(&navigator, "/a")
            _ = try go(&navigator, "/a#x")
            #expect(names(navigator.state.main) == main)
        }
    }

    @Test func turboNavigator_doesNotPopOnARedirect() throws {
        for (framework, main) in [(Framework.ios13Beta, ["/", "/b"]), (.turboNavigator, ["/", "/a", "/b"])] {
            var navigator = try navigator(framework)
            _ = try go(&navigator, "/a")
            _ = navigator.visitProposed(try url("/b"), action: .advance, redirected: true)
            #expect(names(navigator.state.main) == main)
        }
    }

    @Test func turboNavigator_reloadsBelowANativeScreen() throws {
        for (framework, refreshed) in [(Framework.ios13, []), (.turboNavigator, ["/a"])] {
            var navigator = try navigator(framework)
            _ = try go(&navigator, "/numbers", [framework.nativeScreenKey: "numbers"])
            _ = try go(&navigator, "/a")
            let effects = try go(&navigator, "/x", ["presentation": "refresh"])
            let orders = NavigationOutcome(navigator.state, effects).visits
            #expect(names(navigator.state.main) == ["/", "native:numbers"])
            #expect(orders.map { $0.url.path } == refreshed)
        }
    }

    @Test func turboNavigator_visitsLast_andAcceptsAnyHostFromNativeCode() throws {
        let elsewhere = try #require(URL(string: "https://other.test/"))
        var (new, old) = (try navigator(), try navigator(.turboNavigator))
        let newEffects = try go(&new, "/a")
        let oldEffects = try go(&old, "/a")
        #expect(newEffects == oldEffects.reversed() && newEffects.count == 2)
        #expect(new.route(elsewhere) == [.open(elsewhere, via: .browser)])
        #expect(!old.route(elsewhere).isEmpty)
        #expect(names(old.state.main).last == "https://other.test/")
        #expect(old.visitProposed(elsewhere, action: .advance, redirected: false) == [.open(elsewhere, via: .browser)])
    }

    @Test func turboNavigator_ignoresNewerProperties() throws {
        var navigator = try navigator(.turboNavigator)
        let effects = try go(&navigator, "/m", ["context": "modal", "animated": false, "modal_style": "full"])
        #expect(effects.contains(.transition(.init(operation: .present, stack: .main, animated: true))))
        #expect(navigator.state.isDismissible)
        #expect(navigator.crossOriginRedirect(to: try url("/x")).isEmpty)
        _ = navigator.visitProposed(try url("/recede_historical_location"), action: .advance, redirected: false)
        #expect(names(navigator.state.main).last == "/recede_historical_location")
    }

    /// See `TurboNavigator.swift`, `pushOrReplace`: also after a dismissed modal, the place below comes back.
    @Test func turboNavigator_goesBackAfterAModal_toThePlaceBelow() throws {
        var navigator = try navigator(.turboNavigator)
        _ = try go(&navigator, "/a")
        _ = try go(&navigator, "/m", ["context": "modal"])
        _ = try go(&navigator, "/", [:], .replace)
        #expect(navigator.state.main.map(\.url.path) == ["/"])
    }

    /// See `Router.swift`: the first handler that matches decides, and without one nothing happens.
    @Test func routeDecisionHandlers_decideInTheirOrder() throws {
        let other = try #require(URL(string: "https://www.app.test/a"))
        func effects(_ texts: [String], _ url: URL) throws -> ([NavigationEffect], [NavigationReason]) {
            var navigator = Navigator(
                startLocation: try self.url("/"), properties: { _ in [:] },
                routeDecisionHandlers: try texts.map { try #require(RouteDecisionHandler($0)) })
            _ = navigator.launch()
            return (navigator.route(url).filter { if case .transition = $0 { false } else { true } }, navigator.reasons)
        }
        let standard = ["app-navigation", "safari", "system-navigation"]
        #expect(try effects(standard, other) == ([.open(other, via: .browser)], [.otherHost]))
        #expect(
            try effects(["app-navigation", "system-navigation", "safari"], other).0 == [.open(other, via: .system)])
        #expect(try effects(["app-navigation=www.app.test"] + standard, other).1 == [.advances])
        let own = try self.url("/docs")
        let host = own.host ?? ""
        #expect(
            try effects(["browser-tab=\(host)"] + standard, own) == ([.open(own, via: .browser)], [.opensElsewhere]))
        #expect(try effects(["app-navigation"], other) == ([], [.noRoute]))
        // See the pull request 249.
        let report = RouteDecisionHandler("reports", .open(.system)) { proposal, _ in
            proposal.action == .replace && proposal.properties["kind"] == "report"
        }
        var navigator = Navigator(
            startLocation: try self.url("/"), properties: { $0.path == "/docs" ? ["kind": "report"] : [:] },
            routeDecisionHandlers: [report] + RouteDecisionHandler.standard)
        _ = navigator.launch()
        #expect(navigator.route(own, action: .replace) == [.open(own, via: .system)])
        _ = navigator.route(own)
        #expect(navigator.reasons == [.advances])
        for text in ["", "safri", "safari=", "safari=a b", "safari=http://a"] {
            #expect(RouteDecisionHandler(text) == nil)
        }
    }
}
