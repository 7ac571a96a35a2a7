import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp
@testable import PathConfiguration

/// Invariants of the navigator, checked over thousands of random sequences of proposals and gestures.
@Suite struct NavigatorPropertyTests {
    private static let paths = ["/", "/a", "/a/", "/a?x=1", "/a?x=2", "/b", "/c#f", "/numbers", "/map", "/d"]
    private static let locations =
        paths.map { "https://app.test\($0)" } + [
            "https://other.test/x", "mailto:a@app.test", "https://app.test/recede_historical_location",
            "https://app.test/resume_historical_location", "https://app.test/refresh_historical_location",
        ]

    private func url(_ generator: inout SeededGenerator) throws -> URL {
        try #require(URL(string: generator.pick(Self.locations)))
    }

    /// Random properties, valid and invalid.
    private func properties(_ generator: inout SeededGenerator, for url: URL) -> PathProperties {
        var properties = PathProperties()
        func sometimes(_ key: String, _ values: [JSONValue], _ generator: inout SeededGenerator) {
            if Bool.random(using: &generator) { properties[key] = generator.pick(values) }
        }
        sometimes("context", ["modal", "default", 1, "Modal"], &generator)
        sometimes("presentation", Presentation.allCases.map { .string($0.rawValue) } + ["sideways"], &generator)
        sometimes("animated", [true, false, 0, "no"], &generator)
        sometimes("modal_style", ModalStyle.allCases.map { .string($0.rawValue) }, &generator)
        sometimes("modal_dismiss_gesture_enabled", [true, false], &generator)
        sometimes("query_string_presentation", ["replace", "default"], &generator)
        sometimes("historical_location", [true, false], &generator)
        sometimes("view_controller", ["web", "numbers", "map", "alert", "reject"], &generator)
        return properties
    }

    private func step(_ generator: inout SeededGenerator) throws -> NavigationStep {
        let location = try url(&generator)
        let action = generator.pick(VisitAction.allCases)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .pop
        case 1: return .back
        case 2: return .dismissModal
        case 3: return .clearAll
        case 4: return .start
        case 5: return .crossOriginRedirect(location)
        case 6: return .visit(location, action, redirected: true)
        case 7: return .visit(location, action, redirected: false)
        default: return .route(location, action, properties(&generator, for: location))
        }
    }

    private func navigator(_ framework: Framework) throws -> Navigator {
        let document = PathConfigurationDocument(
            options: .init(includesHistoricalLocations: framework.knowsHistoricalLocations))
        return Navigator(
            startLocation: try #require(URL(string: "https://app.test/")), framework: framework,
            properties: { document.properties(for: $0) },
            handle: { proposal in
                switch proposal.properties["view_controller"] as String? {
                case "numbers"?: .acceptCustom("numbers")
                case "map"?: .acceptCustom("map")
                case "alert"?: .alert
                case "reject"?: .reject
                default: .accept
                }
            })
    }

    /// Calls `check` with each step of 2,000 sequences of 12 steps: the navigator before, the step, the navigator after.
    private func forEachStep(
        _ check: (Navigator, NavigationStep, Navigator, [NavigationEffect]) throws -> Void
    ) throws {
        let frameworks = [Framework.turboNavigator, .ios12, .ios13Beta, .ios13]
        for seed in 0..<2_000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var navigator = try navigator(frameworks[seed % frameworks.count])
            _ = navigator.start()
            for _ in 0..<12 {
                let before = navigator
                let step = try step(&generator)
                let effects = navigator.perform(step)
                try check(before, step, navigator, effects)
            }
        }
    }

    @Test func noScreenIsDuplicated_orComesBack() throws {
        try forEachStep { before, step, after, _ in
            let ids = (after.state.main + after.state.modal).map(\.id)
            let old = Set((before.state.main + before.state.modal).map(\.id))
            #expect(Set(ids).count == ids.count, "\(step)")
            #expect(ids.allSatisfy { old.contains($0) || $0 > before.state.screensMade }, "\(step)")
        }
    }

    /// Only `clear_all`, `replace_root`, a dismissed modal and two pops remove screens below the top.
    @Test func noScreenIsLost() throws {
        try forEachStep { before, step, after, effects in
            let operations = effects.compactMap {
                if case .transition(let transition) = $0 { transition } else { nil }
            }
            let isReset =
                after.state.main.count == 1
                && operations.contains { [.set, .popToRoot].contains($0.operation) && $0.stack == .main }
            let pops = operations.count { $0.stack == .main && [.pop, .set].contains($0.operation) }
            let lost = before.state.main.dropLast(pops).filter { screen in !after.state.main.contains(screen) }
            #expect(lost.isEmpty || isReset, "\(step): \(effects)")
        }
    }

    @Test func modalStackIsEmpty_whenNoModalIsPresented() throws {
        try forEachStep { before, step, after, effects in
            var isPresented = before.state.isModalPresented
            for case .transition(let transition) in effects {
                if transition.operation == .present { isPresented = true }
                if transition.operation == .dismiss { isPresented = false }
            }
            #expect(after.state.isModalPresented == isPresented, "\(step)")
            #expect(after.state.modal.isEmpty == !isPresented, "\(step)")
        }
    }

    /// Except after a proposal that dismissed a modal, replaced a screen or was the first.
    @Test func backAfterAPush_restoresTheState() throws {
        var pushes = 0
        try forEachStep { before, step, after, effects in
            guard case .transition(let only)? = effects.last, only.operation == .push,
                effects.count(where: { if case .transition = $0 { true } else { false } }) == 1,
                !before.state[only.stack].isEmpty
            else { return }
            pushes += 1
            var navigator = after
            _ = navigator.back()
            #expect(navigator.state.main == before.state.main && navigator.state.modal == before.state.modal, "\(step)")
        }
        #expect(pushes > 1_500)
    }

    @Test func rootOfMainStays_unlessItIsReplaced() throws {
        try forEachStep { before, step, after, effects in
            guard let root = before.state.main.first else { return }
            let isReplaced = effects.contains { effect in
                if case .transition(let transition) = effect {
                    transition.operation == .set && transition.stack == .main
                } else {
                    false
                }
            }
            #expect(isReplaced || after.state.main.first == root, "\(step)")
        }
    }

    @Test func effectsDescribeEveryChange() throws {
        try forEachStep { before, step, after, effects in
            let hasTransition = effects.contains { if case .transition = $0 { true } else { false } }
            let isSame = before.state.main == after.state.main && before.state.modal == after.state.modal
            #expect(isSame == !hasTransition, "\(step)")
        }
    }
}
