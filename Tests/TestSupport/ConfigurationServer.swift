public import Foundation
import Synchronization

/// An HTTP server that gives the same answer to every request for a path. A test can change the answer.
public final class ConfigurationServer: Sendable {
    public enum Answer: Sendable {
        case body([UInt8], status: Int = 200, headers: [String] = [])
        /// No answer until the client gives up.
        case silence
        /// A text, followed by others without an end, until the client hangs up.
        case endless(head: String, repeating: String)

        /// A response with status 200 and a body without an end.
        public static let flood = Answer.endless(
            head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", repeating: String(repeating: " ", count: 65_536))
    }

    private let socket: ListeningSocket
    private let answers: Mutex<[String: Answer]>
    private let received = Mutex<[String]>([])
    /// All requests so far, each with its header and as much of its body as came with it.
    public var requests: [String] { received.withLock { $0 } }

    public init(_ answer: Answer, at path: String = "/rules.json") throws {
        let socket = try ListeningSocket()
        self.socket = socket
        answers = Mutex([path: answer])
        socket.accept { [weak self] connection in
            guard let request = connection.read() else { return }
            let text = String(decoding: request, as: UTF8.self)
            self?.received.withLock { $0.append(text) }
            let path = text.split(separator: " ").dropFirst().first.map(String.init)
            let answer = self?.answers.withLock { $0[path ?? ""] } ?? .body([], status: 404)
            ConfigurationServer.send(answer, connection)
        }
    }

    public func url(_ path: String = "/rules.json") throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(socket.port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    public func set(_ answer: Answer, at path: String = "/rules.json") { answers.withLock { $0[path] = answer } }

    private static func send(_ answer: Answer, _ connection: borrowing AcceptedSocket) {
        switch answer {
        case .body(let body, let status, let headers):
            let head = ["HTTP/1.1 \(status) -", "Content-Length: \(body.count)", "Connection: close"] + headers
            connection.write(Array((head + ["", ""]).joined(separator: "\r\n").utf8) + body)
        case .silence:
            // Reads until the client hangs up.
            while connection.read() != nil {}
        case .endless(let head, let part):
            connection.write(Array(head.utf8))
            while connection.write(Array(part.utf8)) {}
        }
    }
}
