public import BridgeProtocol
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls a running daemon. Each call blocks its thread until the answer has arrived.
public final class DaemonClient: Sendable {
    public let contact: DaemonEndpoint
    /// The time-out of a request, in seconds. The daemon lets a call wait for at most one day, so it always answers
    /// earlier.
    private static let longestWait: TimeInterval = 86_400 + 60

    public init(_ contact: DaemonEndpoint) { self.contact = contact }

    /// Calls a method of the control protocol (docs/control.md).
    ///
    /// - Returns: the result.
    /// - Throws: `ClientError`
    public func call(_ method: String, _ params: [JSONValue.Member] = []) throws(ClientError) -> JSON {
        var writer = JSONWriter()
        writer.request(id: .number(1), method) { writer in
            for member in params { writer.member(named: member.key, member.value) }
        }
        var request = try request("rpc")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(writer.bytes)
        let answer = try run(request) { _ in }
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
    ///   - onLine: is called with each line, without its line end, on another thread while the caller waits.
    /// - Throws: `ClientError`
    public func readLines(
        of path: String, query: [(name: String, value: String)], onLine: @escaping @Sendable ([UInt8]) -> Void
    ) throws(ClientError) {
        let answer = try run(try request(path, query), onLine: onLine)
        guard answer.status != 200 else { return }
        if answer.status == 401 { throw .wrongToken(url: contact.url) }
        let text = String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .newlines)
        throw .error(RPCError(.invalidParams, text))
    }

    private func request(
        _ path: String, _ query: [(name: String, value: String)] = []
    ) throws(ClientError) -> URLRequest {
        var components = URLComponents(string: contact.url)
        components?.path = "/\(path)"
        if !query.isEmpty { components?.queryItems = query.map { URLQueryItem(name: $0.name, value: $0.value) } }
        guard let url = components?.url, ["http", "https"].contains(url.scheme), url.host != nil else {
            throw .notAnAddress(contact.url)
        }
        var request = URLRequest(url: url, timeoutInterval: DaemonClient.longestWait)
        request.setValue("Bearer \(contact.token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private func run(
        _ request: URLRequest, onLine: @escaping @Sendable ([UInt8]) -> Void
    ) throws(ClientError) -> Transfer.Answer {
        let transfer = Transfer(onLine)
        let session = URLSession(configuration: .ephemeral, delegate: transfer, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: request).resume()
        do {
            return try transfer.wait()
        } catch {
            throw .unreachable(url: contact.url, reason: error.localizedDescription)
        }
    }
}
