import BridgeProcesses
import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// A daemon whose output is not read, as after Ctrl-S or in `| less`.
@Suite(.timeLimit(.minutes(2))) struct StalledOutputTests {
    /// Each message makes two lines of traffic on standard output and one on standard error, to the same pipe.
    private func start(_ arguments: [String]) throws -> (ChildProcess, FileHandle) {
        let pipe = Pipe.withoutInheritance()
        let process = try Executable.start(
            ["serve", "--port", "0", "--verbose"] + arguments, environment: [:], output: .pipe(pipe),
            errors: .pipe(pipe))
        return (process, pipe.fileHandleForReading)
    }

    private func nextLine(_ output: FileHandle) -> String? {
        var line: [UInt8] = []
        while let byte = try? output.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Reads the port from the first line that has it, and then no more.
    private func port(in output: FileHandle) async throws -> UInt16 {
        let port = try await offThread { () -> UInt16? in
            while let line = nextLine(output) {
                if let port = line.firstMatch(of: /http:\/\/[^:]+:(\d+)/).flatMap({ UInt16($0.1) }) { return port }
            }
            return nil
        }
        return try #require(port)
    }

    private func post(_ count: Int, _ body: String = #"{"name":"Nobody"}"#, on port: UInt16) async throws {
        let (page, _) = try await PageClient.attach(port: port)
        for first in stride(from: 1, to: count, by: 100) {
            let batch = (first..<first + 100).map { PageClient.post(body, seq: $0) }
            page.send("[\(batch.joined(separator: ","))]")
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != Double(first + 99) {}
        }
    }

    @Test(arguments: [["--json"], []])
    func servesAndStops(arguments: [String]) async throws {
        let (process, output) = try start(arguments)
        try await post(2_000, on: port(in: output))
        process.signal(SIGTERM)
        #expect(try await offThread { process.waitForEnd().isSuccess })
        withExtendedLifetime(output) {}
    }

    @Test func findsAGap_whenItIsReadAgain() async throws {
        let (process, output) = try start(["--json"])
        defer { process.signal(SIGTERM) }
        // A message that a handler takes makes no line on standard error, which would tear those on standard output.
        try await post(10_000, #"{"name":"ActionButton","path":"/","icon":"plus"}"#, on: port(in: output))
        let numbers = try await offThread {
            var numbers: [(Int, gap: Int)] = []
            while numbers.last?.gap ?? 0 == 0, let line = nextLine(output) {
                guard let json = try? JSON.parse(line), let number = json["record"]?.wholeNumber else { continue }
                let isGap = json["kind"]?.string == "gap"
                numbers.append((number, isGap ? json["count"]?.wholeNumber ?? 0 : 0))
            }
            return numbers
        }
        let gap = try #require(numbers.last)
        #expect(gap.gap > 0 && numbers.dropLast().map(\.0) == Array(1..<numbers.count))
        #expect(gap.0 == numbers.count - 1 + gap.gap, "the gap has the number of the last record that is missing")
    }

    /// Handlers' names are chosen by pages.
    @Test(arguments: [["--json"], []])
    func printsNeitherTokensNorWhatControlsATerminal(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let pipe = Pipe.withoutInheritance()
        let process = try Executable.start(
            ["serve", "--port", "0", "--verbose", "--host", "0.0.0.0"] + arguments,
            environment: ["XDG_RUNTIME_DIR": folder.path("")], output: .pipe(pipe), errors: .pipe(pipe))
        let output = pipe.fileHandleForReading
        let listening = try await port(in: output)
        let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("bridged/\(listening).json")))
        let endpoint = try #require(DaemonEndpoint(json: JSON.parse(String(decoding: file, as: UTF8.self))))
        let pageToken = try #require(endpoint.pageToken)
        // Skips the banner, which shows the page token.
        try await offThread {
            while arguments.isEmpty, let line = nextLine(output), !line.contains("Ctrl-C") {}
        }
        let page = PageClient(
            try await WebSocketClient.connect(
                port: listening, subprotocols: "bridge.page.v1, bridge.token.\(pageToken)"))
        await page.sendAttach(document: "d")
        _ = try await page.next("id", "attach")
        let name = #"\u001b]0;title\u0007\u001b[2J\nwarning: forged\u009b2J\u202e"# + pageToken + endpoint.token
        await page.post("1", seq: 1, to: name)
        _ = try await page.next("method", "page.ack")
        process.signal(SIGTERM)
        let text = String(decoding: try await offThread { output.readAll() }, as: UTF8.self)
        #expect(text.contains("forged") && text.contains("[redacted]"))
        #expect(!text.contains(pageToken) && !text.contains(endpoint.token))
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("warning: forged") })
        let bad = text.unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(bad.isEmpty)
    }
}
