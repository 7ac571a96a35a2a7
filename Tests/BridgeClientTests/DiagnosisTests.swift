import BridgeProtocol
import Testing

@testable import BridgeClient

/// What the doctor makes of what a page tells.
@Suite struct DiagnosisTests {
    private static let tag = "<script src=\"http://localhost:2734/bridge.js\"></script>"

    /// The codes of what is found that is worse than a note, in a page that is well but for what `change` does.
    private func codes(handlers: [String] = ["nativeApp"], _ change: (inout PageFacts) -> Void) -> [String] {
        var facts = PageFacts(
            bridge: .init(name: "http://localhost:2734/bridge.js", isLate: false, isInHead: true),
            url: "http://localhost:3000/", userAgent: "Turbo Native iOS", turbo: "Turbo",
            hasTurboElements: true, hasAdapter: true, isAdapterRegistered: true)
        change(&facts)
        return Diagnosis.findings(facts, handlers: handlers, scriptTag: Self.tag)
            .filter { $0.severity != .ok }.map(\.code)
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

    @Test func findsProblemsOfComponents() {
        func codes(_ change: (inout ComponentFacts) -> Void) -> [String] {
            var facts = ComponentFacts(
                library: "HotwireNative", hasAdapter: true, isAdapterSet: true, uses: ["form"], supported: ["form"],
                listed: ["form"])
            change(&facts)
            let findings = facts.findings
            #expect(findings.allSatisfy { $0.severity == .ok || !$0.fix.isEmpty })
            return findings.map(\.code)
        }
        #expect(codes { _ in } == ["components"])
        #expect(codes { $0 = ComponentFacts() } == [])
        #expect(codes { $0.library = nil } == ["componentLibraryMissing"])
        #expect(codes { $0.hasAdapter = false } == ["componentAdapterMissing"])
        #expect(codes { $0.isAdapterSet = false } == ["componentAdapterNotSet"])
        #expect(codes { $0.uses = ["map"] } == ["componentMissing"])
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
        for finding in Diagnosis.findings(facts, handlers: [], scriptTag: Self.tag) where finding.severity != .ok {
            #expect(!finding.fix.isEmpty)
        }
    }

    @Test func sortsTheWorstFirst() {
        let findings = [
            Finding(.ok, "a", ""), Finding(.error, "b", ""), Finding(.note, "c", ""), Finding(.error, "d", ""),
        ]
        #expect(findings.inOrder.map(\.code) == ["b", "d", "c", "a"])
    }
}
