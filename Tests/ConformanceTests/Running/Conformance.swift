import BridgeServer
import BridgeTesting
import Foundation
import TestSupport

/// Runs cases in one browser, in several windows at a time. On the main actor.
@MainActor final class Conformance {
    private static let windows = 4
    private static let caseLimit = Duration.seconds(45)
    /// How often a case that fails unexpectedly runs again, one at a time: on a busy machine, everything can be late.
    private static let retries = 2

    private let tabs: Tabs
    private let server: BridgeServer
    private let address: BridgeServer.Address
    private let commonFiles: [String: SiteFile]
    private var waiting: ArraySlice<RecordedCase> = []
    private var verdicts: [String: CaseVerdict] = [:]

    /// - Parameter isKnown: returns whether a case is expected to fail.
    /// - Throws: `Browser.Missing`, or an error of the system.
    static func run(
        _ cases: [RecordedCase], in engine: Browser.Engine, isKnown: (String) -> Bool
    ) async throws -> [CaseVerdict] {
        try await withServer {
            $0.limits.pageTimeout = .seconds(2)
            // Each case has a site with a port of its own.
            $0.appOrigins = ["http://localhost:*"]
        } _: { server, address in
            let tabs = try await Tabs(engine, server: server, address: address)
            let conformance = Conformance(
                tabs: tabs, server: server, address: address, commonFiles: try RecordedPageFiles.files())
            await conformance.run(cases, windows: windows)
            for _ in 0..<retries {
                let failed = cases.filter { !isKnown($0.id) && conformance.verdicts[$0.id]?.passed == false }
                await conformance.run(failed, windows: 1)
            }
            tabs.closeBrowser()
            return cases.compactMap { conformance.verdicts[$0.id] }
        }
    }

    private func run(_ cases: [RecordedCase], windows: Int) async {
        waiting = cases[...]
        await withTaskGroup { group in
            for _ in 0..<windows { group.addTask { await self.work() } }
        }
    }

    private init(
        tabs: Tabs, server: BridgeServer, address: BridgeServer.Address, commonFiles: [String: SiteFile]
    ) {
        self.tabs = tabs
        self.server = server
        self.address = address
        self.commonFiles = commonFiles
    }

    /// Runs one case after the other in one window.
    private func work() async {
        var window = Window(tabs: tabs, server: server)
        while let next = waiting.popFirst() {
            let verdict = Later<CaseVerdict>()
            let task = Task { [window] in verdict.set(await run(next, in: window)) }
            if let verdict = await verdict.wait(upTo: Conformance.caseLimit) {
                verdicts[next.id] = verdict
            } else {
                task.cancel()
                verdicts[next.id] = CaseVerdict(next, failure: "no outcome in \(Conformance.caseLimit)")
                window = Window(tabs: tabs, server: server)
            }
        }
    }

    private func run(_ recordedCase: RecordedCase, in window: Window) async -> CaseVerdict {
        let native = NativeSide(
            server: server, name: recordedCase.id.replacing(/[^A-Za-z0-9]/, with: "-"), settings: recordedCase.settings)
        do {
            let site = try Site(
                files: commonFiles.merging(recordedCase.sited) { $1 },
                admission: Admission(port: address.port, webView: native.name))
            let runner = CaseRunner(
                recordedCase, site: site, native: native, window: window,
                blank: server.url(for: native.name) ?? "about:blank",
                evaluateElsewhere: { [tabs] in tabs.evaluate($0, completion: $1) })
            let started = ContinuousClock.now
            let outcome = try await runner.run()
            return CaseVerdict(recordedCase, outcome, site.placeholders, duration: .now - started)
        } catch {
            return CaseVerdict(recordedCase, failure: "\(error)")
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
