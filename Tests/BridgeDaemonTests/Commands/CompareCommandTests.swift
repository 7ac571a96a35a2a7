import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged compare` of logs, with the real executable.
@Suite(.timeLimit(.minutes(2))) struct CompareCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func log(_ name: String, title: String, origin: String = "http://localhost:3000") throws -> String {
        let common =
            #""time":"2026-01-01T00:00:00.000Z","page":"p1","webView":"main","url":"\#(origin)/new","direction":"toNative""#
        let text = """
            {"record":1,\(common),"kind":"page","event":"attached"}
            {"record":2,\(common),"kind":"message","handler":"bridge","body":{"component":"form","event":"connect","data":{"submitTitle":"\(title)"}},"seq":1,"verdict":{"outcome":"handled"}}

            """
        try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        return folder.path(name)
    }

    @Test func showsBothSides() async throws {
        let phone = try log("phone.ndjson", title: "Save", origin: "http://10.0.2.2:3000")
        let here = try log("here.ndjson", title: "Send")
        let outcome = try await Executable.run(["compare", phone, here])
        #expect(
            outcome.output == """
                /new, message bridge form connect at /body/data/submitTitle
                    phone.ndjson  "Save"   (record 2)
                    here.ndjson   "Send"   (record 2)
                here.ndjson: 1 difference. Compared: 1 page, 1 message.

                """)
        #expect(outcome.status == 1 && outcome.errors == "")
        let json = try await Executable.run(["compare", phone, here, "--json"])
        let lines = try json.output.split(separator: "\n").map { try JSON.parse(String($0)) }
        #expect(lines.count == 2 && lines[0]["second"]?["value"]?.string == #""Send""#)
        #expect(lines[0]["place"]?.string == "/body/data/submitTitle" && lines[1]["differences"]?.number == 1)
        let ignoring = try await Executable.run(["compare", phone, here, "--ignore", "/body/data/submitTitle"])
        #expect(ignoring.output == "here.ndjson: no difference. Compared: 1 page, 1 message.\n" && ignoring.status == 0)
    }

    /// A comparison of nothing is no success.
    @Test func refusesLogsWithoutPages() async throws {
        let empty = folder.path("empty.ndjson")
        try "".write(toFile: empty, atomically: true, encoding: .utf8)
        let outcome = try await Executable.run(["compare", empty, empty])
        #expect(outcome.status == 64 && outcome.errors.contains("so nothing was compared"), "\(outcome.errors)")
    }

    @Test func refusesWhatIsNoPointer() async throws {
        let log = try log("log.ndjson", title: "Save")
        let outcome = try await Executable.run(["compare", log, log, "--ignore", "body"])
        #expect(outcome.errors.contains("'body' is not a JSON Pointer.") && outcome.status == 64)
    }

    @Test func comparesWithTheRunningDaemon() async throws {
        let fixture = try await CommandFixture()
        await fixture.page.post(#"{"name":"ActionButton","path":"/x","icon":"plus"}"#, seq: 1)
        _ = try await fixture.run("wait", "--filter", "kind:message", "--after", "0")
        let tail = try await fixture.run("tail", "--json", "--last", "100")
        let path = folder.path("earlier.ndjson")
        try tail.output.write(toFile: path, atomically: true, encoding: .utf8)
        let same = try await fixture.run("compare", path)
        #expect(same.output.hasPrefix("the daemon: no difference.") && same.status == 0, "\(same.output)\(same.errors)")
        await fixture.page.post(#"{"name":"ActionButton","path":"/y","icon":"plus"}"#, seq: 2)
        _ = try await fixture.run("wait", "--filter", "kind:message /y", "--after", "0")
        let more = try await fixture.run("compare", path)
        #expect(more.output.contains("message nativeApp ActionButton") && more.status == 1, "\(more.output)")
    }
}
