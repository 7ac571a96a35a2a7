import Foundation
import PathConfiguration
import Testing

@testable import EmulatedApp

/// The cases of `NavigatorRuleTest.kt` in hotwire-native-android 1.3.1, with its path configuration.
@Suite struct AndroidNavigatorRuleTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The destinations above the start destination `/home`.
        let above: [String]
        let proposed: String
        var action = VisitAction.advance
        let presentation: Presentation
        let mode: AndroidNavigatorRule.Mode
        var result: VisitAction?

        var testDescription: String { name }
    }

    private static let configuration = """
        {"rules": [
          {"patterns": [".*"], "properties": {"context": "default", "uri": "hotwire://fragment/web"}},
          {"patterns": ["/home"], "properties": {"presentation": "clear_all"}},
          {"patterns": ["/new-home"], "properties": {"presentation": "replace_root"}},
          {"patterns": ["/feature$", "/feature\\\\?filter"], "properties": {"query_string_presentation": "replace"}},
          {"patterns": ["/new$", "/edit$"], "properties": {"context": "modal"}}
        ]}
        """

    static let cases = [
        Case(name: "within context", above: [], proposed: "/feature", presentation: .push, mode: .inContext),
        Case(name: "to modal context", above: [], proposed: "/feature/new", presentation: .push, mode: .toModal),
        Case(name: "back to home", above: ["/feature"], proposed: "/home", presentation: .clearAll, mode: .inContext),
        Case(
            name: "replace root", above: ["/feature"], proposed: "/new-home", presentation: .replaceRoot,
            mode: .inContext),
        Case(
            name: "back from the modal", above: ["/feature", "/feature/new"], proposed: "/feature",
            presentation: .pop, mode: .dismissModal, result: .replace),
        Case(
            name: "back from the modal, replace", above: ["/feature", "/feature/new"], proposed: "/feature",
            action: .replace, presentation: .pop, mode: .dismissModal, result: .replace),
        Case(
            name: "from the modal to a new place, replace", above: ["/feature", "/feature/new"],
            proposed: "/feature-two", action: .replace, presentation: .pop, mode: .dismissModal, result: .advance),
        Case(
            name: "same modal", above: ["/feature/new"], proposed: "/feature/new", presentation: .replace,
            mode: .inContext),
        Case(
            name: "new modal", above: ["/feature/new"], proposed: "/feature/edit", presentation: .push,
            mode: .inContext),
        Case(
            name: "recede", above: ["/feature"], proposed: "/recede_historical_location", presentation: .pop,
            mode: .inContext),
        Case(
            name: "refresh", above: ["/feature"], proposed: "/refresh_historical_location", presentation: .refresh,
            mode: .refresh),
        Case(
            name: "resume", above: ["/feature"], proposed: "/resume_historical_location", presentation: .none,
            mode: .none),
        Case(
            name: "recede from the modal", above: ["/feature", "/feature/new"],
            proposed: "/recede_historical_location", presentation: .pop, mode: .dismissModal, result: .advance),
        Case(
            name: "refresh from the modal", above: ["/feature", "/feature/new"],
            proposed: "/refresh_historical_location", presentation: .refresh, mode: .dismissModal, result: .advance),
        Case(
            name: "resume from the modal", above: ["/feature", "/feature/new"],
            proposed: "/resume_historical_location", presentation: .none, mode: .dismissModal, result: .advance),
        Case(
            name: "new query", above: ["/custom"], proposed: "/custom?id=1", presentation: .push, mode: .inContext),
        Case(
            name: "same query", above: ["/custom?id=1"], proposed: "/custom?id=1", presentation: .replace,
            mode: .inContext),
        Case(
            name: "filterable query", above: ["/feature"], proposed: "/feature?filter=true", presentation: .replace,
            mode: .inContext),
        Case(
            name: "no pop of the start destination", above: [], proposed: "/recede_historical_location",
            presentation: .none, mode: .none),
        Case(
            name: "no clearing at the start destination", above: [], proposed: "/home", presentation: .none,
            mode: .none),
        // What upstream's tests leave out.
        Case(
            name: "slash at the end", above: ["/custom"], proposed: "/custom/", presentation: .push, mode: .inContext),
        Case(
            name: "previous place", above: ["/custom", "/other"], proposed: "/custom", presentation: .pop,
            mode: .inContext),
    ]

    @Test(arguments: cases)
    func decides(_ recorded: Case) throws {
        let document = try PathConfigurationDocument(
            Data(Self.configuration.utf8), options: Framework.android13.pathOptions())
        func url(_ path: String) throws -> URL { try #require(URL(string: "https://hotwired.dev\(path)")) }
        func properties(_ url: URL) -> InterpretedProperties {
            document.properties(for: url).interpreted(as: .android)
        }
        let locations = try (["/home"] + recorded.above).map(url)
        let current = try #require(locations.last)
        let rule = AndroidNavigatorRule(
            try url(recorded.proposed), recorded.action, properties(try url(recorded.proposed)),
            on: .init(
                current: current, previous: locations.dropLast().last, currentContext: properties(current).context))
        #expect(rule.presentation == recorded.presentation && rule.mode == recorded.mode)
        if let result = recorded.result { #expect(rule.modalResultAction == result) }
    }
}
