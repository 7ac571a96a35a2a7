public import BridgeProtocol

/// Keeps secrets out of what is recorded: values under keys that are called like one are replaced by their type and
/// length.
///
/// It works on a message's body, a reply's and an evaluation's value, an asynchronous call's arguments, and on what a
/// verdict quotes of them. Handlers and pages get the values as they are.
public struct Redaction: Sendable, Equatable {
    /// Nothing is replaced.
    public static let none = Redaction(words: [], endings: [])
    /// Keys with `password`, `secret`, `authorization`, `cookie` and their like in them, or that end in `token`.
    public static let standard = Redaction(
        words: [
            "password", "passwd", "passphrase", "passcode", "secret", "authorization", "cookie", "credential", "apikey",
            "privatekey", "sessionid",
        ],
        endings: ["token", "jwt"])

    /// All as normalized bytes.
    private var words: [[UInt8]]
    private var endings: [[UInt8]]
    private var keys: [[UInt8]] = []

    private init(words: [String], endings: [String]) {
        self.words = words.map { Array($0.utf8) }
        self.endings = endings.map { Array($0.utf8) }
    }

    /// Redacts values under this key as well. Upper and lower case, `-` and `_` make no difference.
    public mutating func add(_ key: String) { keys.append(key.utf8.compactMap(Redaction.normalized)) }

    private var isNone: Bool { words.isEmpty && keys.isEmpty }

    /// Whether values under this key are secrets.
    public func covers(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { covers(utf8: $0) }
    }

    /// Every key of every message passes here, so no string is made of it.
    private func covers(utf8 key: UnsafeBufferPointer<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: key.count) { buffer in
            var count = 0
            for byte in key {
                guard let byte = Redaction.normalized(byte) else { continue }
                buffer[count] = byte
                count += 1
            }
            let name = UnsafeBufferPointer(rebasing: buffer[..<count])
            return words.contains { ByteSearch.contains($0, in: name) }
                || endings.contains { name.count >= $0.count && name.suffix($0.count).elementsEqual($0) }
                || keys.contains { name.elementsEqual($0) }
        }
    }

    /// Nil for what makes no difference.
    private static func normalized(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: byte
        }
    }
}

extension Redaction {
    /// What stands in place of a secret: `[redacted string, 12 characters]`.
    static func placeholder(for value: ScriptValue) -> String {
        let size: String =
            switch value.kind {
            case .string: ", \(value.string?.count ?? 0) characters"
            case .array: ", \(value.json.count) elements"
            case .object: ", \(value.json.count) members"
            default: ""
            }
        return "[redacted \(value.kind.rawValue)\(size)]"
    }

    /// The value without its secrets. Undefined and null are none.
    public func redacted(_ value: ScriptValue) -> ScriptValue {
        guard !isNone, hasSecret(value) else { return value }
        let redacted = try? ScriptValueWriter.value { writer in try write(value, to: &writer) }
        // A value that can't be written again is not kept.
        return redacted ?? .null
    }

    /// A verdict that quotes no secret.
    public func redacted(_ verdict: Verdict) -> Verdict {
        guard let at = verdict.at, let found = verdict.found, found != "nothing",
            JSONPointer(at)?.tokens.contains(where: covers) == true
        else { return verdict }
        return verdict.finding("[redacted]")
    }

    private func hasSecret(_ value: ScriptValue) -> Bool {
        value.json.containsMember { key, kind in kind != .null && covers(utf8: key) }
    }

    private func write(_ value: ScriptValue, to writer: inout ScriptValueWriter) throws {
        switch (value.types?.kind, value.json.kind) {
        case (nil, .array):
            try writer.array(count: value.json.count) { writer, index in
                if let element = value.child(index: index) { try write(element, to: &writer) }
            }
        case (nil, .object):
            try writer.object { writer in
                try value.json.forEachMember { key, _ in
                    if let member = value.child(key) {
                        try writer.member(key) { try write(member, under: key, to: &$0) }
                    }
                }
            }
        case (.ref, _) where value.referenceTarget?.tokens.contains(where: covers) == true:
            writer.string(Redaction.placeholder(for: value))
        default: writer.copy(value)
        }
    }

    private func write(_ member: ScriptValue, under key: String, to writer: inout ScriptValueWriter) throws {
        guard covers(key), !member.json.isNull else { return try write(member, to: &writer) }
        writer.string(Redaction.placeholder(for: member))
    }
}

extension TrafficRecord.Event {
    /// The event without secrets. Most have none, and stay as they are.
    public consuming func redacted(by redaction: Redaction) -> TrafficRecord.Event {
        redaction.findsSecret(in: self) ? replaced(by: redaction) : self
    }

    private func replaced(by redaction: Redaction) -> TrafficRecord.Event {
        switch self {
        case .message(let handler, let name, let body, let seq, let verdict):
            .message(
                handler: handler, name: name, body: redaction.redacted(body), seq: seq,
                verdict: redaction.redacted(verdict))
        case .reply(let handler, let seq, let result, let duration, let verdict):
            .reply(
                handler: handler, seq: seq, result: result.map(redaction.redacted), duration: duration, verdict: verdict
            )
        case .callAsync(let id, let body, let arguments):
            .callAsync(id: id, body: body, arguments: redaction.redacted(arguments))
        case .result(let id, let result, let duration):
            .result(id: id, result: result.map(redaction.redacted), duration: duration)
        default: self
        }
    }
}

extension Redaction {
    fileprivate func findsSecret(in event: borrowing TrafficRecord.Event) -> Bool {
        guard !isNone else { return false }
        return switch event {
        case .message(_, _, let body, _, let verdict): hasSecret(body) || verdict.at != nil
        case .reply(_, _, .success(let value), _, _), .result(_, .success(let value), _): hasSecret(value)
        case .callAsync(_, _, let arguments): hasSecret(arguments)
        default: false
        }
    }
}
