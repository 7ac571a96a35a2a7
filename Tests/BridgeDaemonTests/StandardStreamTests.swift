import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Standard error that is closed, full, or not read, and files that want to write to it what they like.
@Suite(.timeLimit(.minutes(4))) struct StandardStreamTests {
    /// Attaches a page, which the daemon reports on standard error, posts a message, and stops the daemon.
    private func serve(_ arguments: [String] = [], _ environment: [String: String] = [:], by script: String)
        async throws
    {
        let daemon = try RunningDaemon(
            ["--port", "0", "--json"] + arguments, environment: environment, by: script)
        let (page, _) = try await PageClient.attach(port: try await daemon.listening().port)
        await page.post(#"{"name":"ActionButton","path":"/","icon":"plus"}"#, seq: 1)
        #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 1)
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitStatus() == 0)
    }

    @Test(arguments: ["2>&-", "2>/dev/full"])
    func serves_ifNothingCanBeWrittenToStandardError(redirection: String) async throws {
        try await serve(by: "exec \"$@\" \(redirection)")
    }

    @Test func serves_whileStandardErrorIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("errors")
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR | O_NONBLOCK)
        defer { close(pipe) }
        while write(pipe, "x", 1) == 1 {}
        try await serve([], ["ERRORS": path], by: "exec \"$@\" 2>\"$ERRORS\"")
    }

    /// The log would get the descriptor of a stream that is closed.
    @Test func keepsTheLogApart_ifStandardErrorIsClosed() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("traffic.ndjson")
        try await serve(["--log", log], by: "exec \"$@\" 2>&-")
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 2)
        for line in lines { #expect(throws: Never.self) { try JSON.parse(String(line)) } }
    }

    /// A `bridged.yml` in the folder is read without being asked for.
    @Test(arguments: [
        ("root-url", ""), ("host", ""), ("allow-origin", ""), ("log", "/none/"), ("tls-cert", ""), ("prot", ""),
    ])
    func printsSettingsOfAFile_onOneLine(setting: String, beginning: String) async throws {
        let folder = try TemporaryFolder()
        try #"\#(setting): "\#(beginning)\e]0;title\a\u009b31m\u202eX\n::error::forged""#.write(
            toFile: folder.path("bridged.yml"), atomically: true, encoding: .utf8)
        let key = setting == "tls-cert" ? ["--tls-key", folder.path("bridged.yml")] : []
        let outcome = try await Executable.run(
            ["serve", "--port", "0"] + key, environment: ["FOLDER": folder.path("")],
            by: "cd \"$FOLDER\" && exec \"$@\"")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains(setting == "prot" ? "prot" : "::error::forged"))
        #expect(!outcome.errors.split(separator: "\n").contains { $0.hasPrefix("::error") })
        #expect(
            outcome.errors.unicodeScalars.allSatisfy {
                $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
            })
    }
}
