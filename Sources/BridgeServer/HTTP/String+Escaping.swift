import BridgeTraffic

extension String {
    /// The text as it may appear in a message: on one line, without invisible characters, and cut after 100.
    var forText: String {
        let start = unicodeScalars.prefix(101)
        let text = TerminalText.escape(String(String.UnicodeScalarView(start.prefix(100))))
        return start.count > 100 ? text + "…" : text
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
