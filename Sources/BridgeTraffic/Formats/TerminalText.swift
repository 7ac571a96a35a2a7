import BridgeProtocol

/// Prevents text from an untrusted source from controlling a terminal, and from looking like other text.
///
/// Everything that is printed for people passes through here.
public enum TerminalText {
    /// Replaces what is not visible with escapes such as `\n`, `\t` and `\u{1b}`: control characters (C0, DEL, C1),
    /// line separators, marks for the direction of writing, and other invisible characters.
    ///
    /// The result is one line, so no text can begin a line that looks like another message, or like a command for a CI
    /// server (GitHub's `::error`).
    public static func escape(_ text: String) -> String {
        guard !isPlain(text.utf8) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where isInvisible(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Escapes each line of a text that may have several, because bridged itself has written the line feeds.
    public static func escapeLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escape(String($0)) }.joined(separator: "\n")
    }

    /// Escapes the same characters in JSON, as `\u` and four digits. The JSON still means the same.
    ///
    /// - Parameter json: JSON texts, as `JSONWriter` writes them, and line feeds between them; or whatever a false daemon
    ///   sends in their place.
    public static func escapeJSON(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: mayBeInvisible) else { return json }
        var text = String(decoding: json, as: UTF8.self)
        return text.withUTF8(escapeJSON)
    }

    public static func escapeJSON(_ json: String) -> String {
        guard json.utf8.contains(where: mayBeInvisible) else { return json }
        return String(decoding: escapeJSON(Array(json.utf8)), as: UTF8.self)
    }

    /// Copies what is visible in long pieces, because a line may have megabytes.
    private static func escapeJSON(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count)
        var (copied, index) = (0, 0)
        while index < utf8.count {
            guard mayBeInvisible(utf8[index]), let scalar = scalar(in: utf8[index...]) else {
                index += 1
                continue
            }
            let next = index + UTF8.width(scalar)
            if isInvisible(scalar) {
                result += utf8[copied..<index]
                for unit in String(scalar).utf16 { result += "\\u\(unit.hexadecimal)".utf8 }
                copied = next
            }
            index = next
        }
        return result + utf8[copied...]
    }

    /// Whether a character that begins with this byte may be one to escape. JSON has line feeds and tabs between its
    /// tokens, but no other control characters.
    private static func mayBeInvisible(_ byte: UInt8) -> Bool {
        byte >= 0x7F || byte < 0x20 && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\t")
    }

    /// The character at the beginning of valid UTF-8.
    private static func scalar(in utf8: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        var (iterator, decoder) = (utf8.makeIterator(), UTF8())
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    private static func isPlain(_ utf8: String.UTF8View) -> Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        // Variation selectors make emoji colourful.
        default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }
}
