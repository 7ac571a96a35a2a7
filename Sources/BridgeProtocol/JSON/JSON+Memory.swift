extension JSON {
    /// About how many bytes of memory the value takes: up to 40 times its text.
    package var memory: Int { withNode { $0.memory } }
}

extension JSONNode {
    /// What jansson 2.14 allocates on a machine of 64 bits, rounded up.
    fileprivate var memory: Int {
        switch kind {
        case .null, .bool: 0
        case .number: 32
        case .string: 64 + (utf8?.count ?? 0)
        case .array: (0..<count).reduce(128) { $0 + 8 + (element($1)?.memory ?? 0) }
        case .object: members.reduce(256) { $0 + 96 + $1.key.count + $1.value.memory }
        }
    }
}
