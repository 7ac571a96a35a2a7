import BridgeProtocol
import BridgeServer
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// When Turbo caches a snapshot of a page whose screen disappears; see `Session.swift`, `visitableViewDidDisappear`, and
/// `HotwireWebFragmentDelegate.kt`, `onDestroyView`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct SnapshotTests {
    private static let cached = "window.turboNative.cacheSnapshot()"

    private func modal(
        _ style: String = "large", native: Bool = false, uri: String? = nil
    ) throws -> VisitProposal {
        var properties: PathProperties = ["context": "modal", "modal_style": .string(style)]
        if native { properties["view_controller"] = "numbers" }
        if let uri { properties["uri"] = .string(uri) }
        return VisitProposal(url: try #require(URL(string: PageFixture.origin + "/new")), properties: properties)
    }

    private func run(
        _ framework: Framework = .ios13, _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run {
            $0.framework = framework
            $0.handle = { ($0.properties["view_controller"] as String?).map { .acceptCustom($0) } ?? .accept }
        } _: { fixture in
            try await fixture.boot()
            try await body(fixture)
        }
    }

    /// The page of the web view `modal` shows the modal.
    private func runInTwoPages(
        _ framework: Framework = .ios13, style: String = "large",
        _ body: @MainActor (PageFixture, PageClient) async throws -> Void
    ) async throws {
        try await run(framework) { fixture in
            let (page, _) = try await PageClient.attach(
                port: fixture.port, origin: PageFixture.origin, document: "m-1", webView: "modal")
            let proposal = try modal(style)
            fixture.app.navigate("modal") { $0.route(proposal) }
            _ = try await page.next("method", "page.navigate")
            await page.post(#"{"name":"pageLoaded","data":{"restorationIdentifier":"r-m"}}"#, seq: 1, to: "turbo")
            _ = try await fixture.recorder.first {
                if case .app(event: "visitCompleted", let fields) = $0.event {
                    fields.contains { $0.value == .string(PageFixture.origin + "/new") }
                } else {
                    false
                }
            }
            try await body(fixture, page)
        }
    }

    private func script(_ page: PageClient) async throws -> String? {
        try await page.next("method", "script.evaluate")["params"]?["source"]?.string
    }

    // MARK: Modals

    @Test(arguments: [Framework.ios12, .ios13Beta, .ios13, .turboNavigator])
    func dismissedModal_cachesItsPage(_ framework: Framework) async throws {
        try await runInTwoPages(framework) { fixture, page in
            fixture.app.navigate("dismiss") { $0.dismissModal() }
            let source = try await script(page)
            #expect(source == Self.cached)
        }
    }

    @Test func modalThatAVisitOnMainDismisses_cachesItsPage() async throws {
        try await runInTwoPages { fixture, page in
            fixture.app.route(try #require(URL(string: PageFixture.origin + "/posts")))
            #expect(try await script(page) == Self.cached)
            // main's own page was never covered: nothing is cached before its visit.
            #expect(try await fixture.script().contains("/posts"))
        }
    }

    /// Turbo itself caches the page if it visits another one in the same web view.
    @Test func modalInMainsPage_cachesNothing() async throws {
        try await run { fixture in
            let proposal = try modal()
            fixture.app.navigate("modal") { $0.route(proposal) }
            #expect(try await fixture.script().contains("/new"))
            fixture.app.navigate("dismiss") { $0.dismissModal() }
            #expect(try await fixture.script().contains(#"{"action":"restore"}"#))
        }
    }

    /// UIKit removes the view beneath a full-screen modal, and leaves the one beneath a sheet.
    @Test func fullScreenModal_cachesMainsPage_whichIsRestored() async throws {
        try await runInTwoPages(style: "full") { fixture, page in
            let source = try await fixture.script()
            #expect(source == Self.cached)
            fixture.app.navigate("pop") { $0.pop() }
            #expect(try await script(page) == Self.cached)
            #expect(try await fixture.script().contains(#"{"action":"restore"}"#))
        }
    }

    @Test(arguments: [("full", true), ("large", false)])
    func nativeModal_cachesMainsPage_ifItIsFullScreen(_ style: String, _ covers: Bool) async throws {
        try await run { fixture in
            let proposal = try modal(style, native: true)
            fixture.app.navigate("modal") { $0.route(proposal) }
            if covers { #expect(try await fixture.script() == Self.cached) }
            fixture.app.navigate("pop") { $0.pop() }
            if covers {
                #expect(try await fixture.script().contains(#"{"action":"restore"}"#))
            } else {
                fixture.app.route(try #require(URL(string: PageFixture.origin + "/posts")))
                #expect(try await fixture.script().contains("/posts"))
            }
        }
    }

    /// A bottom sheet is a dialog: the view beneath it stays.
    @Test(arguments: [("hotwire://fragment/numbers", true), (InterpretedProperties.bottomSheet, false)])
    func nativeScreenOnAndroid_cachesThePage_unlessItIsABottomSheet(_ uri: String, _ covers: Bool) async throws {
        try await PageFixture.run {
            $0.framework = .android13
            $0.handle = { $0.url.path == "/new" ? .acceptCustom("numbers") : .accept }
        } _: { fixture in
            _ = try await fixture.post("{}", to: "sync")
            let session = try #require(fixture.app.sessions[.main])
            try session.receive(.turboIsReady(true))
            try session.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let proposal = try modal(uri: uri)
            fixture.app.navigate("modal") { $0.route(proposal) }
            if covers { #expect(try await fixture.script() == Self.cached) }
            fixture.app.navigate("back") { $0.back() }
            if covers { #expect(try await fixture.script() == "window.turboNative.restoreCurrentVisit()") }
            fixture.app.route(try #require(URL(string: PageFixture.origin + "/posts")))
            #expect(try await fixture.script().contains("/posts"))
        }
    }
}
