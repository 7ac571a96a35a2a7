import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import PathConfiguration
import WebFiles

/// Reports, as problems, the components and screens that the server uses and the app's build lacks. On the main actor.
@MainActor final class BinaryFindings {
    /// The codes of the problems.
    nonisolated static let codes = [ProblemCode.componentNotRegistered, .screenNotRegistered].map(\.rawValue)

    private let configuration: EmulatedApp.Configuration
    private let server: BridgeServer
    /// The components that were reported as missing.
    private(set) var components = MissingComponents()
    /// The native screens that were reported as missing, with what the app does.
    private var screens: Set<[String]> = []

    init(_ configuration: EmulatedApp.Configuration, _ server: BridgeServer) {
        (self.configuration, self.server) = (configuration, server)
    }

    /// Reports a component that a page uses and the build lacks, once for each page.
    /// - Returns: false if no build is named.
    func report(_ missing: MissingComponent, on page: String) -> Bool {
        guard let build = configuration.binary.name, !missing.name.isEmpty else { return false }
        guard components.insert(missing.name, on: page, isThere: { server.page($0) != nil }) else { return true }
        let element = missing.element.map { PageText.cut($0, to: PageText.repeatedName) } ?? "message to it"
        server.traffic.problem(
            .componentNotRegistered,
            "The component \(quoted(missing.name)) is not registered in \(build): the page's \(element) does nothing.",
            hint: """
                Show the element only if the user agent lists the component, or give it a meaning on the web as well. \
                Builds with the component work.
                """, page: server.page(page))
        return true
    }

    /// Reports each native screen that the path configuration names and the build lacks.
    func reportMissingScreens() {
        let binary = configuration.binary
        let framework = configuration.framework
        guard let build = binary.name, framework.platform == .ios ? binary.nativeScreens != nil : binary.uris != nil
        else {
            return
        }
        for rule in configuration.pathConfiguration.rules {
            guard let screen: String = rule.properties[framework.nativeScreenKey],
                let outcome = binary.outcome(of: screen, fallback: rule.properties["fallback_uri"], framework),
                screens.insert([screen, outcome]).inserted
            else { continue }
            let patterns = rule.patterns.prefix(3).map { PageText.cut($0.text, to: PageText.repeatedName) }
            server.traffic.problem(
                .screenNotRegistered,
                """
                The \(framework.nativeScreenKey) \(quoted(screen)) is not registered in \(build): for \
                \(patterns.joined(separator: ", ")), \(outcome).
                """,
                hint: "Give builds that lack it another path configuration: put the version into its address.")
        }
    }

    /// Reports that Android shows nothing, because no fragment is registered for a `uri`.
    /// - Parameter page: the one from which the app has navigated.
    func reportMissingFragment(_ navigator: Navigator, page: Page?) {
        guard let missing = navigator.missingFragment else { return }
        let build = configuration.binary.name.map { " in \($0)" } ?? ""
        let fallback = missing.fallback.map { "nor for its fallback_uri \(quoted($0))" } ?? "and it has no fallback_uri"
        let isStart = navigator.reasons.contains(.startDestinationMissing)
        server.traffic.problem(
            .screenNotRegistered,
            """
            No fragment is registered\(build) for the uri \(quoted(missing.uri)) of \(missing.url.path), \(fallback): \
            \(isStart ? "a phone's app ends at its start." : "nothing is shown.")
            """,
            hint: """
                A fragment has the uri in @HotwireDestinationDeepLink, and the app registers it with \
                Hotwire.registerFragmentDestinations. Tell bridged of it with \(setting("uri", "binary.uris", missing.uri)).
                """, page: page)
    }
}

/// A component that a page uses and the app does not have.
struct MissingComponent {
    let name: String
    /// The element that uses it, such as `<button> "Scan"`; nil if it is not known.
    let element: String?
}

/// The components that were reported already, by page, because pages use them and the app does not have them.
struct MissingComponents {
    /// How many components of one page are reported at most. A page can name any number.
    private static let limit = 100

    private(set) var names: [String: Set<String>] = [:]

    /// Notes that a page uses a component, and forgets the components of pages that have gone.
    /// - Parameter isThere: whether a page, by its id, is still there.
    /// - Returns: whether the component must be reported.
    mutating func insert(_ component: String, on page: String, isThere: (String) -> Bool) -> Bool {
        if names[page] == nil { names = names.filter { isThere($0.key) } }
        guard names[page, default: []].count < MissingComponents.limit else { return false }
        return names[page, default: []].insert(PageText.cut(component, to: PageText.repeatedName)).inserted
    }
}

extension Binary {
    /// What the app does instead of showing a native screen, as words for a problem; nil if the build has the screen.
    fileprivate func outcome(of screen: String, fallback: String?, _ framework: Framework) -> String? {
        switch framework.platform {
        case .ios:
            return screen == "web" || hasNativeScreen(screen) ? nil : "the app shows a web screen"
        case .android:
            guard !hasFragment(for: screen) else { return nil }
            guard let fallback, hasFragment(for: fallback) else { return "the app shows nothing" }
            return "the app shows its fallback_uri \(quoted(fallback))"
        }
    }
}

extension WKWebView {
    /// Adds the user script that reports elements whose components the app does not have.
    /// - Throws: `MissingWebFile` if web/missing-components.js is not beside the executable.
    func reportMissingComponents() throws {
        configuration.userContentController.addUserScript(
            WKUserScript(
                source: try WebFiles.text(of: "missing-components.js"), injectionTime: .atDocumentStart,
                forMainFrameOnly: true))
    }
}
