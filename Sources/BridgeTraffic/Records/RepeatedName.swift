/// Finds a name that a JSON object has twice. Parsers differ about such an object: DuckDB refuses it, JavaScript takes the
/// last value.
///
/// In a debug build each record is checked with it, so any test that makes a wrong record fails.
package enum RepeatedName {
    /// The longest line that a debug build checks, in bytes. A test with a message of many MiB would take seconds longer.
    static let longestLine = 64 << 10

    /// - Parameter text: a JSON text as `JSONWriter` prints it: the same characters are always escaped.
    /// - Returns: the name, with its escapes; nil if each name is there once.
    package static func first(in text: some Collection<UInt8>) -> String? {
        /// The names of the objects that are open; nil for an array.
        var open: [Set<[UInt8]>?] = []
        var string: [UInt8] = []
        var (isInString, isEscaped) = (false, false)
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                if isInString { string.append(byte) }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, string) = (true, [])
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "["): open.append(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: ":"):
                guard let last = open.indices.last, open[last]?.insert(string).inserted == false else { continue }
                return String(decoding: string, as: UTF8.self)
            default: continue
            }
        }
        return nil
    }
}
