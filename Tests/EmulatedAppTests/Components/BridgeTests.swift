import BridgeProtocol
import BridgeServer
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// A component that replies to each `ask` at once and again later, and records the life cycle of its screen.
private final class RatingComponent: BridgeComponent {
    private struct Ask: Decodable { let stars: Int }

    static var life: [String] = []
    override class var name: String { "rating" }

    override func onReceive(message: Message) {
        guard let data: Ask = message.data() else { return }
        reply(to: "ask", with: ["stars": data.stars])
        reply(with: message.replacing(event: "thanks", jsonData: "{}"))
    }

    override func onViewWillAppear() { Self.life.append("willAppear") }
    override func onViewDidAppear() { Self.life.append("didAppear") }
    override func onViewWillDisappear() { Self.life.append("willDisappear") }
    override func onViewDidDisappear() { Self.life.append("didDisappear") }

    func answerOnceMore() { reply(to: "ask", with: #"{"stars":0}"#) }
}

/// A component that replies with what it gets.
private final class EchoComponent: BridgeComponent {
    private struct Order: Codable { let itemCount: Int }

    override class var name: String { "echo" }

    override func onReceive(message: Message) {
        guard let order: Order = message.data() else { return }
        reply(to: message.event, with: order)
    }
}

/// Components and a simulated page: the effect of each message, and the verdict on each message that is dropped.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4))) struct BridgeTests {
    private static func message(
        _ component: String = "rating", _ event: String = "ask", id: String = "1",
        url: String = "http://localhost:3000/",
        _ data: String = #""stars":4,"#
    ) -> String {
        """
        {"id":"\(id)","component":"\(component)","event":"\(event)","data":{\(data)"metadata":{"url":"\(url)"}}}
        """
    }

    private func run(_ body: @MainActor (PageFixture) async throws -> Void) async throws {
        RatingComponent.life = []
        try await PageFixture.run({ $0.components += [RatingComponent.self] }, body)
    }

    @Test(arguments: Bridge.handlers)
    func registersComponents_thenRepliesAsOftenAsItLikes(_ handler: String) async throws {
        try await run { fixture in
            #expect(try await fixture.post(#""ready""#, to: handler) == .handled)
            let registration = try await fixture.script()
            #expect(registration.hasPrefix("window.nativeBridge.register([") && registration.contains(#""rating""#))
            #expect(try await fixture.post(Self.message(), to: handler) == .handled)
            let first = try await fixture.script()
            #expect(
                first
                    == #"window.nativeBridge.replyWith({"id":"1","component":"rating","event":"ask","data":{"stars":4}})"#
            )
            #expect(try await fixture.script().contains(#""event":"thanks","data":{}"#))
            let component = fixture.app.screens.visible?.bridgeDelegate.component() as RatingComponent?
            component?.answerOnceMore()
            #expect(try await fixture.script().contains(#""data":{"stars":0}"#))
        }
    }

    @Test func userAgent_listsComponents() async throws {
        try await run { fixture in
            let agent = fixture.app.sessions[.main]?.webView.configuration.applicationNameForUserAgent
            #expect(agent?.hasPrefix("Hotwire Native iOS; Turbo Native iOS; bridge-components: [") == true)
            #expect(agent?.contains("rating") == true && agent?.hasSuffix("]") == true)
        }
    }

    @Test func userAgent_beginsWithTheAppsPrefix() async throws {
        try await PageFixture.run({ $0.applicationUserAgentPrefix = "Shop/2.1;" }) { fixture in
            let agent = fixture.app.sessions[.main]?.webView.configuration.applicationNameForUserAgent
            #expect(agent?.hasPrefix("Shop/2.1; Hotwire Native iOS; Turbo Native iOS; ") == true)
        }
    }

    /// See `HotwireConfig.swift`.
    @Test func appsOwnCoders_readAndWriteTheData() async throws {
        try await PageFixture.run {
            let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            encoder.keyEncodingStrategy = .convertToSnakeCase
            ($0.jsonDecoder, $0.jsonEncoder) = (decoder, encoder)
            $0.components += [EchoComponent.self]
        } _: { fixture in
            try await fixture.boot()
            let message = Self.message("echo", "ask", #""item_count":3,"#)
            #expect(try await fixture.post(message, to: "bridge") == .handled)
            #expect(try await fixture.script().contains(#""event":"ask","data":{"item_count":3}"#))
            let mistake = try await fixture.post(Self.message("echo", "ask", #""item_count":"3","#), to: "bridge")
            #expect(mistake.reason == .undecodable && mistake.at == "/data/itemCount")
        }
    }

    /// strada-ios has the handler `strada` only, and turbo-ios no components.
    @Test(arguments: [
        (Framework.ios13, ["bridge", "strada"]), (.stradaIOS10, ["strada"]), (.turboIOS71, []),
    ])
    func releaseHasTheHandlersOfItsComponents(_ framework: Framework, _ handlers: [String]) async throws {
        try await PageFixture.run({ $0.framework = framework }) { fixture in
            for handler in Bridge.handlers {
                let verdict = try await fixture.post(#""ready""#, to: handler)
                #expect((verdict.reason == .noHandler) != handlers.contains(handler), "\(handler)")
            }
        }
    }

    @Test func givesAVerdictOnEachDroppedMessage() async throws {
        try await run { fixture in
            let mismatch = try await fixture.post(Self.message(url: "http://localhost:3000/before"), to: "bridge")
            #expect(mismatch.reason == .urlMismatch && mismatch.at == "/data/metadata/url")
            #expect(mismatch.expected == "http://localhost:3000/")
            let unknown = try await fixture.post(Self.message("ratng"), to: "bridge")
            #expect(unknown.reason == .unknownComponent && unknown.hint?.hasPrefix("Did you mean \"rating\"?") == true)
            let silent = try await fixture.post(#"{"name":"unsupportedComponent","component":"Map"}"#, to: "bridge")
            #expect(silent.reason == .unknownComponent && silent.found == #"string "Map""#)
            let event = try await fixture.post(Self.message("form", "conect"), to: "bridge")
            #expect(event.reason == .unknownEvent && event.hint?.hasPrefix("Did you mean \"connect\"?") == true)
            let data = try await fixture.post(Self.message("rating", "ask", #""stars":"four","#), to: "bridge")
            #expect(data.reason == .undecodable && data.at == "/data/stars" && data.expected == "Int")
            let body = try await fixture.post(#"{"id":1,"component":"form"}"#, to: "bridge")
            #expect(body.reason == .undecodable && body.at == "/id")
        }
    }

    @Test func selectsNothing_fromAMenuWithoutItems() async throws {
        try await run { fixture in
            try await fixture.boot()
            #expect(try await fixture.post(Self.message("menu", "display", #""items":[],"#), to: "bridge") == .handled)
            for item in ["1", "0", "-9223372036854775808", "nothing"] {
                #expect(throws: ActionRefusal.self) { try fixture.app.perform("menu.select", ["item": item]) }
            }
        }
    }

    /// The page of the web view `modal` shows the modal.
    private func runBelowAModal(
        _ style: String, _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await run { fixture in
            try await fixture.boot()
            #expect(try await fixture.post(Self.message(), to: "bridge") == .handled)
            for _ in 1...2 { _ = try await fixture.script() }
            let (modal, _) = try await PageClient.attach(
                port: fixture.port, origin: PageFixture.origin, document: "m-1", webView: "modal")
            let url = try #require(URL(string: "http://localhost:3000/new"))
            let properties: PathProperties = ["context": "modal", "modal_style": .string(style)]
            fixture.app.navigate("modal") { $0.route(VisitProposal(url: url, properties: properties)) }
            try await body(fixture)
            withExtendedLifetime(modal) {}
        }
    }

    /// UIKit calls `viewDidDisappear` beneath a full-screen modal only.
    @Test(arguments: ["large", "medium", "page_sheet", "form_sheet"])
    func pageBelowASheet_staysActive(_ style: String) async throws {
        try await runBelowAModal(style) { fixture in
            await fixture.page.post(Self.message(id: "2"), seq: 10, to: "bridge")
            let reply = try await fixture.script()
            #expect(reply.contains(#"{"id":"2","component":"rating","event":"ask""#))
            fixture.app.navigate("dismiss") { $0.dismissModal() }
            #expect(RatingComponent.life == [])
        }
    }

    @Test func pageBelowAFullScreenModal_isNotTheActiveDestination() async throws {
        try await runBelowAModal("full") { fixture in
            await fixture.page.post(Self.message(), seq: 10, to: "bridge")
            let record = try await fixture.recorder.first {
                if case .message("bridge", _, _, _, let verdict) = $0.event {
                    verdict.outcome == .dropped
                } else {
                    false
                }
            }
            guard case .message(_, _, _, _, let verdict) = record.event else { return }
            #expect(verdict.reason == .inactiveDestination, "\(verdict)")
            #expect(verdict.found == "one on the screen http://localhost:3000/")
            fixture.app.navigate("pop") { $0.pop() }
            #expect(RatingComponent.life == ["willDisappear", "didDisappear", "willAppear", "didAppear"])
        }
    }

    @Test func reportsAReply_afterThePageHasGone() async throws {
        try await run { fixture in
            try await fixture.boot()
            try await fixture.post(Self.message(), to: "bridge")
            let component = try #require(fixture.app.screens.visible?.bridgeDelegate.component() as RatingComponent?)
            let next = try #require(URL(string: "http://localhost:3000/next"))
            fixture.app.route(next)
            component.answerOnceMore()
            _ = try await fixture.recorder.problem("componentReplyLost")
        }
    }

    @Test func dropsOldComponents_whoseMessagesNeedTooMuch() async throws {
        RatingComponent.life = []
        // An eighth of the memory is for components, and three bytes are counted for each byte of data.
        try await PageFixture.run(memoryBytes: 1 << 20, { $0.components += [RatingComponent.self] }) { fixture in
            func data(_ kilobytes: Int) -> String {
                #""stars":4,"message":"\#(String(repeating: "x", count: kilobytes << 10))","#
            }
            var names: [String] {
                fixture.app.screens.visible?.bridgeDelegate.activeComponents.map { type(of: $0).name } ?? []
            }
            try await fixture.boot()
            #expect(try await fixture.post(Self.message("rating", "ask", data(18)), to: "bridge") == .handled)
            #expect(try await fixture.post(Self.message("form", "connect", data(18)), to: "bridge") == .handled)
            // The last message of an event replaces the one before.
            #expect(try await fixture.post(Self.message("form", "connect", data(20)), to: "bridge") == .handled)
            #expect(names == ["form", "rating"])
            #expect(try await fixture.post(Self.message("toast", "show", data(20)), to: "bridge") == .handled)
            #expect(names == ["form", "toast"])
            _ = try await fixture.recorder.problem("memoryUsedUp")
            let tooMuch = try await fixture.post(Self.message("rating", "ask", data(60)), to: "bridge")
            #expect(tooMuch.reason == .memoryUsedUp)
            #expect(fixture.server.componentMemory.bytes > 100 << 10)
            try fixture.app.perform("relaunch")
            #expect(fixture.server.componentMemory.bytes == 0)
        }
    }

    @Test func reportsAReply_toAnEarlierDocument() async throws {
        try await run { fixture in
            try await fixture.boot()
            try await fixture.post(Self.message(), to: "bridge")
            let component = try #require(fixture.app.screens.visible?.bridgeDelegate.component() as RatingComponent?)
            try await fixture.attach("d-2")
            // The same URL in a new document, whose messages have the same ids.
            try await fixture.post(Self.message("form", "connect", ""), to: "bridge")
            let result = ActionResult()
            ActionResult.$current.withValue(result) { component.answerOnceMore() }
            await #expect(throws: ActionRefusal.self) { try await result.arrive() }
            _ = try await fixture.recorder.problem("componentReplyLost")
        }
    }

    /// Main's web view shows the modal, too, as on Android and in a browser with one window.
    @Test func componentInAModal_repliesThroughTheOnlyWebView() async throws {
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        try await PageFixture.run {
            $0.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        } _: { fixture in
            try await fixture.boot()
            fixture.app.route(try #require(URL(string: "http://localhost:3000/new")))
            #expect(fixture.app.navigation.modal.count == 1)
            #expect(fixture.app.tabs.modalSession === fixture.app.sessions[.main])
            _ = try await fixture.script()
            fixture.update(url: "http://localhost:3000/new")
            let message = Self.message("form", "connect", #""submitTitle":"Save","#)
                .replacing("http://localhost:3000/", with: "http://localhost:3000/new")
            #expect(try await fixture.post(message, to: "bridge") == .handled)
            let bridge = fixture.app.tabs.views.bridges[.main]
            #expect(fixture.app.screens.visible?.bridgeDelegate.bridge === bridge)
            try fixture.app.perform("form.submit")
            #expect(try await fixture.script().hasPrefix("window.nativeBridge.replyWith("))
        }
    }

    @Test func tapOnTheSubmitButton_repliesToConnect() async throws {
        try await run { fixture in
            try await fixture.post(Self.message("form", "connect", #""submitTitle":"Save","#), to: "bridge")
            try fixture.app.perform("form.submit")
            #expect(try await fixture.script().contains(#""event":"connect""#))
            try await fixture.post(Self.message("form", "submitDisabled", ""), to: "bridge")
            #expect(throws: ActionRefusal.self) { try fixture.app.perform("form.submit") }
            #expect(JSONValue.object(fixture.app.state).text.contains(#""form":{"title":"Save","isEnabled":false}"#))
        }
    }
}
