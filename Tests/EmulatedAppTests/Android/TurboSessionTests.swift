import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeServer
@testable import EmulatedApp
@testable import PathConfiguration

/// The methods of Turbo Android's interface object, and the event of each.
@MainActor @Suite(.timeLimit(.minutes(4))) struct TurboSessionTests {
    nonisolated private static let options = #""{\"action\":\"replace\"}""#

    nonisolated static let calls: [(method: String, arguments: String, event: String)] = [
        ("turboIsReady", "[true]", "turboIsReady(true)"),
        ("pageLoaded", #"["r"]"#, #"visit(pageLoaded(restorationIdentifier: "r"))"#),
        ("turboFailedToLoad", "[]", "visit(pageLoadFailed)"), ("pageInvalidated", "[]", "pageInvalidated"),
        ("visitProposedToLocation", #"["http://localhost/posts",\#(options)]"#, "visitProposed(URL, replace)"),
        ("visitProposalRefreshingPage", #"["http://localhost/posts",\#(options)]"#, "refreshingPage(URL, replace)"),
        ("visitProposalScrollingToAnchor", #"["http://localhost/posts",\#(options)]"#, "scrollingToAnchor(URL)"),
        (
            "visitStarted", #"["v",true,false,"http://localhost/posts"]"#,
            #"visit(visitStarted(identifier: "v"))"#
        ),
        ("visitRequestStarted", #"["v"]"#, #"visit(requestStarted(identifier: "v"))"#),
        ("visitRequestCompleted", #"["v"]"#, #"visit(requestCompleted(identifier: "v"))"#),
        (
            "visitRequestFailedWithStatusCode", #"["http://localhost/posts","v",true,404]"#,
            #"visit(requestFailed(identifier: "v", statusCode: 404, hasCachedSnapshot: true))"#
        ),
        (
            "visitRequestFailedWithNonHttpStatusCode", #"["http://localhost/posts","v",false]"#,
            #"visit(requestFailed(identifier: "v", statusCode: 0, hasCachedSnapshot: false))"#
        ),
        ("elementTouchStarted", "[true]", "touch(preventsPullToRefresh: true)"),
        ("elementTouchEnded", "[]", "touch(preventsPullToRefresh: false)"),
        ("visitRequestFinished", #"["v"]"#, #"visit(requestFinished(identifier: "v"))"#),
        ("visitRendered", #"["v"]"#, #"visit(rendered(identifier: "v"))"#),
        ("visitCompleted", #"["v","r"]"#, #"visit(completed(identifier: "v", restorationIdentifier: "r"))"#),
        ("formSubmissionStarted", #"["http://localhost/posts"]"#, "formSubmissionStarted(Optional(URL))"),
        ("formSubmissionFinished", #"["http://localhost/posts"]"#, "formSubmissionFinished(Optional(URL))"),
        ("linkActivated", #"["http://localhost/posts"]"#, "linkActivated(URL)"),
        (
            "turboFinding", #"["{\"kind\":\"formRefused\",\"method\":\"POST\",\"url\":\"/posts\"}"]"#,
            #"finding(TurboFinding.formRefused(TurboResponse(method: "POST", url: "/posts", statusCode: nil, text: nil, isShown: nil)))"#
        ),
    ]

    @Test(arguments: calls) func readsEachEvent(call: (method: String, arguments: String, event: String)) throws {
        var events: [TurboEvent] = []
        let session = JavascriptInterface.turboSession { events.append($0) }
        try self.call(session, call.method, call.arguments)
        let text = events.map { "\($0)" }.joined()
            .replacing("http://localhost/posts", with: "URL").replacing("EmulatedApp.Visit.Event.", with: "")
            .replacing("EmulatedApp.", with: "")
            .replacing(/VisitOptions\(action: VisitAction\.(\w+).*?\)/) { "\($0.1)" }
        #expect(text == call.event)
    }

    /// The page chooses the texts of a finding.
    @Test func textsOfFindingsAreCut() throws {
        let long = String(repeating: "x", count: 100_000)
        let elements = Array(repeating: "\"\(long)\"", count: 50).joined(separator: ",")
        let json = """
            {"kind":"reload","reason":"\(long)","onlyBefore":[\(elements)],"onlyAfter":[\(elements)]}
            """
        func description(_ json: String) throws -> String {
            "\(try JSONDecoder().decode(TurboFinding.self, from: Data(json.utf8)))"
        }
        #expect(try description(json).utf8.count < 4_000)
        let response = #"{"kind":"serverError","method":"\#(long)","url":"\#(long)","text":"\#(long)"}"#
        #expect(try description(response).utf8.count < 4_000)
    }

    @Test func hasExactlyTheseMethods() {
        #expect(JavascriptInterface.turboSession { _ in }.names.sorted() == Self.calls.map(\.method).sorted())
    }

    @Test(arguments: [
        ("visitProposedToLocation", #"["",""]"#, "/0"), ("visitProposedToLocation", #"["/x","{"]"#, "/1"),
    ])
    func namesTheArgumentThatDoesNotDecode(method: String, arguments: String, place: String) throws {
        let session = JavascriptInterface.turboSession { _ in }
        let dropped = #expect(throws: DroppedMessage.self) { try call(session, method, arguments) }
        #expect(dropped?.verdict.at == place && dropped?.verdict.reason == .undecodable)
    }

    private func call(_ object: JavascriptInterface, _ method: String, _ arguments: String) throws {
        let params = #"{"seq":1,"handler":"TurboSession","method":"\#(method)","body":\#(arguments)}"#
        let call = try CallInterface(params: JSON.parse(params))
        let found = try #require(object.methods[method])
        #expect(found.takes(call.arguments.count))
        _ = try found.call(.none, call.arguments)
    }

    // MARK: The platform

    @Test(
        arguments: [
            (nil, nil), ("hotwire://fragment/web", nil), ("hotwire://fragment/web/modal/sheet", nil),
            ("turbo://fragment/numbers", "numbers"), ("hotwire://fragment/image_viewer", "image_viewer"),
        ] as [(String?, String?)])
    func findsTheFragment(uri: String?, screen: String?) {
        let properties = PathProperties(uri.map { ["uri": .string($0)] } ?? [:])
        #expect(Framework.android13.nativeScreen(of: properties) == screen)
    }
}

extension ScriptMessageContext {
    /// A context for methods that do not use it.
    @MainActor fileprivate static var none: ScriptMessageContext {
        ScriptMessageContext(handler: "", page: "", webView: "", url: "", seq: 1, evaluator: NoEvaluator())
    }
}

@MainActor private final class NoEvaluator: ScriptEvaluator {
    func evaluate(
        _ source: String, timeout: Duration?, completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)?
    ) {}
}
