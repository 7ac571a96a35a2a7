import BridgeProtocol

/// An event of a browser's driver protocol.
struct BrowserEvent {
    let method: String
    let params: JSON
    /// The session of DevTools; empty for the browser's own events, and in WebDriver BiDi.
    let session: String
}

/// The commands that a browser has not answered yet. DevTools and WebDriver BiDi number them alike. On the main actor.
@MainActor final class BrowserCommands {
    typealias Completion = (Result<JSON, BrowserError>) -> Void

    /// How long a browser may take for what its driver waits for. It is longer than any answer of a browser that works, as
    /// only the load of a page waits for somebody else.
    static let limit = Duration.seconds(60)

    private let browser: BrowserEngine
    private(set) var lastID = 0
    private var completions: [Int: Completion] = [:]
    private(set) var hasEnded = false

    init(_ browser: BrowserEngine) { self.browser = browser }

    /// Makes the message of a command.
    /// - Parameter completion: is called once with the result, unless it is nil.
    /// - Returns: nil if the browser has ended.
    func message(
        _ method: String, in session: String, _ params: (inout JSONWriter) -> Void, completion: Completion?
    ) -> [UInt8]? {
        guard !hasEnded else {
            completion?(.failure(BrowserError("\(browser) has ended.")))
            return nil
        }
        lastID += 1
        completions[lastID] = completion
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", lastID)
            writer.member("method", method)
            if !session.isEmpty { writer.member("sessionId", session) }
            writer.member("params", object: params)
        }
        return writer.bytes
    }

    /// Handles an answer to a command.
    /// - Returns: the event, if the message is none.
    func receive(_ json: JSON) -> BrowserEvent? {
        guard let id = json["id"]?.wholeNumber else {
            guard let method = json["method"]?.string else { return nil }
            return BrowserEvent(
                method: method, params: json["params"] ?? .null, session: json["sessionId"]?.string ?? "")
        }
        guard let completion = completions.removeValue(forKey: id) else { return nil }
        if let error = json["error"] {
            let text = (error["message"] ?? json["message"])?.string ?? ""
            completion(.failure(BrowserError(text.isEmpty ? "\(browser) refused a command: \(error.text)" : text)))
        } else {
            completion(.success(json["result"] ?? .null))
        }
        return nil
    }

    /// Fails a command that has no result within ``limit``.
    /// - Returns: what ends the wait.
    func limit(_ id: Int, _ method: String) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(for: BrowserCommands.limit)) != nil, let self else { return }
            let completion = completions.removeValue(forKey: id)
            completion?(.failure(BrowserError("\(browser) did not answer \(method) within \(BrowserCommands.limit).")))
        }
    }

    /// Fails all commands that have no result, and those to come.
    func end(_ reason: String) {
        hasEnded = true
        let list = completions.sorted { $0.key < $1.key }
        completions = [:]
        for (_, completion) in list { completion(.failure(BrowserError(reason))) }
    }
}

/// A connection over which a browser takes commands.
@MainActor protocol BrowserConnection: AnyObject {
    var commands: BrowserCommands { get }

    /// Sends the message of a command.
    func write(_ message: [UInt8])
}

extension BrowserConnection {
    /// Sends a command.
    /// - Parameter completion: is called once with the result, unless it is nil.
    func send(
        _ method: String, in session: String = "", _ params: (inout JSONWriter) -> Void = { _ in },
        completion: BrowserCommands.Completion? = nil
    ) {
        if let message = commands.message(method, in: session, params, completion: completion) { write(message) }
    }

    /// Sends a command, and waits for its result. Do not use it for what waits for a page's server.
    @discardableResult func call(
        _ method: String, in session: String = "", _ params: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> JSON {
        var limit: Task<Void, Never>?
        defer { limit?.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            send(method, in: session, params) { continuation.resume(with: $0) }
            limit = commands.limit(commands.lastID, method)
        }
    }
}
