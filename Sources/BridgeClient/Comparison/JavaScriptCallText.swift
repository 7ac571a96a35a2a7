import BridgeProtocol

/// The call of a function of the page that a script of native code makes.
struct JavaScriptCallText: Equatable {
    /// The function without `window.`, such as `nativeBridge.replyWith`.
    let function: String
    let arguments: [JSONValue]

    /// Reads a script that is one call with JSON as its arguments, or that has such a call of an adapter of Turbo or
    /// Hotwire Native in it: Hotwire Native iOS wraps it in a function that catches errors.
    /// - Returns: nil for another script.
    init?(in source: String) {
        if let match = source.prefixMatch(of: Self.start), let call = Self.read(match, in: source),
            source[call.end...].wholeMatch(of: /\)\s*;?\s*/) != nil
        {
            self = call.text
        } else if let match = source.firstMatch(of: Self.adapter), let call = Self.read(match, in: source) {
            self = call.text
        } else {
            return nil
        }
    }

    private typealias Match = Regex<(Substring, Substring)>.Match
    private nonisolated(unsafe) static let start = /\s*(?:window\.)?([A-Za-z_$][\w$.]*)\(/
    private nonisolated(unsafe) static let adapter = /((?:turboNative|nativeBridge)\.\w+)\(/

    private init(function: String, arguments: [JSONValue]) { (self.function, self.arguments) = (function, arguments) }

    /// Reads the arguments after the parenthesis with which a match ends.
    private static func read(_ match: Match, in source: String) -> (text: JavaScriptCallText, end: String.Index)? {
        let rest = source[match.range.upperBound...]
        guard let end = Self.end(of: rest), let json = try? JSON.parse("[\(rest[..<end])]") else { return nil }
        return (.init(function: String(match.1), arguments: json.elements.map(JSONValue.init)), end)
    }

    /// The parenthesis that ends the arguments.
    private static func end(of text: Substring) -> String.Index? {
        var (depth, isText, isEscaped) = (0, false, false)
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")") where depth == 0: return index
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return nil
    }
}
