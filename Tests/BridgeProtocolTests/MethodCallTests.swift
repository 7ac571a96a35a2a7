import Foundation
import TestSupport
import Testing

@testable import BridgeProtocol

/// Each message of the page channel, with all the members that it can have.
private enum Samples {
    static let frame = FrameInfo(url: "http://h/", origin: "http://h", isMainFrame: true)
    static let attach = AttachPage(
        document: "d", webView: "main", frame: frame, title: "t", readyState: "loading", userAgent: "a", resume: true,
        documentKey: "k", previous: .init(document: "c", seq: 3), waiting: [1, 2], engine: .firefox, isDevice: true)
    static let update = UpdatePage(
        url: "http://h/x", title: "t", readyState: "complete", visibility: "visible", status: 404)
    static let console = ConsoleEntry(
        level: "error", text: "x", kind: .rejection, url: "http://h/a.js", line: 3, column: 4, stack: "s")

    static func post() throws -> PostMessage {
        let body = try value(#"{"d":"NaN"}"#, types: #"{"/d":"number"}"#)
        return PostMessage(seq: 7, handler: "nativeApp", body: body, world: "w")
    }

    static func call() throws -> CallInterface {
        try CallInterface(
            seq: 8, params: JSON.parse(#"{"handler":"Device","method":"model","body":["NaN"],"types":{"/0":"number"}}"#)
        )
    }

    static func observed() throws -> ObservedEntries {
        let value = try value(#"{"d":"NaN"}"#, types: #"{"/d":"number"}"#)
        let events: [ObservedEntry.Event] = [
            .message(handler: "camera", name: nil, body: value), .message(handler: "Device", name: "model", body: []),
            .reply(of: 1, handler: "camera", .success(value), milliseconds: 1.5),
            .reply(of: 2, handler: "Device", .failure(ObservedError("t")), milliseconds: 2),
            .call(function: "window.bridge.register", arguments: ["c0ffee"]),
            .event(name: "turbo:visit", detail: [.init("url", "/x")]),
        ]
        return ObservedEntries(events.enumerated().map { ObservedEntry(seq: $0 + 1, $1) })
    }

    private static let challenge = AuthenticationChallenge(host: "h", port: 80, scheme: "basic", realm: "r")

    static let ofDriver: [DriverMessage] = [
        .decide(
            NavigationQuestion(
                "http://h/", .formResubmitted, isMainFrame: false, hasTargetFrame: true, isPost: true,
                response: .init(status: 200, mimeType: "text/html", disposition: "inline"))),
        .started(url: "http://h/"), .redirected(url: "http://h/"),
        .failed(NavigationFailure(url: "http://h/", domain: "d", code: -1004, text: "t", isProvisional: true)),
        .historyChanged(NavigationHistory(entries: [.init(url: "http://h/", title: "t")], index: 0)),
        .progressed(0.5),
        .dialog(
            DialogQuestion(
                .mediaCapture, text: "t", default: "d", multiple: true, devices: [.camera, .microphone],
                challenge: challenge)),
        .openWindow(url: "http://h/"), .processTerminated,
        .finished(
            FinishedRequest(
                url: "http://h/", method: "GET", type: "image", status: 200, mimeType: "image/png", milliseconds: 1.5,
                failure: "f", fault: "f1")),
        .problem(DriverProblem(code: "c", text: "t")),
    ]

    static func ofPage() throws -> [any MethodCall] {
        [try post(), attach, update, console, try observed(), try call()] + ofDriver
    }

    static let settings = WebViewSettings(
        handlers: [HandlerInfo(name: "nativeApp", replies: true, world: "w")],
        userScripts: [
            UserScriptInfo(
                source: "1", atDocumentEnd: true, mainFrameOnly: true, include: ["^a$"], exclude: ["^b$"], world: "w")
        ], interfaces: [InterfaceInfo(name: "Device", methods: ["model"])], userAgent: "a", applicationName: "n",
        allowsContentScripts: false, answersDialogs: true,
        faults: [RequestFault(id: "f1", Fault(url: URLPattern("/x"), kind: .slow(.seconds(2)), times: 3))],
        schemes: ["app"])

    private static let cookie = BrowserCookie(
        name: "n", value: "v", domain: "h", path: "/", isSecure: true, isHTTPOnly: true, expires: 1.5)

    static func ofDaemon() throws -> [DaemonMessage] {
        let arguments = try value(#"{"d":"NaN"}"#, types: #"{"/d":"number"}"#)
        let commands: [DriverCommand] = [
            .loadHTML("<p>", baseURL: "http://h/"), .stop, .input(.scroll(.init(x: 0.5, y: 1), deltaX: 3, deltaY: -4)),
            .emulate(try PageEmulation(JSON.parse(#"{"width":400,"height":800,"colorScheme":"dark"}"#))),
            .point(.tap, .role("button", name: "OK"), within: .milliseconds(1_500)),
            .point(.hover, .css("#a").within(.testID("list")).nth(-1), within: .milliseconds(1)),
            .point(.drag(to: .placeholder("Here")), .label("Card"), within: .seconds(1)),
            .snapshot(rect: [0, 1.5, 2, 3], width: 100), .pdf, .allCookies, .setCookie(cookie), .deleteCookie(cookie),
            .clearStorage(origins: ["http://h"]), .openWebView("other"), .closeWebView,
        ]
        return [
            .acknowledge(seq: 4), .handlersChanged(settings), .navigate(.url("http://h/")),
            .run(PageScript(.script(source: "1", sourceURL: "http://h/a.js"), world: "w")),
            .run(PageScript(.asyncFunction(body: "return d", arguments: arguments), world: "w")),
        ] + commands.map { .command($0) }
    }
}

/// The same type writes and reads each message of the page channel.
@Suite struct MethodCallTests {
    /// The message that a page has written, as the daemon reads it.
    private func read(_ text: String) throws -> any MethodCall {
        switch PageMessage(RPCMessage(try JSON.parse(text))) {
        case .attach(let attach, _): attach
        case .post(let post, _): post
        case .update(let update, _): update
        case .console(let entry, _): entry
        case .observed(let entries, _): entries
        case .call(let call, _): call
        case .driver(let message, _): message
        case .result(let id, _): throw RPCError.invalidRequest("the result \(id)")
        case .malformed(let message): throw message.error
        }
    }

    private func text(_ call: some MethodCall) -> String { written { $0.call(call, id: .number(1)) } }

    @Test func whatAPageWritesIsReadAlike() throws {
        let calls = try Samples.ofPage()
        for call in calls { #expect(try text(read(text(call))) == text(call)) }
        #expect(calls.map(\.method) == PageMethod.allCases.map(\.rawValue))
        #expect(try read(text(Samples.attach)) as? AttachPage == Samples.attach)
    }

    @Test func whatTheDaemonWritesIsReadAlike() throws {
        let messages = try Samples.ofDaemon()
        for message in messages {
            guard case .request(_, let method, let params) = RPCMessage(try JSON.parse(text(message))) else {
                Issue.record("\(text(message)) is no request")
                continue
            }
            #expect(try text(DaemonMessage(method, params)) == text(message))
        }
        #expect(Set(messages.map(\.method)) == Set(DaemonMethod.allCases.map(\.rawValue)))
    }

    @Test func inputAndNavigationAreReadAlike() throws {
        let steps: [InputStep] = [
            .move(x: 1.5, y: 2), .press(.right, clicks: 1), .release(.right, clicks: 1), .keyDown(.named(.shift)),
            .keyUp(.character("a")), .text("b"), .pause(.milliseconds(5)),
        ]
        let inputs: [PageInput] = [.tap(.init(x: 0.25, y: 0.5)), .text("a\nb"), .key(.arrowUp), .steps(steps)]
        for input in inputs { #expect(try PageInput(JSON.parse(input.text)) == input) }
        let navigations: [PageNavigation] = [.url("http://h/"), .reload, .delta(-2)]
        for navigation in navigations { #expect(try PageNavigation(JSON.parse(navigation.text)) == navigation) }
        let elements: [ElementTarget] = [.css("a"), .label("l"), .text("t"), .testID("i")]
        for element in elements { #expect(try ElementTarget(JSON.parse(element.json.text)) == element) }
    }

    @Test func resultsAreReadAlike() throws {
        let result = AttachResult(
            page: "p1", run: 7, otherWebView: "other", isResumed: true, lastSeq: 3, settings: Samples.settings,
            maxMessageBytes: 1_000, limits: JSON.Limits(nesting: 10, values: 20))
        #expect(try AttachResult(JSON.parse(result.text)) == result)
        for decision in [NavigationDecision.refused, .allowed, .webView("other")] {
            #expect(try NavigationDecision(JSON.parse(decision.text)) == decision)
        }
        let reply = DialogReply(
            isConfirmed: true, text: "t", files: ["/a"], prompts: true, position: .standard, user: "u", password: "p")
        #expect(try DialogReply(JSON.parse(reply.text)) == reply)
    }

    /// `EnvelopeReader` knows the form that `bridge.js` writes, and so do all others who post.
    @Test func postsAreReadQuickly() throws {
        let post = PostMessage(seq: 1, handler: "nativeApp", body: try value(#"{"a":1}"#))
        let bytes = Array(text(post).utf8)
        #expect(bytes.withUnsafeBytes { EnvelopeReader.messages(of: $0) } != nil)
    }

    @Test func allMethodsAreDocumented() throws {
        let page = try String(contentsOf: Repository.file("docs/protocol.md"), encoding: .utf8)
        for method in PageMethod.allCases.map(\.rawValue) + DaemonMethod.allCases.map(\.rawValue) {
            #expect(page.contains("`\(method)`"), "docs/protocol.md lacks \(method)")
        }
    }
}

/// `web/bridge` names the methods and their members itself.
@Suite struct PageScriptNameTests {
    private func script(_ name: String) throws -> String {
        try String(contentsOf: Repository.file("web/bridge/\(name)"), encoding: .utf8)
    }

    /// The names of an object literal, or of a pattern that takes an object apart.
    private func names(after marker: String, in file: String) throws -> Set<String> {
        let text = try script(file)
        let start = try #require(text.range(of: marker), "\(file) lacks \(marker)").upperBound
        var (names, name, depth, isName) = (Set<String>(), "", 0, false)
        for character in text[start...].drop(while: { $0 != "{" }) {
            if depth == 1, isName, ",:=}".contains(character), !name.isEmpty { names.insert(name) }
            switch character {
            case "{", "(", "[":
                depth += 1
                (name, isName) = ("", depth == 1)
            case "}", ")", "]":
                depth -= 1
                if depth == 0 { return names.subtracting(["__proto__"]) }
            case "," where depth == 1: (name, isName) = ("", true)
            case ":", "=", ".": if depth == 1 { isName = false }
            default: if depth == 1, isName, character.isLetter || character == "_" { name.append(character) }
            }
        }
        return names
    }

    /// The names of the members in a template of JSON text.
    private func members(ofTextAfter marker: String, in file: String) throws -> Set<String> {
        let text = try script(file)
        let start = try #require(text.range(of: marker), "\(file) lacks \(marker)").upperBound
        let line = text[start...].prefix { $0 != "\n" }
        return Set(line.matches(of: /"(\w+)":/).map { String($0.1) })
    }

    private func members(of call: some MethodCall) throws -> Set<String> {
        var names: Set<String> = []
        try JSON.parse(written { $0.object(call.writeMembers) }).forEachMember { name, _ in names.insert(name) }
        return names
    }

    @Test func methodsAreThoseOfTheProtocol() throws {
        var (called, handled) = (Set<String>(), Set<String>())
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.file("web/bridge").path)
        for file in files.sorted() where file.hasSuffix(".js") {
            let text = try script(file)
            called.formUnion(text.matches(of: /\bcall\("(\w+\.\w+)"/).map { String($0.1) })
            handled.formUnion(text.matches(of: /method === "(\w+\.\w+)"/).map { String($0.1) })
        }
        let ofPage: [PageMethod] = [.post, .attach, .update, .console, .call, .observed]
        #expect(called == Set(ofPage.map(\.rawValue)))
        let pattern = try #require(try script("evaluator.js").firstMatch(of: /EVALUATOR_METHODS = \/\^\((.*)\)\$\//)).1
        handled.formUnion(pattern.replacing("\\", with: "").split(separator: "|").map(String.init))
        let ofDaemon: [DaemonMethod] = [.acknowledge, .handlersChanged, .navigate, .evaluate, .callAsync]
        #expect(handled == Set(ofDaemon.map(\.rawValue)))
    }

    @Test func membersThatThePageWritesAreThoseOfTheProtocol() throws {
        let attach = try names(after: "this.observer.describe()\n    return", in: "page.js")
        #expect(try attach == members(of: Samples.attach).subtracting(["engine", "device"]))
        #expect(try names(after: "      frame:", in: "page.js") == ["url", "origin", "isMainFrame"])
        let observed = try names(after: "this.#pageObserver.describe()\n    return", in: "observer.js")
        let ofOthers: Set = ["engine", "documentKey", "previous", "waiting"]
        #expect(try observed == members(of: Samples.attach).subtracting(ofOthers))
        #expect(try names(after: "      frame:", in: "observer.js") == ["url", "origin", "isMainFrame"])
        #expect(try names(after: "const previous = json(", in: "outbox.js") == ["document", "seq"])
        let update = try names(after: "performance, \"navigation\"))\n    return", in: "page-observer.js")
        #expect(try update == members(of: Samples.update))
        let entry = try names(after: "const entry =", in: "console.js")
            .union(names(after: "const details =", in: "console.js"))
        #expect(try entry == members(of: Samples.console))
        let post = try members(ofTextAfter: "message.params =", in: "outbox.js")
        #expect(try post.union(["body", "types"]) == members(of: Samples.post()).subtracting(["world"]))
        let call = try members(ofTextAfter: "const params =", in: "interfaces.js")
        #expect(try call.union(["body", "types"]) == members(of: Samples.call()))
    }

    @Test func membersThatThePageReadsAreThoseOfTheProtocol() throws {
        let result = AttachResult(
            page: "p1", run: 7, otherWebView: "other", isResumed: true, lastSeq: 3, settings: Samples.settings,
            maxMessageBytes: 1_000)
        var written: Set<String> = []
        try JSON.parse(result.text).forEachMember { name, _ in written.insert(name) }
        let read = try names(after: "\n  #attached(", in: "page.js")
        #expect(read.count == 7 && read.isSubset(of: written))
        let settings = try members(of: DaemonMessage.handlersChanged(Samples.settings))
        #expect(try names(after: "\n  #changed(", in: "page.js").isSubset(of: settings))
        #expect(try names(after: "scriptURL = (", in: "evaluator.js") == ["source", "sourceURL"])
        let params = try script("evaluator.js").matches(of: /\bparams\.(\w+)/).map { String($0.1) }
        let scripts = try Samples.ofDaemon().filter { if case .run = $0 { true } else { false } }
        #expect(Set(params).isSubset(of: try scripts.reduce(into: []) { $0.formUnion(try members(of: $1)) }))
        #expect(try names(after: "const navigate = (", in: "evaluator.js") == ["url", "reload", "delta"])
    }
}
