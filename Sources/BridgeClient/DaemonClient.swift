import BridgeInput
public import BridgeProtocol
import Foundation

/// Calls a running daemon. Each call blocks its thread until the answer has arrived.
public final class DaemonClient: Sendable {
    public let contact: DaemonEndpoint
    /// The time-out of a call. The daemon lets a call wait for at most one day, so it always answers earlier.
    private static let longestWait = Duration.seconds(86_400 + 60)

    public init(_ contact: DaemonEndpoint) { self.contact = contact }

    /// Calls a method of the control protocol (docs/control.md).
    ///
    /// - Returns: the result.
    public func call(_ method: String, _ params: [JSONValue.Member] = []) throws(ClientError) -> JSON {
        var writer = JSONWriter()
        writer.request(id: .number(1), method) { writer in
            for member in params { writer.member(named: member.key, member.value) }
        }
        var request = try request("rpc")
        request.json = writer.bytes
        request.timeout = DaemonClient.longestWait
        let answer = try run(request)
        guard let response = try? JSON.parse(answer.body) else {
            throw .unexpectedAnswer(url: contact.url, status: answer.status)
        }
        if answer.status == 401 { throw .wrongToken(url: contact.url) }
        if let error = response["error"] { throw .error(RPCError(json: error)) }
        guard let result = response["result"] else {
            throw .unexpectedAnswer(url: contact.url, status: answer.status)
        }
        return result
    }

    /// Reads the response to `GET path` line by line, until it ends. Some responses never end.
    ///
    /// - Parameters:
    ///   - query: the query, not escaped.
    ///   - onLine: is called with each line, without its line end.
    public func readLines(
        of path: String, query: [(name: String, value: String)], onLine: @escaping ([UInt8]) -> Void
    ) throws(ClientError) {
        var request = try request(path, query)
        request.timeout = .seconds(Int32.max)
        let answer = try run(request, onLine: onLine)
        guard answer.status != 200 else { return }
        if answer.status == 401 { throw .wrongToken(url: contact.url) }
        let text = String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .newlines)
        throw .error(RPCError(.invalidParams, text))
    }

    private func request(
        _ path: String, _ query: [(name: String, value: String)] = []
    ) throws(ClientError) -> HTTPRequest {
        var components = URLComponents(string: contact.url)
        components?.path = "/\(path)"
        if !query.isEmpty { components?.queryItems = query.map { URLQueryItem(name: $0.name, value: $0.value) } }
        guard let url = components?.url, ["http", "https"].contains(url.scheme), url.host != nil else {
            throw .notAnAddress(contact.url)
        }
        var request = HTTPRequest(url, maximumBodySize: .max)
        request.headers = ["Authorization: Bearer \(contact.token)"]
        return request
    }

    private func run(
        _ request: HTTPRequest, onLine: (([UInt8]) -> Void)? = nil
    ) throws(ClientError) -> HTTPAnswer {
        do {
            return try request.sendAndWait(onLine: onLine)
        } catch {
            throw .unreachable(url: contact.url, reason: error.description)
        }
    }
}
