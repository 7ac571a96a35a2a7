import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport

/// How a case ended.
enum CaseResult: Sendable {
    /// The outcome in the format of the recordings, for each kind of item that an array of native code may have.
    case ended([JSONValue], Duration)
    /// The case did not end, for a reason.
    case failed(String)
}

/// Runs cases in one browser, in several windows at a time. On the main actor.
@MainActor final class Conformance {
    private static let windows = 4
    private static let caseLimit = Duration.seconds(45)
    /// How many cases in a row may have no outcome. Then the browser answers nothing, and each of the other cases would
    /// take as long.
    private static let mostWithoutOutcome = 8
    /// How often a case that fails unexpectedly runs again, one at a time: on a busy machine, everything can be late.
    private static let retries = 2

    private let browser: any CaseBrowser
    private let isDriven: Bool
    private let server: BridgeServer
    private let address: BridgeServer.Address
    private let commonFiles: [String: SiteFile]
    private let caseLimit: Duration
    private var waiting: ArraySlice<RecordedCase> = []
    private var results: [String: CaseResult] = [:]
    /// The results of the cases that are running, by their id.
    private var running: [String: Later<CaseResult>] = [:]
    /// How many cases in a row had no outcome.
    private var withoutOutcome = 0
    /// Why the run has ended. Then the other cases fail at once.
    private var ending: String?

    /// - Parameter isKnown: returns whether a case is expected to fail.
    /// - Throws: `Browser.Missing`, or an error of the system.
    static func run(
        _ cases: [RecordedCase], in engine: CaseEngine, isKnown: (String) -> Bool
    ) async throws -> [CaseVerdict] {
        try await withBrowser(engine) { conformance in
            var verdicts = await conformance.verdicts(of: cases, windows: windows)
            for _ in 0..<retries where conformance.ending == nil {
                let failed = cases.filter { !isKnown($0.id) && verdicts[$0.id]?.passed == false }
                verdicts.merge(await conformance.verdicts(of: failed, windows: 1)) { $1 }
            }
            return cases.compactMap { verdicts[$0.id] }
        }
    }

    /// Starts a browser, runs `body`, and closes the browser.
    static func withBrowser<Value: Sendable>(
        _ engine: CaseEngine, _ body: @MainActor (Conformance) async throws -> Value
    ) async throws -> Value {
        try await withServer {
            $0.limits.pageTimeout = .seconds(2)
            // Each case has a site with a port of its own.
            $0.appOrigins = ["http://localhost:*"]
        } _: { server, address in
            let browser: any CaseBrowser =
                if let driven = engine.driven {
                    try await DrivenWindows(driven, server: server, address: address)
                } else {
                    try await Tabs(engine.attached ?? .chromium, server: server, address: address)
                }
            let conformance = Conformance(
                browser: browser, isDriven: engine.driven != nil, server: server, address: address,
                commonFiles: try RecordedPageFiles.files())
            browser.onEnd = { [weak conformance] in conformance?.end($0) }
            defer { browser.closeBrowser() }
            return try await body(conformance)
        }
    }

    private func verdicts(of cases: [RecordedCase], windows: Int) async -> [String: CaseVerdict] {
        let results = await run(cases, windows: windows)
        return Dictionary(cases.compactMap { one in results[one.id].map { (one.id, CaseVerdict(one, $0)) } }) { $1 }
    }

    /// Runs the cases, whose ids must differ.
    func run(_ cases: [RecordedCase], windows: Int = windows) async -> [String: CaseResult] {
        waiting = cases[...]
        results = [:]
        await withTaskGroup { group in
            for _ in 0..<windows { group.addTask { await self.work() } }
        }
        return results
    }

    init(
        browser: any CaseBrowser, isDriven: Bool, server: BridgeServer, address: BridgeServer.Address,
        commonFiles: [String: SiteFile], caseLimit: Duration = Conformance.caseLimit
    ) {
        self.browser = browser
        self.isDriven = isDriven
        self.server = server
        self.address = address
        self.commonFiles = commonFiles
        self.caseLimit = caseLimit
    }

    /// Runs one case after the other in one window.
    private func work() async {
        var window = browser.makeWindow()
        while let next = waiting.popFirst() {
            if Task.isCancelled { end("the run reached its time limit, so this case did not run") }
            if let ending {
                results[next.id] = .failed(ending)
                continue
            }
            let result = Later<CaseResult>()
            let task = Task { [window] in result.set(await run(next, in: window)) }
            running[next.id] = result
            defer { running[next.id] = nil }
            if let result = await result.wait(upTo: caseLimit) {
                results[next.id] = result
                withoutOutcome = 0
            } else {
                task.cancel()
                results[next.id] = .failed("no outcome in \(caseLimit)")
                window = browser.makeWindow()
                countWithoutOutcome()
            }
        }
    }

    private func countWithoutOutcome() {
        withoutOutcome += 1
        guard withoutOutcome == Conformance.mostWithoutOutcome else { return }
        end("the browser no longer answers: \(withoutOutcome) cases in a row had no outcome in \(caseLimit)")
    }

    /// Fails the cases that are running or waiting.
    private func end(_ reason: String) {
        guard ending == nil else { return }
        ending = reason
        for (_, result) in running { result.set(.failed(reason)) }
    }

    private func run(_ recordedCase: RecordedCase, in window: any CaseWindow) async -> CaseResult {
        let native = NativeSide(
            server: server, name: recordedCase.id.replacing(/[^A-Za-z0-9]/, with: "-"), settings: recordedCase.settings)
        do {
            let site = try Site(
                files: commonFiles.merging(recordedCase.sited) { $1 },
                admission: isDriven ? nil : Admission(port: address.port, webView: native.name))
            let runner = CaseRunner(
                recordedCase, site: site, native: native, window: window,
                blank: server.url(for: native.name) ?? "about:blank",
                evaluateElsewhere: { [browser] in browser.evaluate($0, completion: $1) })
            let started = ContinuousClock.now
            defer { window.endCase() }
            let outcome = try await runner.run()
            return .ended(outcome.recordedForms(for: recordedCase, site.placeholders), .now - started)
        } catch {
            return .failed("\(error)")
        }
    }
}

/// The files that every site serves (see "A case" in the README of the recordings).
enum RecordedPageFiles {
    static func files() throws -> [String: SiteFile] {
        let read = { name in
            String(decoding: try Data(contentsOf: Recordings.pageFolder.appendingPathComponent(name)), as: UTF8.self)
        }
        let script = try read("oracle.js").replacingOccurrences(of: "/*TAGGER*/", with: try read("tagger.js"))
        return [
            "/oracle.js": SiteFile(body: script, type: "text/javascript"),
            "/index.html": SiteFile(body: try read("index.html"), type: "text/html; charset=utf-8"),
        ]
    }
}

extension RecordedCase {
    /// The case's files, with content types for their names.
    fileprivate var sited: [String: SiteFile] {
        let files = files ?? [:]
        return Dictionary(
            uniqueKeysWithValues: files.map { path, file in
                var file = file
                if path.hasSuffix(".js") { file.type = "text/javascript; charset=utf-8" }
                return (path, file)
            })
    }
}
