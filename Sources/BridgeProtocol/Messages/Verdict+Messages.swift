extension Verdict {
    static func unnamed(
        _ body: ScriptValue, expected: String, found: String, at: String, _ discriminator: String, handler: String
    ) -> Verdict {
        let hint =
            if let foreign = ForeignMessage(body, to: handler) {
                foreign.hint
            } else if body.parsedText != nil {
                "You posted JSON text. Leave out JSON.stringify, and post the object itself. If the page is not yours: "
                    + "\(HandlerAdvice.stub(of: handler)); its match looks into the text."
            } else {
                "Post an object that says what it is: {\(discriminator): \"MyMessage\", …}."
            }
        return Verdict(.dropped, reason: .unknownName, expected: expected, found: found, at: at, hint: hint)
    }

    static func unknown(
        _ name: String, _ body: ScriptValue, at place: String, names: [String], handler: String
    ) -> Verdict {
        let nearest = EditDistance.nearest(to: name, in: names).map { "Did you mean \"\($0)\"? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownName,
            expected: names.isEmpty ? "a registered name" : "one of \(names.joined(separator: ", "))",
            found: "string \(quoted(name))", at: place,
            hint: ForeignMessage(body, to: handler)?.hint ?? nearest
                + "To receive it, name it under messages: in bridged.yml, or register a ScriptMessage of that "
                + "name in Swift: dispatcher.on(MyMessage.self) { … }.")
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
            at: JSONPointer(tokens: place + problem.place.tokens).description,
            hint: ForeignMessage(value, to: nil)?.hint ?? hint(for: problem, as: type))
    }

    /// The modules of this package. A user of the daemon cannot change their types.
    private static let ownModules: Set<Substring> = ["BridgeProtocol", "BridgeServer", "EmulatedApp"]

    private static func hint(for problem: DecodingProblem, as type: any Any.Type) -> String {
        let member = problem.place.tokens.last ?? "body"
        let isOwn = ownModules.contains(String(reflecting: type).prefix { $0 != "." })
        return switch (problem.expected, problem.found) {
        case (nil, _): problem.text
        case (let expected?, "nothing"?):
            "Post \(quoted(member)) (\(expected))" + (isOwn ? "." : ", or in Swift make it optional in \(type).")
        case (let expected?, _):
            "Post \(quoted(member)) as \(expected)" + (isOwn ? "." : ", or in Swift change its type in \(type).")
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
