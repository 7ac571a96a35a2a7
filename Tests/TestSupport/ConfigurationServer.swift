public import Foundation
import Synchronization

/// An HTTP server that gives the same answer to every request for a path. A test can change the answer.
public final class ConfigurationServer: Sendable {
    public enum Answer: Sendable {
        case body([UInt8], status: Int = 200, headers: [String] = [])
        /// No answer until the client gives up.
        case silence
        /// A response head, followed by a body that goes on until the client hangs up.
        case flood
    }

    private let socket: ListeningSocket
    private let answers: Mutex<[String: Answer]>

    public init(_ answer: Answer, at path: String = "/rules.json") throws {
        let socket = try ListeningSocket()
        self.socket = socket
        answers = Mutex([path: answer])
        socket.accept { [weak self] connection in
            guard let request = connection.read() else { return }
            let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first.map(String.init)
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
        case .flood:
            connection.write(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8))
            let blank = [UInt8](repeating: 0x20, count: 65_536)
            var count = 0
            while count < 4_096, connection.write(blank) { count += 1 }
        }
    }
}
