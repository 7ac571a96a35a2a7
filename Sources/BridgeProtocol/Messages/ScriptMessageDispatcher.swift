/// Decodes each message to the type that is registered for its name, and calls that type's handler. A message that it
/// cannot deliver gets a verdict with the reason and a hint.
@MainActor public final class ScriptMessageDispatcher {
    /// The member of a body that names its type.
    public let discriminator: String
    /// The JSON Pointer of the discriminator in a body.
    private let place: String
    /// Unchecked for overlapping accesses: to look up or to set a route calls nothing else.
    @exclusivity(unchecked) private var routes = NamedValues<Route>()
    /// For each name, whether a body decodes to its type: the verdict on one that does not.
    private var checks: [String: @MainActor (ScriptValue) -> Verdict?] = [:]
    /// Whether pages get promises, because a handler replies.
    package private(set) var replies = false
    private var observers: [(id: ObjectIdentifier, changed: @MainActor () -> Void)] = []

    fileprivate enum Route {
        case plain(@MainActor (ScriptValue, ScriptMessageContext) -> Verdict)
        /// Decodes the body at once, and returns the closure that makes the reply.
        case replying(
            @MainActor (ScriptValue, ScriptMessageContext) throws -> @MainActor () async throws -> ScriptValue)
    }

    public init(discriminator: String = "name") {
        self.discriminator = discriminator
        place = JSONPointer(tokens: [discriminator]).description
    }

    /// The names that have a handler, in alphabetical order.
    public var names: [String] { routes.all.keys.sorted() }

    // MARK: Handlers

    /// Registers the handler of a type. It replaces an earlier handler for the same name.
    ///
    /// - Parameter handler: an error that it throws becomes the verdict `handlerFailed`, except for ``DroppedMessage``,
    ///   which has a verdict of its own.
    public func on<M: ScriptMessage>(
        _ type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) throws -> Void
    ) {
        on(named: type.name, as: type, handler)
    }

    /// Registers an async handler of a type. The page's promise is fulfilled when it returns.
    ///
    /// Messages begin to be handled in the order in which they were posted. A handler that waits lets the next ones
    /// begin.
    /// - Parameter handler: an error that it throws rejects the page's promise with the error's text.
    public func on<M: ScriptMessage>(
        _ type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) async throws -> Void
    ) {
        setReply(to: type) { message, context in
            try await handler(message, context)
            return .undefined
        }
    }

    /// Registers a handler that replies to the messages of a type: the page's promise is fulfilled with the value.
    ///
    /// ```swift
    /// dispatcher.reply(to: PriceQuery.self) { query, context in try await shop.price(of: query.item) }
    /// ```
    /// - Parameter handler: an error that it throws rejects the page's promise with the error's text.
    public func reply<M: ScriptMessage, Value: Encodable>(
        to type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) async throws -> Value
    ) {
        setReply(to: type) { try await ScriptValue(encoding: handler($0, $1)) }
    }

    private func setReply<M: ScriptMessage>(
        to type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) async throws -> ScriptValue
    ) {
        checks[type.name] = { Self.mismatch(of: $0, with: type) }
        set(
            type.name,
            .replying { body, context in
                let message = try Self.decode(type, from: body)
                return { try await handler(message, context) }
            })
    }

    /// Registers the handler of a name. Several names may share a type.
    ///
    /// - Parameter handler: see `on(_:_:)`.
    public func on<M: Decodable>(
        named name: String, as type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) throws -> Void
    ) {
        on(named: name) { body, context in
            do {
                try handler(Self.decode(type, from: body), context)
                return .handled
            } catch let dropped as DroppedMessage {
                return dropped.verdict
            } catch {
                return .handlerFailed(error, name: name)
            }
        }
        checks[name] = { Self.mismatch(of: $0, with: type) }
    }

    /// Registers a handler that receives bodies without decoding, for a name that has no type.
    public func on(
        named name: String, _ handler: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict
    ) {
        checks[name] = nil
        set(name, .plain(handler))
    }

    private func set(_ name: String, _ route: Route) {
        routes.all[name] = route
        let replied = replies
        replies = routes.all.values.contains { if case .replying = $0 { true } else { false } }
        if replies != replied { for observer in observers { observer.changed() } }
    }

    private static func decode<M: Decodable>(_ type: M.Type, from body: ScriptValue) throws -> M {
        do { return try body.decode(type) } catch { throw DroppedMessage(.undecodable(error, body, as: type)) }
    }

    private static func mismatch<M: Decodable>(of body: ScriptValue, with type: M.Type) -> Verdict? {
        do { _ = try body.decode(type) } catch { return .undecodable(error, body, as: type) }
        return nil
    }

    /// Lets `check` say whether a body fits a name whose bodies are not decoded.
    package func check(named name: String, _ check: @escaping @MainActor (ScriptValue) -> Verdict?) {
        checks[name] = check
    }

    // MARK: Messages

    /// Returns the verdict with which a body would be dropped, and calls no handler; nil if one would take it.
    package func verdict(on body: ScriptValue, to handler: String) -> Verdict? {
        switch route(of: body, to: handler) {
        case .failure(let dropped): dropped.verdict
        case .success: Self.messageName(of: body, discriminator: discriminator).flatMap { checks[$0] }?(body)
        }
    }

    /// Decodes the body to the type of its name and calls that type's handler.
    ///
    /// - Parameter reply: is called once with the outcome of a handler that replies, after this method has returned.
    /// - Returns: `handled`; `dropped` with the reason and a hint; or `awaitingReply` if the handler replies.
    @discardableResult
    public func dispatch(
        _ body: ScriptValue, context: ScriptMessageContext,
        reply: @escaping @MainActor (Result<ScriptValue, any Error>) -> Void = { _ in }
    ) -> Verdict {
        dispatch(body, find(body, to: context.handler), context: context, reply: reply)
    }

    /// What was found for a message.
    package struct Match {
        fileprivate let route: Result<Route, DroppedMessage>
        /// Whether the page's promise gets the outcome. A plain handler's promise is fulfilled in any case, as in WebKit.
        package let replies: Bool
    }

    /// Finds the handler of a body.
    ///
    /// - Parameter name: the body's name, if it is known.
    package func find(_ body: ScriptValue, named name: String? = nil, to handler: String) -> Match {
        if let name, let route = routes.value(named: name) { return match(.success(route)) }
        return match(route(of: body, to: handler))
    }

    private func match(_ route: Result<Route, DroppedMessage>) -> Match {
        if case .success(.plain) = route {
            Match(route: route, replies: false)
        } else {
            Match(route: route, replies: replies)
        }
    }

    /// Dispatches a body to the handler that was found for it.
    package func dispatch(
        _ body: ScriptValue, _ match: Match, context: ScriptMessageContext,
        reply: @escaping @MainActor (Result<ScriptValue, any Error>) -> Void = { _ in }
    ) -> Verdict {
        switch match.route {
        case .failure(let dropped): return dropped.verdict
        case .success(.plain(let handle)): return handle(body, context)
        case .success(.replying(let start)):
            do {
                let work = try start(body, context)
                startImmediately {
                    do { reply(.success(try await work())) } catch { reply(.failure(error)) }
                }
                return .awaitingReply
            } catch {
                return (error as? DroppedMessage)?.verdict ?? .handlerFailed(error, name: context.handler)
            }
        }
    }

    private func route(of body: ScriptValue, to handler: String) -> Result<Route, DroppedMessage> {
        func unnamed(_ expected: String, _ found: String, _ place: String) -> Result<Route, DroppedMessage> {
            .dropped(.unnamed(body, expected: expected, found: found, at: place, discriminator, handler: handler))
        }
        guard body.kind == .object else { return unnamed("object with a \(discriminator)", body.summary, "") }
        guard let member = body.child(discriminator) else { return unnamed("String", "nothing", place) }
        guard let name = member.string else { return unnamed("String", member.summary, place) }
        guard let route = routes.value(named: name) else {
            return .dropped(.unknown(name, body, at: place, names: names, handler: handler))
        }
        return .success(route)
    }

    /// Calls `changed` when ``replies`` changes. An observer has one closure.
    package func observeReplies(_ observer: AnyObject, _ changed: @escaping @MainActor () -> Void) {
        observers.removeAll { $0.id == ObjectIdentifier(observer) }
        observers.append((ObjectIdentifier(observer), changed))
    }

    /// The message's name in traffic records: the discriminator's value, or `nil` if the body has none.
    public nonisolated static func messageName(of body: ScriptValue, discriminator: String = "name") -> String? {
        body.kind == .object ? body.child(discriminator)?.string : nil
    }
}

extension Result where Failure == DroppedMessage {
    fileprivate static func dropped(_ verdict: Verdict) -> Self { .failure(DroppedMessage(verdict)) }
}

/// Runs `body` up to its first suspension before this returns, so that messages and scripts keep their order.
@MainActor package func startImmediately(_ body: @escaping @MainActor () async -> Void) {
    if #available(macOS 26.0, *) {
        Task.immediate { await body() }
    } else {
        Task { await body() }
    }
}

/// A message of the page as a Swift type. The `name` in the body identifies the type.
///
/// ```swift
/// struct ShowToast: ScriptMessage {
///     static let name = "ShowToast"
///     let text: String
/// }
/// ```
public protocol ScriptMessage: Decodable, Sendable {
    /// The value of `name` in the bodies of these messages.
    static var name: String { get }
}
