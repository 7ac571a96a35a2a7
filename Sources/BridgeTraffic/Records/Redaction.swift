public import BridgeProtocol

/// Keeps secrets out of records: it replaces the value of each key that looks like the name of a secret with the
/// value's type and length.
///
/// It applies to message bodies, to the values of replies and evaluations, to the arguments of asynchronous calls, and
/// to what a verdict quotes of them. Handlers and pages get the values unchanged.
public struct Redaction: Sendable, Equatable {
    /// Replaces nothing.
    public static let none = Redaction(words: [], endings: [])
    /// Covers keys that contain a word like `password`, `secret`, `authorization` or `cookie`, or that end in `token`.
    public static let standard = Redaction(
        words: [
            "password", "passwd", "passphrase", "passcode", "secret", "authorization", "cookie", "credential", "apikey",
            "privatekey", "sessionid",
        ],
        endings: ["token", "jwt"])

    // These are normalized bytes.
    private let words: ByteSearch
    private let endings: [[UInt8]]
    /// The last byte of each ending. Few keys end so, and all others are compared no further.
    private let lastBytes: [UInt8]
    private var keys: [[UInt8]] = []
    private var isNone: Bool

    private init(words: [String], endings: [String]) {
        isNone = words.isEmpty
        self.words = ByteSearch(words.map { Array($0.utf8) })
        self.endings = endings.map { Array($0.utf8) }
        lastBytes = self.endings.compactMap(\.last)
    }

    /// Also covers this key. Upper and lower case, `-`, `_` and spaces make no difference.
    public mutating func add(_ key: String) {
        keys.append(key.utf8.compactMap(Redaction.normalized))
        isNone = false
    }

    /// The longest key that is compared, in bytes. A page must not keep the daemon busy with a key of many MiB.
    private static let longestKey = 1_024

    /// Whether the values of this key are secrets. Those of a key of more than 1,024 bytes always are.
    public func covers(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { covers(utf8: $0) }
    }

    /// Compares bytes and makes no string of the key, because this is called for every key of every message.
    private func covers(utf8 key: UnsafeBufferPointer<UInt8>) -> Bool {
        if isNone { return false }
        if key.count > Redaction.longestKey { return true }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: key.count) { buffer in
            var count = 0
            for byte in key {
                guard let byte = Redaction.normalized(byte) else { continue }
                buffer[count] = byte
                count += 1
            }
            let name = UnsafeBufferPointer(rebasing: buffer[..<count])
            return words.matches(name) || hasEnding(name)
                || keys.contains { name.elementsEqual($0) }
        }
    }

    private func hasEnding(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = name.last, lastBytes.contains(last) else { return false }
        return endings.contains { name.count >= $0.count && name.suffix($0.count).elementsEqual($0) }
    }

    /// Returns the byte in lower case; nil if comparisons ignore it.
    private static func normalized(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: byte
        }
    }
}

extension Redaction {
    /// Returns the text that replaces a secret, such as `[redacted string, 12 characters]`.
    static func placeholder(for value: ScriptValue) -> String {
        let size: String =
            switch value.kind {
            case .string: ", \(value.string?.utf16.count ?? 0) characters"
            case .array: ", \(value.json.count) elements"
            case .object: ", \(value.json.count) members"
            default: ""
            }
        return "[redacted \(value.kind.rawValue)\(size)]"
    }

    /// Returns the value without its secrets, also without those in texts that are the JSON of an object or an array.
    /// Undefined and null are not secrets.
    public func redacted(_ value: ScriptValue) -> ScriptValue {
        guard mayHaveSecret(value) else { return value }
        let value = withoutSecretMembers(value)
        guard hasJSONText(value) else { return value }
        let json = JSONValue(value.json)
        let plain = withoutSecretsInTexts(json)
        guard plain != json else { return value }
        // The places of types stay the same. If the value can't be made, it is left out.
        return (try? ScriptValue(json: JSON(plain), types: value.types.map { JSON($0.json) })) ?? .null
    }

    private func withoutSecretMembers(_ value: ScriptValue) -> ScriptValue {
        guard hasSecret(value) else { return value }
        let redacted = try? ScriptValueWriter.value { writer in try write(value, to: &writer) }
        // If the value can't be written, it is left out.
        return redacted ?? .null
    }

    private func withoutSecretsInTexts(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string:
            guard let parsed = ScriptValue(value).parsedText else { return value }
            let hidden = redacted(parsed).json
            return JSONValue(hidden) == JSONValue(parsed.json) ? value : .string(hidden.text)
        case .array(let elements): return .array(elements.map(withoutSecretsInTexts))
        case .object(let members): return .object(members.map { .init($0.key, withoutSecretsInTexts($0.value)) })
        case .null, .bool, .number: return value
        }
    }

    /// Whether a script has a key with a secret, as in `{"token": "c0ffee"}`.
    func findsSecret(inScript source: String) -> Bool {
        guard !isNone else { return false }
        return source.matches(of: /["']?([A-Za-z_][\w\-]{0,100})["']?\s*:/).contains { covers(String($0.1)) }
    }

    /// Returns the verdict; if it quotes a secret, without that.
    public func redacted(_ verdict: Verdict) -> Verdict {
        guard let found = verdict.found, found != "nothing" else { return verdict }
        let isOfSecret = verdict.at.flatMap(JSONPointer.init)?.tokens.contains(where: covers) == true
        return isOfSecret || quotesSecret(found) ? verdict.finding("[redacted]") : verdict
    }

    /// Whether a text quotes JSON text with a secret. Its quotation marks are escaped.
    private func quotesSecret(_ found: String) -> Bool {
        // Most texts quote none, and a regular expression is slow.
        guard found.utf8.contains(UInt8(ascii: "{")), found.utf8.contains(UInt8(ascii: ":")) else { return false }
        return findsSecret(inScript: found.replacing("\\\"", with: "\""))
    }

    /// Whether ``redacted(_:)-(ScriptValue)`` must look at the value.
    fileprivate func mayHaveSecret(_ value: ScriptValue) -> Bool { !isNone && (hasSecret(value) || hasJSONText(value)) }

    /// Whether a text in the value may be the JSON of an object or an array.
    private func hasJSONText(_ value: ScriptValue) -> Bool {
        value.json.containsText { text in
            let first = text.first { $0 > UInt8(ascii: " ") }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        }
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
    /// Returns the event without secrets. Most events have none, and are returned unchanged.
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
        case .message(_, _, let body, _, let verdict): mayHaveSecret(body) || verdict.found != nil
        case .reply(_, _, .success(let value), _, _), .result(_, .success(let value), _): mayHaveSecret(value)
        case .callAsync(_, _, let arguments): mayHaveSecret(arguments)
        default: false
        }
    }
}

/// Removes the daemon's tokens from text, wherever they appear in it. Every record is searched.
struct TokenRedaction: Sendable {
    private let tokens: [String]
    private let search: ByteSearch

    /// - Parameter tokens: ASCII texts.
    init(_ tokens: [String]) {
        self.tokens = tokens
        search = ByteSearch(tokens.map { Array($0.utf8) })
    }

    /// Whether one of the tokens is in a line.
    func appear(in line: [UInt8]) -> Bool { line.withUnsafeBufferPointer(search.matches) }

    func removed(from text: String) -> String {
        guard appear(in: Array(text.utf8)) else { return text }
        return tokens.reduce(text) { $0.replacing($1, with: "[redacted]") }
    }
}
