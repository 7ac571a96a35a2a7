/// A JSON Pointer (RFC 6901): the path from the root of a JSON value to one place in it.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The member names and element indexes from the root on, unescaped. Empty for the root itself.
    public var tokens: [String]

    public init(tokens: [String] = []) { self.tokens = tokens }

    /// Reads the text form: an empty text, or tokens that each begin with `/` and write `~` as `~0` and `/` as `~1`.
    public init?(_ text: String) {
        guard !text.isEmpty else { self.init(); return }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let token = Self.unescape(part) else { return nil }
            tokens.append(token)
        }
        self.init(tokens: tokens)
    }

    public var description: String { tokens.map { "/" + Self.escape($0) }.joined() }

    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// The token as an array index: digits without a leading zero (RFC 6901, section 4).
    static func index(_ token: String) -> Int? {
        guard let first = token.utf8.first, first != UInt8(ascii: "0") || token.utf8.count == 1 else { return nil }
        guard token.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
        return Int(token)
    }

    private static func escape(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
        return token.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func unescape(_ part: Substring.UTF8View.SubSequence) -> String? {
        guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
        var bytes: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else { bytes.append(byte); continue }
            switch rest.next() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
