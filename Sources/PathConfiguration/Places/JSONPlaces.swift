import BridgeProtocol

/// Where the values of a JSON text stand. jansson keeps no places, so the text is walked over a second time; only when
/// there is something to tell.
///
/// The text must be one that jansson has parsed: nothing is checked again, and the depth is known to be bounded.
struct JSONPlaces {
    /// A line and a column, both from 1. Columns count characters.
    struct Place: Hashable, Comparable {
        let line: Int
        let column: Int

        static func < (left: Place, right: Place) -> Bool { (left.line, left.column) < (right.line, right.column) }
    }

    /// The later of two members with one name, and where the value stands that it overwrites.
    struct Duplicate {
        let path: JSONPath
        let place: Place
    }

    private(set) var duplicates: [Duplicate] = []
    private var offsets: [JSONPath: Int] = [:]
    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) {
        self.text = text
        value(at: .root)
    }

    /// Where the value stands, or the nearest one around it.
    func place(of path: JSONPath) -> Place {
        var path = path
        while true {
            if let offset = offsets[path] { return place(at: offset) }
            guard let shorter = path.parent else { return Place(line: 1, column: 1) }
            path = shorter
        }
    }

    /// A line of the text, without its end. From 1.
    func line(_ number: Int) -> String {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return number <= lines.count ? String(decoding: lines[number - 1], as: UTF8.self) : ""
    }

    private func place(at offset: Int) -> Place {
        let before = text[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return Place(line: line, column: String(decoding: before[lineStart...], as: UTF8.self).count + 1)
    }

    // MARK: The walk

    private mutating func value(at path: JSONPath) {
        skipSpace()
        guard index < text.count else { return }
        offsets[path] = index
        switch text[index] {
        case UInt8(ascii: "{"): members(of: path)
        case UInt8(ascii: "["): elements(of: path)
        case UInt8(ascii: "\""): _ = string()
        default:
            while index < text.count, !",]} \t\r\n".utf8.contains(text[index]) { index += 1 }
        }
    }

    private mutating func members(of path: JSONPath) {
        index += 1
        while next(until: "}") {
            let child = path.member(string())
            if let first = offsets[child] {
                duplicates.append(Duplicate(path: child, place: place(at: first)))
            }
            skipSpace()
            index += 1  // the colon
            value(at: child)
        }
    }

    private mutating func elements(of path: JSONPath) {
        index += 1
        var count = 0
        while next(until: "]") {
            value(at: path.element(count))
            count += 1
        }
    }

    /// Goes to the next member or element. False at the end, which it goes past.
    private mutating func next(until end: Unicode.Scalar) -> Bool {
        skipSpace()
        if index < text.count, text[index] == UInt8(ascii: ",") { index += 1 }
        skipSpace()
        guard index < text.count else { return false }
        guard text[index] == UInt8(ascii: end) else { return true }
        index += 1
        return false
    }

    private mutating func string() -> String {
        let start = index
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, text.count)
        return JSONPlaces.unescaped(text[start..<index])
    }

    private mutating func skipSpace() {
        while index < text.count, " \t\r\n".utf8.contains(text[index]) { index += 1 }
    }

    /// What a string literal says.
    private static func unescaped(_ literal: ArraySlice<UInt8>) -> String {
        let text = String(decoding: literal, as: UTF8.self)
        guard literal.contains(UInt8(ascii: "\\")) else { return String(text.dropFirst().dropLast()) }
        return (try? JSON.parse(text))?.string ?? text
    }
}
