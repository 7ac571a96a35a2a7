public import Foundation

/// A Swift value that can be written as a JavaScript expression.
///
/// An `Encodable` type only has to declare the conformance: `extension Order: JavaScriptConvertible {}`.
public protocol JavaScriptConvertible {
    /// Appends exactly one expression.
    ///
    /// The writer's escaping is ``JSONWriter/Escaping/html``, so ``JSONWriter/string(_:)`` writes text that is safe in
    /// any script and page.
    func writeJavaScript(to writer: inout JSONWriter)
}

extension JavaScriptConvertible where Self: Encodable {
    /// Writes the encoded value. If encoding fails, the expression throws a `TypeError` with the reason, so that the
    /// evaluation fails.
    public func writeJavaScript(to writer: inout JSONWriter) {
        do {
            try ScriptValue(encoding: self).writeJavaScript(to: &writer)
        } catch {
            var text = JSONWriter(escaping: .html)
            text.string("\(Self.self) could not be encoded: \(error)")
            writer.raw("(()=>{throw new TypeError(\(text.text))})()".utf8)
        }
    }
}

extension String: JavaScriptConvertible {
    public func writeJavaScript(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JavaScriptConvertible {
    public func writeJavaScript(to writer: inout JSONWriter) { writer.bool(self) }
}

extension JavaScriptConvertible where Self: BinaryInteger & Encodable {
    /// Writes the number. Beyond 2^53 the page reads the nearest double, as with any number in JavaScript.
    public func writeJavaScript(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JavaScriptConvertible {}
extension Int8: JavaScriptConvertible {}
extension Int16: JavaScriptConvertible {}
extension Int32: JavaScriptConvertible {}
extension Int64: JavaScriptConvertible {}
extension UInt: JavaScriptConvertible {}
extension UInt8: JavaScriptConvertible {}
extension UInt16: JavaScriptConvertible {}
extension UInt32: JavaScriptConvertible {}
extension UInt64: JavaScriptConvertible {}

extension Double: JavaScriptConvertible {
    public func writeJavaScript(to writer: inout JSONWriter) {
        if let name = ScriptNumber.name(of: self) {
            writer.raw(name.utf8)
        } else {
            writer.number(self)
        }
    }
}

extension Float: JavaScriptConvertible {
    /// Writes the double with the same value.
    public func writeJavaScript(to writer: inout JSONWriter) { Double(self).writeJavaScript(to: &writer) }
}

extension Date: JavaScriptConvertible {
    /// Writes `new Date(…)`, to the millisecond.
    public func writeJavaScript(to writer: inout JSONWriter) {
        var milliseconds = JSONWriter()
        (timeIntervalSince1970 * 1_000).rounded().writeJavaScript(to: &milliseconds)
        writer.raw("new Date(\(milliseconds.text))".utf8)
    }
}

extension Optional: JavaScriptConvertible where Wrapped: JavaScriptConvertible {
    public func writeJavaScript(to writer: inout JSONWriter) {
        if let self { self.writeJavaScript(to: &writer) } else { writer.null() }
    }
}

extension Array: JavaScriptConvertible where Element: JavaScriptConvertible {
    public func writeJavaScript(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.writeJavaScript(to: &writer) }
        }
    }
}

extension Dictionary: JavaScriptConvertible where Key == String, Value: JavaScriptConvertible {
    /// Writes an object with sorted keys, so that equal values have the same text.
    public func writeJavaScript(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in self.sorted(by: { $0.key < $1.key }) {
                writer.javaScriptKey(key)
                value.writeJavaScript(to: &writer)
            }
        }
    }
}
