import BridgeClient
import BridgeProcesses
import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged repl` at a terminal.
@Suite(.timeLimit(.minutes(4))) struct ReplTests {
    /// A pseudoterminal in which a command runs.
    final class Terminal: Sendable {
        private let near: FileHandle
        private let process: ChildProcess

        init(_ arguments: [String], environment: [String: String]) throws {
            var (master, slave): (Int32, Int32) = (0, 0)
            guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw POSIXError(.EIO) }
            near = FileHandle(fileDescriptor: master, closeOnDealloc: true)
            let far = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
            process = try Executable.start(
                arguments, environment: environment, input: .file(far), output: .file(far), errors: .file(far))
        }

        func type(_ text: String) { near.write(Data(text.utf8)) }

        /// Reads until the command prints this text.
        func read(until text: String) async throws -> String {
            try await offThread { [near] in
                var shown = ""
                while !shown.contains(text), case let data = near.readChunk(), !data.isEmpty {
                    shown += String(decoding: data, as: UTF8.self)
                }
                return shown
            }
        }

        func end() { process.signal(SIGTERM) }

        func exitStatus() async throws -> Int32 {
            try await offThread { [process] in process.waitForEnd().shellStatus }
        }
    }

    @Test func edits_completes_andRemembers() async throws {
        let completion = try #require(Completion(of: "document.ti")).script
        let fixture = try await CommandFixture(scripts: [
            "6*7": #""result":{"value":42}"#, completion: #""result":{"value":["title"]}"#,
            "document.title": #""result":{"value":"Test"}"#, "1": #""error":{"code":4,"message":"no"}"#,
        ])
        let terminal = try Terminal(["repl"], environment: fixture.environment)
        _ = try await terminal.read(until: "> ")
        terminal.type("6*8\u{7F}7\r")
        _ = try await terminal.read(until: "42\r\n> ")
        terminal.type("document.ti\t\r")
        _ = try await terminal.read(until: "\"Test\"\r\n> ")
        terminal.type("1\r")
        _ = try await terminal.read(until: "error: no\r\n> ")
        // Goes back three lines in the history.
        terminal.type("\u{1B}[A\u{1B}[A\u{1B}[A\r")
        _ = try await terminal.read(until: "42\r\n> ")
        terminal.type("\u{04}")
        #expect(try await terminal.exitStatus() == 0)
        let history = try String(contentsOfFile: fixture.path("bridged/history"), encoding: .utf8)
        #expect(history == "6*7\ndocument.title\n1\n6*7\n")
    }

    @Test func listsNames_andDiscardsTheLineAtCtrlC() async throws {
        let completion = try #require(Completion(of: "é.get")).script
        let fixture = try await CommandFixture(scripts: [
            completion: #""result":{"value":["getA","getB"]}"#, "f(é.getB)": #""result":{"value":42}"#,
        ])
        let terminal = try Terminal(["repl"], environment: fixture.environment)
        _ = try await terminal.read(until: "> ")
        terminal.type("f(é.get\t\t")
        _ = try await terminal.read(until: "é.getA é.getB")
        terminal.type("\u{03}")
        _ = try await terminal.read(until: "^C\r\n> ")
        terminal.type("f(é.get\tB)\r")
        _ = try await terminal.read(until: "42\r\n> ")
        terminal.type("\u{04}")
        #expect(try await terminal.exitStatus() == 0)
    }
}
