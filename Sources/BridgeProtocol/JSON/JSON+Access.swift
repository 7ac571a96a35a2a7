extension JSON {
    /// Parses one JSON text. See ``parse(_:)-(UnsafeRawBufferPointer)``.
    public static func parse(_ text: some StringProtocol, _ limits: Limits = Limits()) throws(JSONParseError) -> JSON {
        try parse(Array(text.utf8), limits)
    }

    /// Parses the bytes of one JSON text. See ``parse(_:_:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ bytes: [UInt8], _ limits: Limits = Limits()) throws(JSONParseError) -> JSON {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONParseError) in try parse(bytes, limits) }
        }.get()
    }

    public var kind: Kind { withNode { $0.kind } }
    public var isNull: Bool { kind == .null }
    public var bool: Bool? { withNode { $0.bool } }
    public var number: Double? { withNode { $0.number } }
    /// The number, if it is whole and small enough for an `Int`.
    public var wholeNumber: Int? { number.flatMap(Int.init(exactly:)) }
    public var string: String? { withNode { $0.utf8.map { String(decoding: $0, as: UTF8.self) } } }

    /// The number of members of an object or elements of an array. 0 for other kinds.
    public var count: Int { withNode { $0.count } }

    /// The member with this name, or `nil` if there is none or this is not an object.
    public subscript(key: String) -> JSON? {
        var key = key
        return key.withUTF8 { key in withNode { $0.member(key).map(sibling) } }
    }

    /// The element at this index, or `nil` if there is none or this is not an array.
    public subscript(index: Int) -> JSON? { withNode { $0.element(index).map(sibling) } }

    /// Whether this is exactly the string `text`. It is cheaper than ``string``, because it makes no `String`.
    public func stringEquals(_ text: StaticString) -> Bool {
        guard text.hasPointerRepresentation else { return false }
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return withNode { $0.utf8?.elementsEqual(expected) ?? false }
    }

    /// Calls `body` for each member of an object, in the order of the text. Does nothing for another kind.
    public func forEachMember<E: Error>(_ body: (String, JSON) throws(E) -> Void) throws(E) {
        try withNode { node throws(E) in
            for (key, value) in node.members {
                try body(String(decoding: key, as: UTF8.self), sibling(value))
            }
        }
    }

    /// Calls `body` for each element of an array, in order. Does nothing for another kind.
    public func forEachElement<E: Error>(_ body: (JSON) throws(E) -> Void) throws(E) {
        guard kind == .array else { return }
        for index in 0..<count {
            if let element = self[index] { try body(element) }
        }
    }

    /// The elements of an array. Empty for another kind.
    public var elements: [JSON] {
        var all: [JSON] = []
        forEachElement { all.append($0) }
        return all
    }

    /// Whether any object in this value, at any depth, has a member that satisfies `predicate`.
    ///
    /// - Parameter predicate: receives the key's UTF-8, which is valid during the call, and the kind of the value.
    package func containsMember(where predicate: (UnsafeBufferPointer<UInt8>, Kind) -> Bool) -> Bool {
        withNode { $0.containsMember(where: predicate) }
    }

    /// The value at an RFC 6901 JSON Pointer, or `nil` if there is none.
    public func resolve(pointer: JSONPointer) -> JSON? {
        pointer.tokens.reduce(self) { place, token in place?.child(token) }
    }

    /// The member or the element that one token of a pointer names.
    func child(_ token: String) -> JSON? {
        switch kind {
        case .object: self[token]
        case .array: JSONPointer.index(token).flatMap { self[$0] }
        default: nil
        }
    }
}

extension JSONNode {
    fileprivate func containsMember(where predicate: (UnsafeBufferPointer<UInt8>, JSON.Kind) -> Bool) -> Bool {
        switch kind {
        case .object:
            members.contains { key, value in predicate(key, value.kind) || value.containsMember(where: predicate) }
        case .array: (0..<count).contains { element($0)?.containsMember(where: predicate) ?? false }
        default: false
        }
    }
}
