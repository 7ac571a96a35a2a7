import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged log export` and `bridged log replay`, with the real executable.
@Suite(.timeLimit(.minutes(4))) struct LogTests {
    private let fixture: CommandFixture

    init() async throws {
        fixture = try await CommandFixture(scripts: [
            #"window.bridge.register("cafe")"#: #""result":{"value":7}"#,
            "document.title": #""result":{"value":"Shop"}"#,
        ])
    }

    /// Records a page that posts, is asked something, and gets a reply.
    /// - Parameter script: is evaluated by a tool.
    /// - Returns: the path of the log.
    private func record(evaluating script: String? = nil) async throws -> String {
        _ = try await fixture.run("stub", "contacts", "--reply", #"["Zoe"]"#)
        await fixture.page.post(#"{"name":"ActionButton","path":"/x","icon":"plus"}"#, seq: 1)
        await fixture.page.post(#"{"name":"RegisterPushToken"}"#, seq: 2)
        await fixture.page.post(#""all""#, seq: 3, to: "contacts", id: "c")
        let waited = try await fixture.run("wait", "--filter", "kind:result", "--after", "0")
        try #require(waited.status == 0)
        if let script { try #require(try await fixture.run("eval", script).status == 0) }
        let log = try await fixture.run("tail", "--json", "--last", "100")
        let path = fixture.path("traffic.ndjson")
        try Data(log.output.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func replaysWithoutDifference() async throws {
        let outcome = try await fixture.run("log", "replay", record())
        #expect(outcome.output == "3 messages of 1 pages replayed; 2 calls compared, 0 differences.\n")
        #expect(outcome.errors == "" && outcome.status == 0)
    }

    @Test func leavesOutTheScriptsOfTools() async throws {
        let outcome = try await fixture.run("log", "replay", record(evaluating: "document.title"))
        #expect(outcome.output == "3 messages of 1 pages replayed; 2 calls compared, 0 differences.\n")
    }

    @Test func reportsDifferences() async throws {
        let path = try await record()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        let changed = text.replacing("register(\\\"cafe\\\")", with: "register(\\\"c0de\\\")").replacing(
            "Zoe", with: "Mia")
        try Data(changed.utf8).write(to: URL(fileURLWithPath: path))
        let outcome = try await fixture.run("log", "replay", path)
        let record = try #require(outcome.output.firstMatch(of: /reply to record (\d+)/)?.1)
        #expect(
            outcome.output == """
                p1, the reply to record \(record) (contacts) at /value/0
                    recorded  "Mia"
                    now       "Zoe"
                p1, call 1 at /source
                    recorded  "window.bridge.register(\\"c0de\\")"
                    now       "window.bridge.register(\\"cafe\\")"
                3 messages of 1 pages replayed; 2 calls compared, 2 differences.

                """)
        #expect(outcome.status == 1)
        let lines = try await fixture.run("log", "replay", path, "--json").output.split(separator: "\n")
            .map { try JSON.parse(String($0)) }
        #expect(lines.count == 3 && lines[1]["place"]?.string == "/source" && lines[2]["differences"]?.number == 2)
        let ignoring = try await fixture.run("log", "replay", path, "--ignore", "/source", "--ignore", "/value/*")
        #expect(ignoring.status == 0)
    }

    @Test func readsPipes() async throws {
        let path = try await record()
        let log = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
            let har = try await Executable.run(
                ["log", "export", name, "--har", "-"], input: log, by: #"cat | "$@""#)
            #expect(har.status == 0 && har.errors == "", "\(har.errors)")
            #expect(try JSON.parse(har.output)["log"]?["entries"]?.count == 1)
        }
        let replayed = try await Executable.run(
            ["log", "replay", "/dev/stdin"], environment: fixture.environment, input: log, by: #"cat | "$@""#)
        #expect(replayed.output == "3 messages of 1 pages replayed; 2 calls compared, 0 differences.\n")
    }

    @Test(arguments: [
        ("/nowhere/traffic.ndjson", "No such file or directory"), ("/", "Is a directory"),
    ])
    func saysWhyALogCannotBeRead(_ path: String, _ reason: String) async throws {
        let outcome = try await Executable.run(["log", "export", path, "--har", "-"])
        #expect(
            outcome.errors == "error: \(path) can't be read: \(reason). Give a log that `bridged serve --log` wrote.\n")
        #expect(outcome.status == 64)
    }

    @Test func doesNotReplaceTheLog() async throws {
        let path = try await record()
        let link = fixture.path("link.har")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for har in [path, link] {
            let outcome = try await fixture.run("log", "export", path, "--har", har)
            #expect(outcome.status == 64)
            #expect(
                outcome.errors.contains("is the log, which the archive would replace. Choose another file with --har."))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test func exportsHTTPArchive() async throws {
        let path = try await record()
        let outcome = try await fixture.run("log", "export", path, "--har", fixture.path("traffic.har"))
        #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
        let har = try JSON.parse(
            String(decoding: Data(contentsOf: URL(fileURLWithPath: fixture.path("traffic.har"))), as: UTF8.self))
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path("traffic.har"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let log = har["log"]
        #expect(log?["version"]?.string == "1.2" && log?["creator"]?["name"]?.string == "bridged")
        let entry = try #require(log?["entries"]?[0])
        #expect(entry["response"]?["status"]?.number == 101 && entry["_resourceType"]?.string == "websocket")
        #expect(entry["pageref"]?.string == log?["pages"]?[0]?["id"]?.string)
        let messages = try #require(entry["_webSocketMessages"]).elements
        let posted = try #require(messages.first { $0["data"]?.string?.contains("ActionButton") == true })
        #expect(posted["type"]?.string == "send" && posted["opcode"]?.number == 1)
        #expect(messages.contains { $0["type"]?.string == "receive" && $0["data"]?.string?.contains("Zoe") == true })
        let live = try await fixture.run("log", "export", "--har", "-")
        #expect(try JSON.parse(live.output)["log"]?["entries"]?.count == 1)
    }

    @Test func leavesOutUnfinishedRecords() async throws {
        let record = #"{"record":1,"time":"2026-01-01T00:00:00.000Z","direction":"toNative","kind":"gap","count":1}"#
        let text = "\(record)\n\(record.prefix(40))\n\(record)\n\(record.prefix(5))"
        let path = fixture.path("torn.ndjson")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let outcome = try await fixture.run("log", "replay", path)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("torn.ndjson:2, and 1 more, is left out"), "\(outcome.errors)")
    }

    @Test func reportsMistakes() async throws {
        let record = #"{"record":1,"time":"2026-01-01T00:00:00.000Z","direction":"toNative","kind":"gap","count":1}"#
        try Data("\(record)\nno record\n\(record)\n".utf8).write(to: URL(fileURLWithPath: fixture.path("bad.ndjson")))
        let bad = try await fixture.run("log", "replay", fixture.path("bad.ndjson"))
        #expect(bad.errors.hasSuffix("bad.ndjson:2 is not a record. Give a log that `bridged serve --log` wrote.\n"))
        let deep = #"{"record":1,"time":"2026-01-01T00:00:00.000Z","body":"# + String(repeating: "[", count: 5_000)
        try Data("\(deep)\n".utf8).write(to: URL(fileURLWithPath: fixture.path("deep.ndjson")))
        let nested = try await fixture.run("log", "replay", fixture.path("deep.ndjson"))
        #expect(nested.errors.contains("deep.ndjson:1 is not a record: it has more than 2,048 arrays"), "\(nested)")
        let missing = try await fixture.run("log", "export", "nowhere.ndjson", "--har", "-")
        #expect(
            missing.errors
                == "error: nowhere.ndjson can't be read: No such file or directory. Give a log that `bridged serve --log` wrote.\n"
        )
        let ignored = try await fixture.run("log", "replay", fixture.path("bad.ndjson"), "--ignore", "source")
        #expect(ignored.errors == "error: 'source' is not a JSON Pointer. Give one like /source or /arguments/0.\n")
        #expect(bad.status == 64 && missing.status == 64 && ignored.status == 64)
    }
}
