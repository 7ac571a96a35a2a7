extension JSON {
    /// Builds a document from a value. NaN and the infinities become null, as in the value's text.
    public init(_ value: JSONValue) {
        guard let node = JSONNode.make(value) ?? .null else { self = .null; return }
        self.init(owning: node)
    }
}

extension JSONNode {
    /// Returns a node that the caller owns, or `nil` if memory is short or the number is not finite.
    fileprivate static func make(_ value: JSONValue) -> JSONNode? {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return .number(value)
        case .string(var text):
            return text.withUTF8 { .string(UnsafeRawBufferPointer($0), isUTF8: false) }
        case .array(let elements):
            let array = makeArray()
            for element in elements {
                if let node = make(element) ?? .null { _ = array?.append(owning: node) }
            }
            return array
        case .object(let members):
            let object = makeObject()
            for member in members {
                guard let node = make(member.value) ?? .null else { continue }
                var key = member.key
                _ = key.withUTF8 { object?.setMember(UnsafeRawBufferPointer($0), isUTF8: false, owning: node) }
            }
            return object
        }
    }
}
