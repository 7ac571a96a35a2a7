import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import AppComponents
@testable import EmulatedApp

/// Runs a component that is written for iOS.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct AppComponentTests {
    private static func message(_ event: String, _ data: String = #""title":"Tea","stars":5,"#) -> String {
        """
        {"id":"7","component":"review","event":"\(event)","data":{\(data)"metadata":{"url":"http://localhost:3000/"}}}
        """
    }

    private func run(_ body: @MainActor (PageFixture, () throws -> ReviewComponent) async throws -> Void) async throws {
        try await PageFixture.run({ $0.components += [ReviewComponent.self] }) { fixture in
            try await fixture.boot()
            try await body(fixture) {
                try #require(fixture.app.screens.visible?.bridgeDelegate.component() as ReviewComponent?)
            }
        }
    }

    private static func reply(_ event: String, _ data: String) -> String {
        #"window.nativeBridge.replyWith({"id":"7","component":"review","event":"\#(event)","data":\#(data)})"#
    }

    @Test func repliesInEveryForm() async throws {
        try await run { fixture, component in
            #expect(try await fixture.post(Self.message("connect"), to: "bridge") == .handled)
            #expect(try await fixture.script() == Self.reply("shown", #"{"stars":5}"#))
            try component().tap()
            #expect(
                try await fixture.script()
                    == Self.reply(
                        "connect", #"{"title":"Tea","stars":5,"metadata":{"url":"http://localhost:3000/"}}"#))
            try component().tapTwice()
            #expect(try await fixture.script() == Self.reply("connect", #"{"stars":1}"#))
            #expect(try await fixture.script() == Self.reply("connect", #"{"stars":2}"#))
            try await fixture.post(Self.message("save"), to: "bridge")
            #expect(try await fixture.script() == Self.reply("save", #"{"stars":3}"#))
            // The component waits for the page's answer to the first reply before it sends the second one.
            let failure = #""error":{"code":-32003,"message":"Error: no","data":{"name":"Error","message":"no"}}"#
            #expect(try await fixture.script(failure) == Self.reply("save", #"{"stars":4}"#))
            _ = try await fixture.recorder.problem("componentReplyLost")
            var results = try component().results.makeAsyncIterator()
            for expected in ["completion true", "completion true", "async true", "async failed"] {
                #expect(await results.next() == expected)
            }
            #expect(try await component().replyToNothing() == false)
            #expect(try component().location == "http://localhost:3000/")
            try await fixture.post(Self.message("submitDisabled"), to: "bridge")
            #expect(try component().isSaved)
        }
    }

    @Test func screenCallsItsComponents_inUIKitsOrder() async throws {
        try await run { fixture, component in
            try await fixture.post(Self.message("connect"), to: "bridge")
            let review = try component()
            let url = try #require(URL(string: "http://localhost:3000/next"))
            fixture.app.route(url)
            #expect(review.lifeCycle == ["viewWillDisappear", "viewDidDisappear"])
            #expect(review.delegate?.webView == nil)
            try fixture.app.perform("back")
            #expect(
                review.lifeCycle == ["viewWillDisappear", "viewDidDisappear", "viewWillAppear", "viewDidAppear"])
            #expect(review.delegate?.webView != nil)
        }
    }

    @Test func reportsData_thatAPhoneWouldNotSend() async throws {
        try await run { fixture, component in
            try await fixture.post(Self.message("connect"), to: "bridge")
            _ = try await fixture.script()
            try component().reply(to: "connect", with: [1, 2], completion: nil)
            #expect(try await fixture.script() == Self.reply("connect", "{}"))
            #expect(try await fixture.recorder.problem("componentReplyLost").text.contains("[1,2]"))
        }
    }

    @Test func testsOfAnApp_giveTheComponentADelegateOfTheirOwn() async throws {
        let (delegate, destination) = (BridgeDelegateSpy(), AppDestination())
        let component = ReviewComponent(destination: destination, delegate: delegate)
        let metadata = Message.Metadata(url: "https://example.com")
        let message = Message(
            id: "1", component: "review", event: "connect", metadata: metadata, jsonData: #"{"title":"a","stars":1}"#)
        component.didReceive(message: message)
        #expect(component.receivedMessage(for: "connect") == message)
        #expect(try await component.reply(to: "connect"))
        #expect(delegate.replies.contains(message))
        #expect(try await component.replyToNothing() == false)
        component.viewWillAppear()
        #expect(component.lifeCycle == ["viewWillAppear"])
    }

    @Test func tellsTheScreen_aboutANewComponent() {
        let destination = AppDestination()
        let delegate = BridgeDelegate(
            location: "http://localhost/", destination: destination, componentTypes: [ReviewComponent.self])
        delegate.onViewWillAppear()
        let metadata = Message.Metadata(url: "http://localhost/")
        for event in ["connect", "save"] {
            let message = Message(id: "1", component: "review", event: event, metadata: metadata, jsonData: "{}")
            #expect(delegate.bridgeDidReceiveMessage(message))
        }
        #expect(destination.initialized == ["review"])
        let other = Message(id: "1", component: "review", event: "connect", metadata: nil, jsonData: "{}")
        #expect(!delegate.bridgeDidReceiveMessage(other))
    }

    @Test func messagesAreEqual_whateverTheOrderOfTheirData() {
        func message(_ data: String) -> Message { Message(id: "1", component: "a", event: "b", jsonData: data) }
        #expect(message(#"{"a":1,"b":[2]}"#) == message(#"{ "b":[2], "a":1}"#))
        #expect(message(#"{"a":1}"#) != message(#"{"a":2}"#))
        #expect(message("{") != message("["))
    }
}
