import Foundation
import Synchronization
import TestSupport

/// A server that answers as a Redis does, until a test lets it answer something else.
final class FakeRedis: Sendable {
    /// What comes instead of the right answer. The bytes are sent as they are.
    enum Lie: Sendable {
        case answer(String)
        /// Sends the bytes, and closes the connection.
        case end(String)
    }

    private let socket: ListeningSocket
    private let lie: @Sendable (_ command: String, _ answer: String) -> Lie?
    private let connections = Mutex(0)

    /// How many connections there have been.
    var connectionCount: Int { connections.withLock { $0 } }

    func url(_ name: String = "test") -> String { "redis://127.0.0.1:\(socket.port)?name=\(name)" }

    /// - Parameter lie: gets the name of each command and the right answer to it; nil sends that. A call of one of our
    ///   scripts has the script's name: `beat`, `list`, `send`, `commit` or `claim`.
    init(_ lie: @escaping @Sendable (_ command: String, _ answer: String) -> Lie?) throws {
        self.lie = lie
        socket = try ListeningSocket()
        socket.accept { [weak self] connection in
            self?.connections.withLock { $0 += 1 }
            self?.serve(connection)
        }
    }

    private func serve(_ connection: borrowing AcceptedSocket) {
        var bytes: [UInt8] = []
        // Reading gives up after 10 s, but a Redis may be silent for longer.
        var patience = 4
        while patience > 0 {
            guard let more = connection.read() else { patience -= 1; continue }
            bytes += more
            while let words = FakeRedis.takeCommand(from: &bytes) {
                let name = FakeRedis.name(of: words)
                let answer = FakeRedis.answer(to: name, words)
                switch lie(name, answer) {
                case nil: connection.write(Array(answer.utf8))
                case .answer(let text): connection.write(Array(text.utf8))
                case .end(let text):
                    connection.write(Array(text.utf8))
                    return
                }
            }
        }
    }

    // MARK: What Redis does

    /// Removes a command, if it is complete: `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`.
    private static func takeCommand(from bytes: inout [UInt8]) -> [String]? {
        var at = 0
        func line() -> String? {
            guard let end = bytes[at...].firstIndex(of: 13), end + 1 < bytes.count else { return nil }
            defer { at = end + 2 }
            return String(decoding: bytes[at..<end], as: UTF8.self)
        }
        var words: [String] = []
        guard let count = line().flatMap({ Int($0.dropFirst()) }) else { return nil }
        for _ in 0..<count {
            guard let length = line().flatMap({ Int($0.dropFirst()) }), at + length + 2 <= bytes.count else {
                return nil
            }
            words.append(String(decoding: bytes[at..<at + length], as: UTF8.self))
            at += length + 2
        }
        bytes.removeFirst(at)
        return words
    }

    /// Parts of the scripts by which they can be told apart.
    private static let scripts = [
        ("beat", "'instance', ARGV"), ("list", "HVALS"), ("send", "'XLEN'"), ("commit", "MAXLEN"), ("claim", "'moved'"),
    ]

    private static func digest(_ script: String) -> String {
        let name = scripts.first { script.contains($0.1) }?.0 ?? "unknown"
        return name + String(repeating: "0", count: 40 - name.count)
    }

    private static func name(of words: [String]) -> String {
        words[0] == "EVALSHA" ? String(words[1].prefix { $0 != "0" }) : words[0]
    }

    private static func answer(to name: String, _ words: [String]) -> String {
        func text(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }
        switch name {
        case "INFO": return text("redis_version:7.0.15\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n")
        case "SCRIPT": return text(digest(words.last ?? ""))
        case "PING": return "+PONG\r\n"
        case "AUTH", "SELECT": return "+OK\r\n"
        case "GET", "HGET": return "$-1\r\n"
        case "beat": return "*1\r\n" + text(words.count > 7 ? words[7] : "")
        case "XINFO": return "-ERR no such key\r\n"
        case "list": return "*0\r\n"
        case "commit": return "*1\r\n:1\r\n"
        case "claim": return "*1\r\n" + text("new")
        // It waits for traffic, which never comes.
        case "XREAD": return ""
        default: return ":1\r\n"
        }
    }
}
