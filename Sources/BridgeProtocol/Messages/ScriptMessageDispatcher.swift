/// Decodes each message to the type that is registered for its name, and calls that type's handler. A message that it
/// cannot deliver gets a verdict with the reason and a hint.
@MainActor public final class ScriptMessageDispatcher {
    /// The member of a body that names its type.
    public let discriminator: String
    /// The JSON Pointer of the discriminator in a body.
    private let place: String
    private var routes: [String: Route] = [:]

    private typealias Route = @MainActor (ScriptValue, ScriptMessageContext) -> Verdict

    public init(discriminator: String = "name") {
        self.discriminator = discriminator
        place = JSONPointer(tokens: [discriminator]).description
    }

    /// The names that have a handler, in alphabetical order.
    public var names: [String] { routes.keys.sorted() }

    /// Registers the handler of a type. It replaces an earlier handler for the same name.
    ///
    /// - Parameter handler: an error that it throws becomes the verdict `handlerFailed`, except for ``DroppedMessage``,
    ///   which has a verdict of its own.
    public func on<M: ScriptMessage>(
        _ type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) throws -> Void
    ) {
        on(named: type.name, as: type, handler)
    }

    /// Registers the handler of a name. Several names may share a type.
    ///
    /// - Parameter handler: see ``on(_:_:)``.
    public func on<M: Decodable>(
        named name: String, as type: M.Type, _ handler: @escaping @MainActor (M, ScriptMessageContext) throws -> Void
    ) {
        routes[name] = { body, context in
            let message: M
            do {
                message = try body.decode(type)
            } catch {
                return .undecodable(error, body, as: type)
            }
            do {
                try handler(message, context)
                return .handled
            } catch let dropped as DroppedMessage {
                return dropped.verdict
            } catch {
                return .handlerFailed(error, name: name)
            }
        }
    }

    /// Registers a handler that receives bodies without decoding, for a name that has no type.
    public func on(
        named name: String, _ handler: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict
    ) {
        routes[name] = handler
    }

    /// Decodes the body to the type of its name and calls that type's handler, before it returns.
    ///
    /// - Returns: `handled`, or `dropped` with the reason and a hint.
    public func dispatch(_ body: ScriptValue, context: ScriptMessageContext) -> Verdict {
        guard body.kind == .object else {
            return .unnamed(expected: "object with a \(discriminator)", found: body.summary, at: "", discriminator)
        }
        guard let member = body.child(discriminator) else {
            return .unnamed(expected: "String", found: "nothing", at: place, discriminator)
        }
        guard let name = member.string else {
            return .unnamed(expected: "String", found: member.summary, at: place, discriminator)
        }
        guard let route = routes[name] else { return .unknown(name, at: place, names: names) }
        return route(body, context)
    }

    /// The message's name in traffic records: the discriminator's value, or `nil` if the body has none.
    public nonisolated static func messageName(of body: ScriptValue, discriminator: String = "name") -> String? {
        body.kind == .object ? body.child(discriminator)?.string : nil
    }
}

extension Verdict {
    fileprivate static func unnamed(expected: String, found: String, at: String, _ discriminator: String) -> Verdict {
        Verdict(
            .dropped, reason: .unknownName, expected: expected, found: found, at: at,
            hint: "Post an object that says what it is: {\(discriminator): \"MyMessage\", …}.")
    }

    fileprivate static func unknown(_ name: String, at place: String, names: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: name, in: names).map { "Did you mean \"\($0)\"? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownName,
            expected: names.isEmpty ? "a registered name" : "one of \(names.joined(separator: ", "))",
            found: "string \(quoted(name))", at: place,
            hint: nearest + "To receive it, register a ScriptMessage of that name: dispatcher.on(MyMessage.self) { … }."
        )
    }

    /// The verdict on a body, or on a part of it, that does not decode to the expected type.
    ///
    /// - Parameter place: the part's place in the body.
    public static func undecodable(
        _ error: any Error, _ value: ScriptValue, as type: any Any.Type, under place: [String] = []
    ) -> Verdict {
        guard let error = error as? DecodingError else {
            return Verdict(
                .dropped, reason: .undecodable, found: value.summary, at: JSONPointer(tokens: place).description,
                hint: "\(error)")
        }
        let problem = DecodingProblem(error, in: value)
        return Verdict(
            .dropped, reason: .undecodable, expected: problem.expected, found: problem.found,
            at: JSONPointer(tokens: place + problem.place.tokens).description, hint: hint(for: problem, as: type))
    }

    private static func hint(for problem: DecodingProblem, as type: any Any.Type) -> String {
        let member = problem.place.tokens.last ?? "body"
        return switch (problem.expected, problem.found) {
        case (nil, _): problem.text
        case (let expected?, "nothing"?):
            "Post \(quoted(member)) (\(expected)), or make it optional in \(type)."
        case (let expected?, _): "Post \(quoted(member)) as \(expected), or change its type in \(type)."
        }
    }
}

extension Verdict {
    /// The verdict on a message whose handler threw an error.
    ///
    /// - Parameter name: the handler's name, for the hint.
    public static func handlerFailed(_ error: any Error, name: String) -> Verdict {
        Verdict(
            .dropped, reason: .handlerFailed, found: shortened("\(error)", to: 500),
            hint: "The handler of \(name) threw this error.")
    }
}
