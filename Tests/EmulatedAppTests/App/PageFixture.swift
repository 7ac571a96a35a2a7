import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

@testable import BridgeTraffic
@testable import EmulatedApp
@testable import PathConfiguration

/// A page that a test plays by hand, with an adapter that posts what those of turbo-ios and hotwire-native-ios do.
@MainActor final class PageFixture {
    let app: EmulatedApp
    let server: BridgeServer
    let recorder: Recorder
    let port: UInt16
    private(set) var page: PageClient
    private var seq = 0

    private init(_ app: EmulatedApp, _ server: BridgeServer, _ port: UInt16, _ page: PageClient, _ recorder: Recorder) {
        self.app = app
        self.server = server
        self.port = port
        self.page = page
        self.recorder = recorder
    }

    /// A page at http://localhost:3000/ that has just attached.
    static func run(
        readyTimeout: Duration = .seconds(30), _ configure: (inout EmulatedApp.Configuration) -> Void = { _ in },
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await withServer { server, address in
            let rules = #"{"rules":[{"patterns":["/nothing$"],"properties":{"presentation":"none"}}]}"#
            var configuration = EmulatedApp.Configuration()
            configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
            configure(&configuration)
            let app = try EmulatedApp(server: server, configuration)
            let recorder = Recorder(server)
            for session in app.sessions.values { session.readyTimeout = readyTimeout }
            let (page, _) = try await PageClient.attach(port: address.port)
            let hand = PageFixture(app, server, address.port, page, recorder)
            hand.update()
            try await body(hand)
        }
    }

    /// As `bridge.js` sends one at once, and once the document is there.
    func update() {
        page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"readyState":"complete","status":200}}"#)
    }

    /// The document that a load led to.
    func attach(_ document: String) async throws {
        page = try await PageClient.attach(port: port, document: document).0
        seq = 0
        update()
    }

    /// Posts what an adapter for Turbo does.
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

    /// Turbo is ready, and the cold boot is over.
    func boot() async throws {
        try await post("turboIsReady", #"{"isReady":true}"#)
        try await post("pageLoaded", #"{"restorationIdentifier":"r-0"}"#)
    }

    /// The next script that native code runs, answered with members of a response.
    func script(_ members: String = #""result":{"value":null,"types":{"":"undefined"}}"#) async throws -> String {
        let request = try await page.next("method", "script.evaluate")
        page.send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\(members)}")
        return request["params"]?["source"]?.string ?? ""
    }

    /// Where the page is sent.
    func destination() async throws -> String? {
        try await page.next("method", "page.navigate")["params"]?["url"]?.string
    }

    var main: [String] { app.navigation.main.map { $0.url.path } }
    var error: TurboError? { app.visibleScreen.flatMap { app.screens[$0.id]?.error } }
}
