import Foundation
import PathConfiguration
import Testing

@testable import EmulatedApp

/// Where the releases of hotwire-native-ios part.
@Suite struct ReleaseTests {
    private func navigator(_ framework: Framework, _ screens: [(String, PathProperties)]) throws -> Navigator {
        var navigator = Navigator(
            startLocation: try url("/"), framework: framework,
            properties: { $0.path.hasPrefix("/m") ? ["context": "modal"] : [:] },
            handle: { ($0.properties["view_controller"] as String?).map { .acceptCustom($0) } ?? .accept })
        _ = navigator.start()
        for (path, properties) in screens {
            var merged = properties
            if path.hasPrefix("/m") { merged["context"] = "modal" }
            _ = navigator.route(VisitProposal(url: try url(path), properties: merged))
        }
        return navigator
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://app.test\(path)")) }

    private func stacks(_ navigator: Navigator) -> String {
        (navigator.state.main.map(\.url.path) + (navigator.state.modal.isEmpty ? [] : ["|"])
            + navigator.state.modal.map(\.url.path)).joined(separator: " ")
    }

    /// Turbo proposes the place of a redirect with the action `replace`. See the pull requests 160, 251 and 261.
    @Test(arguments: [
        (["/a"], "/b", ["/ /b", "/b", "/ /b"]),
        (["/a"], "/m1", ["/ /a | /m1", "/ | /m1", "/ | /m1"]),
        (["/a", "/m1", "/m2"], "/m3", ["/ /a | /m1 /m3", "/ /a | /m3", "/ /a | /m1 /m3"]),
        (["/a", "/m1"], "/b", ["/ /a /b", "/ /b", "/ /b"]),
        (["/a", "/m1", "/m2"], "/b", ["/ /a /b", "/ /a /b", "/ /b"]),
    ])
    func redirect(_ before: [String], _ proposed: String, _ expected: [String]) throws {
        let releases = ["ios@1.2", "ios@1.3-beta", "ios@1.3"]
        for (name, stacks) in zip(releases + ["ios@main"], expected + expected.suffix(1)) {
            let framework = try #require(Framework(named: name))
            var navigator = try navigator(framework, before.map { ($0, [:]) })
            _ = navigator.visitProposed(try url(proposed), action: .replace, redirected: true)
            #expect(self.stacks(navigator) == stacks, "\(name)")
        }
    }

    /// See the pull request 248.
    @Test func nativeScreen_isTheSamePlace_byItsClassOrItsURL() throws {
        let numbers: PathProperties = ["view_controller": "numbers"]
        for (framework, expected) in [
            (Framework.ios13Beta, "/ /numbers/2"), (.ios13, "/ /numbers/1 /numbers/2"),
        ] {
            let navigator = try navigator(framework, [("/numbers/1", numbers), ("/numbers/2", numbers)])
            #expect(stacks(navigator) == expected, "\(framework.name)")
        }
    }

    @Test func launch_showsTheStartLocation_whateverItsRule() throws {
        for presentation in ["clear_all", "pop", "refresh", "none", "replace_root"] {
            var navigator = Navigator(
                startLocation: try url("/"), properties: { _ in ["presentation": .string(presentation)] })
            let visits = NavigationOutcome(navigator.state, navigator.launch()).visits
            #expect(stacks(navigator) == "/" && visits.map(\.url.path) == ["/"], "\(presentation)")
        }
    }

    @Test func nameWithoutARelease_isTheNewest() {
        #expect(Framework(named: "ios") == .default && Framework.default.name == "ios@1.3")
        #expect(Framework(named: "ios") == .ios13 && Framework(named: "android") == .android13)
        #expect(Framework(named: "ios@9") == nil)
    }

    /// See the pull requests 211 and 241.
    @Test func ios12_readsThePathWithoutItsSlash_andRestoresInsteadOfReplacing() throws {
        let rules = #"{"rules":[{"patterns":["/new$","/caf\u00e9"],"properties":{"context":"modal"}}]}"#
        for (framework, isModal, action) in [(Framework.ios12, true, VisitAction.restore), (.ios13, false, .replace)] {
            let document = try PathConfigurationDocument(Data(rules.utf8), options: framework.pathOptions())
            for path in ["/new/", "/caf%C3%A9"] {
                let found: String? = document.properties(for: try url(path))["context"]
                #expect(found == (isModal ? "modal" : nil), "\(framework.name) \(path)")
            }
            var navigator = try navigator(framework, [("/a", [:])])
            let visits = NavigationOutcome(navigator.state, navigator.clearAll()).visits
            #expect(visits.map(\.action) == [action])
        }
    }
}
