import BridgeInput
public import BridgeProtocol
import Foundation

/// Calls a running daemon. Each call blocks its thread until the answer has arrived.
public final class DaemonClient: Sendable {
    public let contact: DaemonEndpoint
    /// The largest answer, and the longest line of one that does not end. All clients together make a daemon hold at most
    /// so much, by default.
    private static let largestAnswer = 256 << 20
    /// How long a call waits that does not say so itself, and how long its answer may take beyond that.
    private static let usualWait = Duration.seconds(60)
    private static let patience = Duration.seconds(10)

    private let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: whether nobody waits for the answers any more, which ends a call within a second. It is asked
    ///   again and again, on the thread that waits.
    public init(_ contact: DaemonEndpoint, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        (self.contact, self.isCancelled) = (contact, isCancelled)
    }

    /// Calls a method of the control protocol (docs/control.md).
    ///
    /// - Parameter params: `timeoutMs` is how long the call may wait.
    /// - Returns: the result, which is an object.
    public func call(_ method: String, _ params: [JSONValue.Member] = []) throws(ClientError) -> JSON {
        var writer = JSONWriter()
        writer.request(id: .number(1), method) { writer in
            for member in params { writer.member(named: member.key, member.value) }
        }
        var request = try request("rpc")
        request.json = writer.bytes
        let wait = params.first { $0.key == "timeoutMs" }?.value.number
        // The daemon refuses what is no time, such as 1e30 or -1.
        request.timeout =
            (wait.map { .milliseconds(min(max(0, $0), 86_400_000)) } ?? DaemonClient.usualWait) + DaemonClient.patience
        let answer = try run(request)
        let response = try? JSON.parse(answer.body)
        if answer.status == 401, response?["error"] != nil { throw .wrongToken(url: contact.url) }
        if let error = response?["error"], error["code"]?.wholeNumber != nil, error["message"]?.string != nil {
            throw .error(RPCError(json: error))
        }
        guard let result = response?["result"], result.kind == .object else {
            throw unexpected(answer, "a JSON-RPC response to \(method)")
        }
        return result
    }

    /// Calls a method as ``call(_:_:)`` does, whose result must have some members.
    public func call(_ method: String, expecting members: [String]) throws(ClientError) -> JSON {
        let result = try call(method)
        guard members.allSatisfy({ result[$0] != nil }) else {
            throw .unexpectedAnswer(
                url: contact.url, expected: "a JSON-RPC response to \(method) with \(members.joined(separator: ", "))",
                found: DaemonClient.excerpt(Array(result.text.utf8)))
        }
        return result
    }

    /// Reads the response to `GET path` line by line, until it ends. Some responses never end.
    ///
    /// - Parameters:
    ///   - query: the query, not escaped, without the members that are nil.
    ///   - onLine: is called with each line, without its line end.
    public func readLines(
        of path: String, query: KeyValuePairs<String, String?> = [:], onLine: @escaping ([UInt8]) -> Void
    ) throws(ClientError) {
        var request = try request(path, query.compactMap { name, value in value.map { (name, $0) } })
        request.accept = "application/x-ndjson"
        request.timeout = .seconds(Int32.max)
        request.headerTimeout = DaemonClient.patience
        let answer: HTTPAnswer
        do throws(ClientError) { answer = try run(request, onLine: onLine) } catch {
            throw filterTooLong(in: request) ?? error
        }
        if answer.status == 200, answer.mediaType == request.accept { return }
        if answer.status == 401 { throw .wrongToken(url: contact.url) }
        // The daemon says what is wrong with the query, as text.
        guard answer.status == 400, answer.mediaType == "text/plain" else {
            throw unexpected(answer, "records, one a line")
        }
        throw .error(RPCError(.invalidParams, DaemonClient.excerpt(answer.body)))
    }

    /// The daemon closes the connection of a request whose header is too long, and can't say why.
    private func filterTooLong(in request: HTTPRequest) -> ClientError? {
        let length = request.url.absoluteString.utf8.count
        guard length > 1 << 10, let info = try? call("daemon.info"),
            let limit = info["limits"]?["headerBytes"]?.wholeNumber
        else { return nil }
        // The other lines of the header are short.
        return length + 1 << 10 > limit ? .filterTooLong(limit: limit) : nil
    }

    private func unexpected(_ answer: HTTPAnswer, _ expected: String) -> ClientError {
        let text = DaemonClient.excerpt(answer.body)
        return .unexpectedAnswer(
            url: contact.url, expected: expected,
            found: "HTTP status \(answer.status) with \(text.isEmpty ? "nothing" : text)")
    }

    /// The beginning of a text that may be long, and that may be no text.
    private static func excerpt(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(300), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return bytes.count > 300 ? text + "…" : text
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
        var request = HTTPRequest(url, maximumBodySize: DaemonClient.largestAnswer)
        request.headers = ["Authorization: Bearer \(contact.token)"]
        request.isCancelled = isCancelled
        return request
    }

    private func run(
        _ request: HTTPRequest, onLine: (([UInt8]) -> Void)? = nil
    ) throws(ClientError) -> HTTPAnswer {
        do throws(HTTPRequestError) {
            let answer = try request.sendAndWait(onLine: onLine)
            guard answer.isCut, onLine == nil || answer.mediaType == request.accept else { return answer }
        } catch .cutOff {
            throw .cutOff(url: contact.url)
        } catch {
            throw .unreachable(url: contact.url, reason: error.description)
        }
        throw .unexpectedAnswer(
            url: contact.url, expected: onLine == nil ? "an answer" : "lines",
            found: "more than \(DaemonClient.largestAnswer) bytes")
    }
}
