import BridgeProtocol
import Testing

@testable import BridgeClient

/// What the doctor makes of what a page tells.
@Suite struct DiagnosisTests {
    private static let tag = "<script src=\"http://localhost:2734/bridge.js\"></script>"

    /// The codes of what is found that is worse than a note, in a page that is well but for what `change` does.
    private func codes(
        handlers: [String] = ["nativeApp"], by attachment: PageAttachment = .tag, _ change: (inout PageFacts) -> Void
    ) -> [String] {
        findings(handlers: handlers, by: attachment, change).map(\.code)
    }

    private func findings(
        handlers: [String] = ["nativeApp"], by attachment: PageAttachment, _ change: (inout PageFacts) -> Void
    ) -> [Finding] {
        var facts = PageFacts(
            bridge: .init(name: "http://localhost:2734/bridge.js", isLate: false, isInHead: true),
            url: "http://localhost:3000/", userAgent: "Turbo Native iOS", turbo: "Turbo",
            hasTurboElements: true, hasAdapter: true, isAdapterRegistered: true)
        change(&facts)
        return Diagnosis.findings(facts, by: attachment, handlers: handlers, builtIn: ["menu"], scriptTag: Self.tag)
            .filter { $0.severity != .ok }
    }

    @Test func findsNoProblem_inAGoodPage() {
        #expect(codes { $0.uses = ["nativeApp"] } == [])
    }

    @Test func findsEachProblem() {
        #expect(codes { $0.bridge = nil } == ["scriptTagMissing"])
        #expect(codes { $0.earlier = ["http://localhost:3000/app.js"] } == ["scriptNotFirst"])
        #expect(
            codes { $0.bridge = .init(name: "", isLate: true, isInHead: false) } == ["scriptLate", "scriptNotInHead"])
        #expect(codes { $0.uses = ["nativeApp", "camera"] } == ["handlerMissing"])
        #expect(codes { ($0.uses, $0.computesNames) = (["nativeApp"], true) } == ["handlersComputed"])
        let android = "Turbo Native Android"
        #expect(codes { ($0.userAgent, $0.uses) = (android, ["nativeApp"]) } == [])
        #expect(codes(handlers: []) { ($0.userAgent, $0.uses) = (android, ["nativeApp"]) } == ["handlerOnAndroid"])
        let both = codes(handlers: []) { ($0.userAgent, $0.uses, $0.calls) = (android, ["nativeApp"], ["nativeApp"]) }
        #expect(both == [])
        #expect(
            codes { $0.userAgent = "Mozilla/5.0 Hotwire Native Android; Turbo Native Android; bridge-components: []" }
                == ["userAgent"])
        #expect(codes { $0.url = "https://localhost:3000/" } == ["mixedContent"])
        #expect(codes { $0.isHidden = true } == ["hidden"])
        #expect(codes { $0.userAgent = "Mozilla/5.0" } == ["userAgent"])
        #expect(codes { $0.userAgent += " Hotwire Native iOS; Turbo Native iOS; bridge-components: [a]" } == [])
        let added = "Mozilla/5.0 Hotwire Native iOS; Turbo Native iOS; bridge-components: []"
        #expect(codes { $0.userAgent = added } == ["userAgent"])
        #expect(codes { ($0.turbo, $0.hasTurboElements) = (nil, false) } == ["turboMissing"])
        #expect(codes { $0.turbo = nil } == ["turboNotOnWindow"])
        #expect(codes { $0.hasAdapter = false } == ["adapterMissing"])
        #expect(codes { $0.isAdapterRegistered = false } == ["adapterNotRegistered"])
        #expect(codes { $0.unread = ["https://cdn.example/x.js"] } == ["scriptsUnread"])
    }

    /// What is only true of a page with the tag must not be said in a browser that bridged drives.
    @Test(arguments: BrowserEngine.allCases) func saysNothingAboutTheTag_inADrivenBrowser(_ engine: BrowserEngine) {
        let driven = PageAttachment.driven(engine)
        #expect(codes(by: driven) { $0.bridge = nil } == [])
        #expect(codes(by: driven) { $0.bridge = .init(name: "", isLate: true, isInHead: false) } == [])
        #expect(codes(by: driven) { $0.earlier = ["http://localhost:3000/app.js"] } == [])
        #expect(codes(by: driven) { $0.url = "https://localhost:3000/" } == [])
        #expect(codes(by: driven) { $0.isHidden = true } == (engine == .chromium ? [] : ["hidden"]))
        let sent = "Mozilla/5.0 Hotwire Native iOS; Turbo Native iOS; bridge-components: [form]"
        #expect(codes(by: driven) { $0.userAgent = sent } == [] && codes { $0.userAgent = sent } == ["userAgent"])
        #expect(codes(by: driven) { $0.userAgent = "Mozilla/5.0" } == ["userAgent"])
        // What is wrong with the page itself is wrong in every browser.
        #expect(codes(by: driven) { $0.uses = ["camera"] } == ["handlerMissing"])
        #expect(codes(by: driven) { $0.turbo = nil } == ["turboNotOnWindow"])
        #expect(codes(by: driven) { ($0.turbo, $0.hasTurboElements) = (nil, false) } == ["turboMissing"])
        #expect(codes(by: driven) { $0.isAdapterRegistered = false } == ["adapterNotRegistered"])
        #expect(codes(by: driven) { $0.unread = ["https://cdn.example/x.js"] } == ["scriptsUnread"])
        for fix in findings(by: driven, { ($0.hasAdapter, $0.userAgent) = (false, "x") }).map(\.fix) {
            #expect(!fix.contains("bridge.js") && !fix.contains("--user-agent"), "\(fix)")
        }
        #expect(findings(by: .tag) { $0.hasAdapter = false }[0].fix.contains("bridge.js adds the adapter"))
    }

    /// The policy of a page with the tag lets the bridge through, as the facts show; that of another is not asked.
    @Test func saysWhatThePolicyMeans() {
        func policy(_ attachment: PageAttachment) -> String? {
            let facts = PageFacts(policies: [.init(place: "header", text: "default-src 'self'")])
            return Diagnosis.findings(facts, by: attachment, handlers: [], builtIn: [], scriptTag: Self.tag)
                .first { $0.code == "policy" }?.text
        }
        #expect(policy(.tag) == "The Content-Security-Policy (header) allows the bridge.")
        #expect(policy(.driven(.firefox)) == "The Content-Security-Policy (header) cannot block the bridge.")
    }

    @Test func saysWhyThePageIsSilent() {
        let thrown = RPCError(.javaScriptException, "EvalError")
        #expect(Diagnosis.silence(thrown, .tag).fix.contains("unsafe-eval"))
        #expect(!Diagnosis.silence(thrown, .driven(.webkit)).fix.contains("unsafe-eval"))
        #expect(Diagnosis.silence(RPCError(.timedOut, ""), .tag).code == "silent")
        #expect(Diagnosis.silence(RPCError(.documentGone, "It has left."), .tag).code == "gone")
    }

    @Test func saysHowToShowAPage_ifNoneIsAttached() throws {
        func fix(_ pages: String...) throws -> String? {
            Diagnosis.withoutPage([.init("webView", "modal")], try pages.map { try JSON.parse($0) }, [], Self.tag)
                .first { $0.code == "noPage" }?.fix
        }
        #expect(try fix()?.contains(Self.tag) == true)
        #expect(try fix(#"{"page":"p1","webView":"main","attached":true}"#)?.contains(Self.tag) == true)
        let driven = try fix(#"{"page":"p1","webView":"main","attached":true,"engine":"firefox"}"#)
        #expect(driven?.contains("bridge.js") == false, "\(driven ?? "")")
    }

    @Test func findsProblemsOfComponents() {
        func codes(_ change: (inout ComponentFacts) -> Void) -> [String] {
            var facts = ComponentFacts(
                library: "HotwireNative", hasAdapter: true, isAdapterSet: true, uses: ["form"], supported: ["form"],
                listed: ["form"])
            change(&facts)
            let findings = facts.findings(by: .tag, builtIn: ["form", "menu"])
            #expect(findings.allSatisfy { $0.severity == .ok || !$0.fix.isEmpty })
            return findings.map(\.code)
        }
        #expect(codes { _ in } == ["components"])
        #expect(codes { $0 = ComponentFacts() } == [])
        #expect(codes { $0.library = nil } == ["componentLibraryMissing"])
        #expect(codes { $0.hasAdapter = false } == ["componentAdapterMissing"])
        #expect(codes { $0.isAdapterSet = false } == ["componentAdapterNotSet"])
        #expect(codes { $0.uses = ["map"] } == ["componentMissing"])
        #expect(codes { $0.uses = ["menu"] } == ["componentLeftOut"])
        #expect(codes { $0.listed = nil } == ["componentNotListed"])
        #expect(codes { $0.optedOut = ["form"] } == ["componentOptedOut", "components"])
    }

    /// The app's build explains which components are missing, so the doctor does not guess.
    @Test func buildThatLacksSomething_isNamedForEach() throws {
        let problems = try ["nfc", "nfc", "scanner"].map {
            try JSON.parse(
                #"{"code":"componentNotRegistered","text":"The component \#($0) is not registered","hint":"Hide it"}"#)
        }
        let findings = Diagnosis.trouble(problems)
        #expect(
            findings.map(\.text) == ["The component nfc is not registered", "The component scanner is not registered"])
        #expect(findings.allSatisfy { $0.severity == .warning && $0.fix == "Hide it" })
        let guess = Finding(.error, "componentMissing", "")
        #expect(Diagnosis.withoutGuesses([guess], problems) == [] && Diagnosis.withoutGuesses([guess], []) == [guess])
    }

    @Test func saysHowToFixEachProblem() {
        var facts = PageFacts(url: "https://localhost/")
        facts.uses = ["camera"]
        for attachment in [PageAttachment.tag, .driven(.firefox)] {
            let findings = Diagnosis.findings(
                facts, by: attachment, handlers: [], builtIn: [], scriptTag: Self.tag)
            #expect(findings.allSatisfy { $0.severity == .ok || !$0.fix.isEmpty })
        }
    }

    @Test func sortsTheWorstFirst() {
        let findings = [
            Finding(.ok, "a", ""), Finding(.error, "b", ""), Finding(.note, "c", ""), Finding(.error, "d", ""),
        ]
        #expect(findings.inOrder.map(\.code) == ["b", "d", "c", "a"])
    }

    @Test func saysOfAnObservedPageWhatThisAppWouldDrop() throws {
        let page = try JSON.parse(#"{"device":true,"model":"iPhone","system":"iOS 18.5"}"#)
        let device = DeviceInfo(model: "iPhone", system: "iOS 18.5")
        #expect(PageAttachment(page) == .device(device))
        #expect(!PageAttachment(page).isDriven)
        let messages = try [
            #"{"record":2,"handler":"camera","here":{"outcome":"dropped","reason":"noHandler","hint":"Stub it."}}"#,
            #"{"record":3,"handler":"nativeApp"}"#,
            #"{"record":4,"handler":"camera","here":{"outcome":"dropped","reason":"noHandler","hint":"Stub it."}}"#,
        ].map { try JSON.parse($0) }
        let findings = Diagnosis.findings(observed: device, messages)
        #expect(findings.map(\.code) == ["observed", "notSeen", "droppedHere"])
        #expect(findings[0].text.contains("(iPhone, iOS 18.5)"))
        #expect(findings[1].text.contains("loads that native code refuses; native screens"))
        #expect(findings[1].fix.contains("observe: [myApp.bridge]"))
        #expect(findings[2].text.contains("camera (record 2)") && findings[2].text.contains("2 times"))
        #expect(findings[2].fix == "Stub it.")
    }
}
