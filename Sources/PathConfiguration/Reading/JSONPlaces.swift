import BridgeProtocol

/// The lines and columns of all values in a JSON text.
///
/// jansson does not keep them, so this scans the text a second time. It does not check the syntax or the depth of
/// nesting: the text must be one that jansson has parsed.
struct JSONPlaces {
    /// A line and a column, both from 1. A column counts characters.
    struct Place: Equatable {
        let line: Int
        let column: Int
    }

    /// The second of two members with the same name, and the place of the value that it overrides.
    struct Duplicate {
        let path: JSONPath
        let overridden: Place
    }

    private(set) var duplicates: [Duplicate] = []
    private var places: [JSONPath: Place] = [:]
    private let text: [UInt8]
    private var index = 0
    /// The place of the byte up to which characters have been counted. A file may be one line, which is counted only once.
    private var counted = (index: 0, line: 1, column: 1)

    init(_ text: [UInt8]) {
        self.text = text
        value(at: .root)
    }

    /// The place of a value. If the text has no such value, the place of the nearest value that would contain it.
    func place(of path: JSONPath) -> Place {
        var path = path
        while true {
            if let place = places[path] { return place }
            guard let shorter = path.parent else { return Place(line: 1, column: 1) }
            path = shorter
        }
    }

    /// The place of the next byte, which begins a value, and so a character.
    private mutating func here() -> Place {
        var piece = text[counted.index..<index]
        if let end = piece.lastIndex(of: UInt8(ascii: "\n")) {
            counted.line += piece.count { $0 == UInt8(ascii: "\n") }
            counted.column = 1
            piece = piece[(end + 1)...]
        }
        counted.column += String(decoding: piece, as: UTF8.self).count
        counted.index = index
        return Place(line: counted.line, column: counted.column)
    }

    // MARK: Scanning

    /// The deepest values whose places are kept. A path has one step for each level, so the paths of a text of 1 MiB
    /// could need gigabytes.
    private static let maximumDepth = 16

    private mutating func value(at path: JSONPath) {
        skipSpace()
        guard index < text.count else { return }
        if path.depth <= JSONPlaces.maximumDepth { places[path] = here() }
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
            let child = path.depth > JSONPlaces.maximumDepth ? path : path.member(string())
            if let first = places[child] { duplicates.append(Duplicate(path: child, overridden: first)) }
            skipSpace()
            index += 1  // the colon
            value(at: child)
        }
    }

    private mutating func elements(of path: JSONPath) {
        index += 1
        var count = 0
        while next(until: "]") {
            value(at: path.depth > JSONPlaces.maximumDepth ? path : path.element(count))
            count += 1
        }
    }

    /// Moves to the next member or element.
    /// - Returns: `false` after the last one. The index is then behind the closing bracket.
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

    /// The value of a string literal.
    private static func unescaped(_ literal: ArraySlice<UInt8>) -> String {
        let text = String(decoding: literal, as: UTF8.self)
        guard literal.contains(UInt8(ascii: "\\")) else { return String(text.dropFirst().dropLast()) }
        return (try? JSON.parse(text))?.string ?? text
    }
}
