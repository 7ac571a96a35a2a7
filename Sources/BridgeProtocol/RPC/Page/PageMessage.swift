/// The methods that a page calls, and those that only its driver calls (docs/protocol.md).
public enum PageMethod: String, CaseIterable, Sendable {
    case post = "message.post"
    case attach = "page.attach"
    case update = "page.update"
    case console = "console.entry"
    case observed = "page.observed"
    case call = "interface.call"
    case decide = "navigation.decide"
    case started = "navigation.started"
    case redirected = "navigation.redirected"
    case failed = "navigation.failed"
    case historyChanged = "history.changed"
    case progressed = "progress.changed"
    case dialog = "dialog.show"
    case openWindow = "window.open"
    case processTerminated = "process.terminated"
    case finished = "request.finished"
    case problem = "driver.problem"
}

/// One message from a page, read and checked. The rare cases are indirect, so that the others take little memory.
public enum PageMessage: Sendable {
    /// `page.attach`: a document has connected and introduces itself.
    indirect case attach(AttachPage, id: RequestID)
    /// `message.post`: a script posted a message to a handler. `id` is nil if the page does not wait for a reply.
    case post(PostMessage, id: RequestID?)
    /// `page.update`: something about the document changed.
    indirect case update(UpdatePage, id: RequestID?)
    /// `console.entry`: the page wrote to its console, or an error was not caught.
    indirect case console(ConsoleEntry, id: RequestID?)
    /// `page.observed`: something happened in a page of an app of its own.
    indirect case observed(ObservedEntries, id: RequestID?)
    /// `interface.call`: a synchronous call. Pages send it over HTTP, drivers over the connection.
    indirect case call(CallInterface, id: RequestID)
    /// A message that only the driver of a page may send. `id` is nil for a notification.
    indirect case driver(DriverMessage, id: RequestID?)
    /// The response to an evaluation.
    case result(id: RequestID, Result<ScriptValue, ScriptError>)
    /// A message that is none of the above.
    indirect case malformed(MalformedPageMessage)

    /// Reads a JSON-RPC message. A message that a page must not send becomes `malformed`, with the error to respond
    /// with.
    public init(_ message: RPCMessage) {
        switch message {
        case .request(let id, let method, let params): self.init(method, params, id)
        case .notification(let method, let params): self.init(method, params, nil)
        case .success(let id, let result): self = .result(id: id, Self.value(of: result))
        case .failure(let id, let error): self = .result(id: id, .failure(ScriptError(error)))
        case .malformed(let id, let error): self = .malformed(MalformedPageMessage(id: id, error: error))
        }
    }

    private init(_ method: String, _ params: JSON?, _ id: RequestID?) {
        do throws(RPCError) {
            self = try Self.read(method, params ?? .null, id)
        } catch {
            self = .malformed(MalformedPageMessage(method: method, params: params, id: id, error: error))
        }
    }

    private static func read(_ method: String, _ params: JSON, _ id: RequestID?) throws(RPCError) -> PageMessage {
        guard let known = PageMethod(rawValue: method) else { throw .methodNotFound(method) }
        switch (known, id) {
        case (.post, _): return .post(try PostMessage(params: params), id: id)
        case (.update, _): return .update(try UpdatePage(params: params), id: id)
        case (.console, _): return .console(try ConsoleEntry(params: params), id: id)
        case (.observed, _): return .observed(try ObservedEntries(params: params), id: id)
        case (.attach, let id?): return .attach(try AttachPage(params: params), id: id)
        case (.attach, nil):
            _ = try AttachPage(params: params)
            throw RPCError(.invalidRequest, "\(method) must be a request: give it an id.")
        case (.call, let id?): return .call(try CallInterface(params: params), id: id)
        default: return .driver(try DriverMessage(known, params), id: id)
        }
    }

    private static func value(of result: JSON) -> Result<ScriptValue, ScriptError> {
        do throws(RPCError) {
            return .success(try ScriptValue(params: result, key: "value"))
        } catch {
            return .failure(.rejected(error))
        }
    }
}

/// A message that is not JSON-RPC, that calls an unknown method, or whose params are wrong.
public struct MalformedPageMessage: Sendable {
    /// The method and params, if the message had them.
    public var method: String?
    public var params: JSON?
    /// The id for the response; nil for a notification.
    public let id: RequestID?
    /// The error to respond with.
    public let error: RPCError
}
