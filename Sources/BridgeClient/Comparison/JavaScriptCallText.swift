import BridgeProtocol
import Foundation

/// The call of a function of the page that a script of native code makes.
struct JavaScriptCallText: Equatable {
    /// The function without `window.`, such as `nativeBridge.replyWith`.
    let function: String
    let arguments: [JSONValue]

    /// Reads a script that is one call with JSON as its arguments, or that has such a call of an adapter of Turbo or
    /// Hotwire Native in it: Hotwire Native iOS wraps it in a function that catches errors.
    /// - Returns: nil for another script.
    init?(in source: String) {
        guard let call = Self.call(source) ?? Self.adapterCall(in: source) else { return nil }
        (function, arguments) = (call.function.replacing(/^window\./, with: ""), call.arguments)
    }

    private static func call(_ source: String) -> (function: String, arguments: [JSONValue])? {
        let statement = source.trimmingCharacters(in: .whitespacesAndNewlines.union([";"]))
        guard case .function(let function, let arguments) = StubCall(source: statement, delay: .zero).content else {
            return nil
        }
        return (function, arguments.map { JSONValue($0.json) })
    }

    private static func adapterCall(in source: String) -> (function: String, arguments: [JSONValue])? {
        guard let start = source.firstMatch(of: /(?:turboNative|nativeBridge)\.\w+\(/)?.range,
            let end = end(of: source[start.upperBound...])
        else { return nil }
        return call(String(source[start.lowerBound...end]))
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
