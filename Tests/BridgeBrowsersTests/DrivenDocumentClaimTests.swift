import BridgeProtocol
import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

@testable import BridgeBrowsers

/// A page that has found the function of `web/driven.js` can say no more than a page may say anyway.
@MainActor @Suite(.timeLimit(.minutes(2))) struct DrivenDocumentClaimTests {
    private static let introduction = #"""
        {"frame":{"url":"http://localhost:3000/","origin":"http://localhost:3000","isMainFrame":true},"title":"",\#
        "readyState":"complete","userAgent":""}
        """#

    /// - Parameter isMainFrame: what the browser knows.
    private func withWorld(
        isMainFrame: Bool = true, _ body: @MainActor (DriverFixture, ScriptWorld, StandInFrame) async throws -> Void
    ) async throws {
        try await withDriver { driver in
            driver.server.addHandler("plain", .plain { _, _ in .handled })
            driver.server.defaultScope.handlersInWorlds = ["tools": ["own": .plain { _, _ in .handled }]]
            let frame = StandInFrame(isMainFrame: isMainFrame)
            let document = DrivenDocument(in: frame, try await driver.webView(), after: nil)
            frame.document = document
            let world = ScriptWorld(id: "1", name: nil, origin: "http://localhost:3000", document: document)
            try await body(driver, world, frame)
        }
    }

    private func frame(_ method: String, _ params: String) -> String {
        #"frame {"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#
    }

    @Test func originAndFrameAreThoseOfTheBrowser() async throws {
        try await withWorld(isMainFrame: false) { driver, world, _ in
            world.receive("document " + Self.introduction.replacing(":3000", with: ":4000"))
            let page = try await driver.attached("http://localhost:3000/frame")
            #expect(!page.frame.isMainFrame && page.frame.origin == "http://localhost:3000")
            world.receive(frame("page.update", #"{"url":"http://localhost:4000/x","title":"Two"}"#))
            _ = try await driver.recorder.first { _ in page.title == "Two" }
            #expect(page.url == "http://localhost:3000/frame")
            world.receive(frame("page.update", #"{"url":"http://localhost:3000/own"}"#))
            _ = try await driver.recorder.first { _ in page.url == "http://localhost:3000/own" }
        }
    }

    @Test(arguments: [
        "HTTP://localhost:4000/x", "Http://localhost:3000@evil/", "file:///etc/passwd", "data:text/html,x", "ftp://x/",
    ])
    func urlIsOfTheOrigin(_ url: String) async throws {
        try await withWorld { driver, world, _ in
            world.receive("document \(Self.introduction)")
            let page = try await driver.attached()
            world.receive(frame("page.update", #"{"url":"\#(url)","title":"Two"}"#))
            _ = try await driver.recorder.first { _ in page.title == "Two" }
            #expect(page.url == "http://localhost:3000/")
        }
    }

    /// The browser may not know the origin: that of Firefox's viewer of JSON is not the document's.
    @Test func originIsThatOfTheURL_ifTheBrowserDoesNotSay() async throws {
        try await withDriver { driver in
            let document = DrivenDocument(in: StandInFrame(isMainFrame: true), try await driver.webView(), after: nil)
            let world = ScriptWorld(id: "1", name: nil, origin: nil, document: document)
            world.receive("document " + Self.introduction.replacing(":3000", with: ":4000"))
            let page = try await driver.attached("http://localhost:3000/frame")
            #expect(page.frame.origin == "http://localhost:3000")
            #expect(Origin.of("data:text/html,x") == "null")
        }
    }

    @Test func onlyPageUpdatesAndConsoleEntriesReachTheDaemon() async throws {
        try await withWorld { driver, world, _ in
            world.receive("document \(Self.introduction)")
            let page = try await driver.attached()
            let lines = [
                frame("message.post", #"{"seq":9,"handler":"own","world":"tools","body":1}"#),
                frame("navigation.failed", #"{"url":"x","domain":"d","code":1,"text":"","isProvisional":true}"#),
                frame("request.finished", #"{"url":"http://localhost/","method":"GET"}"#),
                frame("process.terminated", "{}"), #"frame {"jsonrpc":"2.0","id":1,"result":{"value":1}}"#,
                #"frame {"jsonrpc":"2.0","id":1,"method":"page.update","params":{}}"#, "frame x",
                #"post 1 "own""# + "\n" + #""body":1,"world":"tools""#,
                #"post 2 "own""# + "\n" + #""body":1,"wor\u006cd":"tools""#,
                #"post 3 "own""# + "\n" + #""body":1},"world":{"#,
                "document \(Self.introduction)", "nonsense", #"script "x""# + "\n" + #""alert(1)""#,
            ]
            for line in lines { world.receive(line) }
            world.receive("post 4 \"plain\"\n\"body\":[1,2]")
            _ = try await driver.recorder.first { $0.event.kind == .message }
            let kinds = driver.recorder.records.map(\.event.kind)
            #expect(kinds.count { $0 == .message } == 1 && !kinds.contains(.request))
            #expect(driver.server.pages.map(\.id) == [page.id] && !driver.hasDetached)
            _ = try await driver.recorder.problem("notOfDriver")
        }
    }

    @Test func messageThatCannotBeRead_failsInThePage() async throws {
        try await withWorld { driver, world, frame in
            world.setBridge("bridge")
            world.receive("document \(Self.introduction)")
            _ = try await driver.attached()
            world.receive("post 7 \"plain\"\n\"body\":1,\"world\":\"tools\"")
            #expect(frame.settled.count == 1 && frame.settled[0].contains(#""id":7,"error""#), "\(frame.settled)")
        }
    }

    @Test func onlyUserScriptsOfNativeCodeRun() async throws {
        try await withDriver { driver in
            driver.server.defaultScope.userScripts = [
                UserScript(source: "window.own = 1", injectionTime: .atDocumentStart, forMainFrameOnly: false)
            ]
            let frame = StandInFrame(isMainFrame: true)
            let document = DrivenDocument(in: frame, try await driver.webView(), after: nil)
            let world = ScriptWorld(id: "1", name: nil, origin: nil, document: document)
            world.receive("script \"user-script:1\"\n\"window.own = 1\"")
            world.receive("script \"user-script:2\"\n\"alert(1)\"")
            #expect(frame.userScripts == ["window.own = 1"])
        }
    }

    @Test func messagesBeforeTheDocument_areLimited() async throws {
        try await withWorld { driver, world, frame in
            world.setBridge("bridge")
            for id in 1...1_005 { world.receive("post \(id) \"plain\"\n\"body\":1") }
            #expect(frame.settled.count == 5 && frame.settled[0].contains("too many messages wait for the document"))
            world.receive("document \(Self.introduction)")
            _ = try await driver.recorder.first { _ in
                driver.recorder.records.count { $0.event.kind == .message } == 1_000
            }
        }
    }
}

/// A frame without a browser. It notes what the driver wants.
@MainActor final class StandInFrame: BrowserFrame {
    var document: DrivenDocument?
    let isMainFrame: Bool
    let url = "http://localhost:3000/frame"
    private(set) var settled: [String] = []
    private(set) var userScripts: [String] = []

    init(isMainFrame: Bool) { self.isMainFrame = isMainFrame }

    func runUserScript(_ source: String, name: String, in world: ScriptWorld) { userScripts.append(source) }

    func call(
        _ method: StaticString, of bridge: String, _ arguments: [BridgeArgument], in world: ScriptWorld, awaits: Bool,
        completion: ((Result<JSON, BrowserError>) -> Void)?
    ) {
        if "\(method)" == "settle", case .text(let text)? = arguments.first { settled.append(text) }
    }

    func install(_ settings: WebViewSettings) {}
    func makeWorld(_ name: String, _ settings: WebViewSettings, failed: @escaping () -> Void) {}
    func run(
        _ program: String, name: String?, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {}
    var functionName: String? { nil }
    func place(_ details: JSON, of script: (source: String, name: String?), in document: DrivenDocument) -> ScriptPlace
    {
        ScriptPlace(url: "", line: 0, column: 0)
    }
    func callAsync(
        _ function: JSON, _ arguments: ScriptValue, of bridge: String, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {}
    func navigate(_ navigation: PageNavigation) {}
    let parentFrame: (any BrowserFrame)? = nil
    let asksAboutDialogs = true
    let hasUser = false
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void) { done() }
    func loadHTML(_ html: String, baseURL: String?) {}
    func stopLoading() {}
    func perform(_ input: PageInput) {}
    func perform(_ motion: PointerMotion) {}
    func emulate(_ emulation: PageEmulation) {}
    func snapshot(rect: [Double]?, width: Double?, scale: Double?) -> String { "" }
    func pdf() -> String { "" }
    func cookies() -> [BrowserCookie] { [] }
    func setCookie(_ cookie: BrowserCookie) {}
    func deleteCookie(_ cookie: BrowserCookie) {}
    func clearStorage(of origins: [String]) -> [String] { [] }
}
