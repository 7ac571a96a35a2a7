import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// What the app does with each link of the frameworks' demo app, as the table in docs/notes/official-demo.md says. With
/// `BRIDGED_WRITE_DOCS=1` the table is written instead.
///
/// The path configurations in Examples/TurboApp/demo have the rules of the frameworks' own demo apps.
@Suite struct OfficialDemoTests {
    private static let page = "docs/notes/official-demo.md"
    private static let links = [
        "/", "/one", "replace:/two", "/slow", "/long", "/nonexistent", "/protected", "/new", "/modal", "/numbers",
        "/numbers/1", "/follow", "/redirected", "/files", "/images/image.jpg", "/reference", "/reference/turbo-drive",
        "/bridge-form", "/bridge-menu", "/bridge-overflow", "/signin", "https://turbo.hotwired.dev/",
    ]
    private static let columns: [(Framework, String)] = [
        (.ios12, "ios"), (.ios13Beta, "ios"), (.ios13, "ios"), (.android13, "android"), (.turboIOS71, "turbo-ios"),
    ]

    private func navigator(_ framework: Framework, _ file: String) throws -> Navigator {
        let data = try Data(contentsOf: Repository.file("Examples/TurboApp/demo/\(file).json"))
        let document = try PathConfigurationDocument(data, options: framework.pathOptions())
        return Navigator(
            startLocation: try #require(URL(string: "http://localhost:3000/")), framework: framework,
            properties: { document.properties(for: $0) },
            handle: { framework.nativeScreen(of: $0.properties).map { .acceptCustom($0) } ?? .accept })
    }

    /// Both demo apps have `^/$ → clear_all`, which must not keep an app from starting.
    @Test func demoStartsAtItsRoot_inEveryRelease() throws {
        for (framework, file) in Self.columns + [(.turboNavigator, "ios"), (.stradaIOS10, "turbo-ios")] {
            var navigator = try navigator(framework, file)
            let visits = NavigationOutcome(navigator.state, navigator.launch()).visits
            #expect(visits.map(\.url.path) == ["/"], "\(framework.name)")
            #expect(navigator.state.main.map(\.name) == ["http://localhost:3000/"], "\(framework.name)")
        }
    }

    @Test func tableSaysWhatTheAppDoesWithEachLink() throws {
        let names = Self.columns.map(\.0.name)
        var lines = [
            "| link | \(names.joined(separator: " | ")) |",
            "| --- |\(String(repeating: " --- |", count: names.count))",
        ]
        for link in Self.links {
            let cells = try Self.columns.map { try cell(link, $0, $1) }
            let shown = cells.enumerated().map { $0 > 0 && $1 == cells[0] ? "=" : $1 }
            lines.append("| \(link) | \(shown.joined(separator: " | ")) |")
        }
        let table = lines.joined(separator: "\n")
        let text = try DocumentedExamples.text(of: Self.page)
        let parts = text.components(separatedBy: "\n\n")
        let shown = try #require(parts.first { $0.hasPrefix("| link ") })
        if ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil {
            try DocumentedExamples.write(text.replacing(shown, with: table), to: Self.page)
        } else {
            #expect(shown == table)
        }
    }

    /// The stacks after a link on `/one`, and what is loaded.
    private func cell(_ link: String, _ framework: Framework, _ file: String) throws -> String {
        var navigator = try navigator(framework, file)
        _ = navigator.launch()
        let action: VisitAction = link.hasPrefix("replace:") ? .replace : .advance
        let path = link.replacing("replace:", with: "")
        let start = navigator.startLocation
        let one = try #require(URL(string: "/one", relativeTo: start)?.absoluteURL)
        _ = navigator.visitProposed(one, action: .advance, redirected: false)
        let url = try #require(URL(string: path, relativeTo: start)?.absoluteURL)
        let effects = navigator.visitProposed(url, action: action, redirected: false)
        let outcome = NavigationOutcome(navigator.state, effects)
        func names(_ screens: [Screen]) -> String {
            screens.map { $0.isWeb ? $0.url.path : $0.name }.joined(separator: " › ")
        }
        let modal = outcome.state.modal.isEmpty ? "" : " ▸ modal \(names(outcome.state.modal))"
        let loads = outcome.visits.map { $0.kind == .refresh ? "refresh \($0.url.path)" : $0.action.rawValue }
        let opened = effects.compactMap {
            if case .open(_, let browser) = $0 { "opens \(browser.rawValue)" } else { nil }
        }
        let ends = loads + opened
        return "\(names(outcome.state.main))\(modal) (\(ends.isEmpty ? "no visit" : ends.joined(separator: ", ")))"
    }
}
