/// A `DecodingError` in the form in which the protocol reports it: a place, what was expected there, and what was
/// found.
struct DecodingProblem {
    /// The place in the decoded value.
    let place: JSONPointer
    /// The expectation, or `nil` if only ``text`` describes it.
    let expected: String?
    let found: String?
    /// The error's own description, cut because it may repeat a long value.
    let text: String

    init(_ error: DecodingError, in value: ScriptValue) {
        let context: DecodingError.Context
        var path: [any CodingKey]
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            context = found
            path = found.codingPath
        case .keyNotFound(let key, let found):
            context = found
            path = found.codingPath + [key]
        @unknown default:
            context = .init(codingPath: [], debugDescription: "\(error)")
            path = []
        }
        let mismatch = context.underlyingError as? ValueMismatch
        place = JSONPointer(tokens: path.map(\.stringValue))
        expected = mismatch?.expected
        found = mismatch?.found ?? value.resolve(pointer: place)?.summary
        text = shortened(context.debugDescription, to: 500)
    }
}

extension JSON {
    /// Decodes the params of a request, or one of them.
    ///
    /// - Parameter place: the place of `params` in the request's params.
    /// - Throws: `invalidParams` with the place, what was expected there, and what was found.
    public static func decodeParams<T: Decodable>(
        _ type: T.Type, from params: JSON?, at place: JSONPointer = JSONPointer()
    ) throws(RPCError) -> T {
        guard let params else { throw .invalidParams(at: "", "expected an object, found nothing") }
        let value = ScriptValue(json: params, checked: nil)
        do {
            return try value.decode(type)
        } catch let error as DecodingError {
            let problem = DecodingProblem(error, in: value)
            throw .invalidParams(at: place.description + problem.place.description, problem.text)
        } catch {
            throw .invalidParams(at: "", "\(error)")
        }
    }
}
