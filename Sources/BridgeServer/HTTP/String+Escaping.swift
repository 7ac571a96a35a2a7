extension String {
    /// The text as it may appear in a message: on one line, without control characters, at most 100 characters long.
    var forText: String {
        let line = unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "\u{fffd}" : Character($0) }
        return line.count > 100 ? String(line.prefix(100)) + "…" : String(line)
    }

    /// The text with everything but ASCII letters and digits percent-encoded, for a value in a query (RFC 3986). It is
    /// safe in HTML as well.
    var queryEscaped: String {
        utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) { return String(scalar) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
