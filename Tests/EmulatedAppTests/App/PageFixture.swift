import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

@testable import BridgeTraffic
@testable import EmulatedApp
@testable import PathConfiguration

/// An emulated app and a page that the test simulates, with the messages of the adapters of turbo-ios and
/// hotwire-native-ios.
@MainActor final class PageFixture {
    let app: EmulatedApp
    let server: BridgeServer
    let recorder: Recorder
    let port: UInt16
    static let origin = "http://localhost:3000"
    private(set) var page: PageClient
    private var seq = 0

    private init(_ app: EmulatedApp, _ server: BridgeServer, _ port: UInt16, _ page: PageClient, _ recorder: Recorder) {
        self.app = app
        self.server = server
        self.port = port
        self.page = page
        self.recorder = recorder
    }

    /// Runs `body` with a page at http://localhost:3000/ that has just attached.
    static func run(
        readyTimeout: Duration = .seconds(30), memoryBytes: Int? = nil,
        _ configure: (inout EmulatedApp.Configuration) throws -> Void = { _ in },
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await withServer {
            $0.limits.memoryBytes = memoryBytes ?? $0.limits.memoryBytes
        } _: { server, address in
            let rules = #"{"rules":[{"patterns":["/nothing$"],"properties":{"presentation":"none"}}]}"#
            var configuration = EmulatedApp.Configuration()
            configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
            try configure(&configuration)
            let app = try EmulatedApp(server: server, configuration)
            let recorder = Recorder(server)
            for session in app.sessions.values { session.readyTimeout = readyTimeout }
            let (page, _) = try await PageClient.attach(port: address.port, origin: origin)
            let fixture = PageFixture(app, server, address.port, page, recorder)
            fixture.update()
            try await body(fixture)
        }
    }

    /// Sends `page.update`, as `bridge.js` does when the document is complete.
    func update(url: String? = nil) {
        let url = url.map { #","url":"\#($0)""# } ?? ""
        page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"readyState":"complete","status":200\#(url)}}"#)
    }

    /// Attaches another document.
    func attach(_ document: String, origin: String = PageFixture.origin, path: String = "/") async throws {
        page = try await PageClient.attach(port: port, origin: origin, document: document, url: origin + path).0
        seq = 0
        update()
    }

    /// Posts a message of the Turbo adapter.
    /// - Returns: the verdict.
    @discardableResult func post(_ name: String, _ data: String = "{}") async throws -> Verdict {
        let stamped = data == "{}" ? #"{"timestamp":1}"# : #"{"timestamp":1,"# + data.dropFirst()
        return try await post(#"{"name":"\#(name)","data":\#(stamped)}"#, to: "turbo")
    }

    /// Posts a body to a handler.
    /// - Returns: the verdict.
    @discardableResult func post(_ body: String, to handler: String) async throws -> Verdict {
        seq += 1
        await page.post(body, seq: seq, to: handler)
        let before = seq
        let record = try await recorder.first { [document = server.pages.last?.id] record in
            guard record.page == document, case .message(handler, _, _, _, _) = record.event else { return false }
            return self.seq(of: record) == before
        }
        guard case .message(_, _, _, _, let verdict) = record.event else { return .handled }
        return verdict
    }

    private func seq(of record: TrafficRecord) -> Int? {
        var writer = JSONWriter()
        record.write(to: &writer)
        return (try? JSON.parse(writer.text))?["seq"]?.number.map { Int($0) }
    }

    /// Completes the cold boot.
    func boot() async throws {
        try await post("turboIsReady", #"{"isReady":true}"#)
        try await post("pageLoaded", #"{"restorationIdentifier":"r-0"}"#)
    }

    /// Waits for the next script of native code, and responds with `members`.
    func script(_ members: String = #""result":{"value":null,"types":{"":"undefined"}}"#) async throws -> String {
        let request = try await page.next("method", "script.evaluate")
        page.send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\(members)}")
        return request["params"]?["source"]?.string ?? ""
    }

    /// Waits for a problem that follows from the page's answer to the app's questions. An answer that comes late, because
    /// the machine is busy, is asked for again.
    func problem(
        _ code: String, answering members: String
    ) async throws -> (text: String, hint: String?) {
        let answers = Task { while !Task.isCancelled { _ = try await script(members) } }
        defer { answers.cancel() }
        return try await recorder.problem(code)
    }

    /// Waits for the next URL that the page is navigated to.
    func destination() async throws -> String? {
        try await page.next("method", "page.navigate")["params"]?["url"]?.string
    }

    /// The codes of the problems so far.
    var problems: [String] {
        recorder.records.compactMap { if case .problem(let code, _, _, _, _) = $0.event { code } else { nil } }
    }
    var main: [String] { app.navigation.main.map { $0.url.path } }
    var error: TurboError? { app.visibleScreen.flatMap { app.screens[$0.id]?.error } }
}
