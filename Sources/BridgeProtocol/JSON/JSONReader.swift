/// Reads JSON into jansson's nodes. It checks strings many bytes at a time, and takes a tenth of jansson's time for a
/// short message.
///
/// It accepts what jansson's parser accepts, and also NUL in keys, which that parser refuses although its trees can
/// have it since 2.14. If a short text is not JSON, jansson's parser reads it once more to word the error.
struct JSONReader {
    let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte to read.
    private(set) var index: Int
    /// Why nothing could be read, if that is not a mistake in the syntax.
    private(set) var cause: JSONParseError.Cause?
    /// Whether `JSONWriter` would print what was read so far with the same bytes. It is false if that is not certain.
    private(set) var isAsPrinted = true
    /// How many levels of nesting it reads.
    private let levels: Int

    init(_ bytes: UnsafeRawBufferPointer, at index: Int = 0, levels: Int = JSON.deepestNesting) {
        self.bytes = bytes
        self.index = index
        self.levels = levels
    }

    /// Reads a text of one value, with whitespace around it.
    ///
    /// - Returns: the root. The caller owns its only reference.
    mutating func root() -> JSONNode? {
        guard let root = value() else { return nil }
        skipSpace()
        return index == bytes.count ? root : abandon(root)
    }

    /// Reads the value that begins at ``index`` and moves ``index`` past it.
    ///
    /// - Returns: the value's node. The caller owns its only reference.
    mutating func value() -> JSONNode? { value(levels: levels) }

    private mutating func value(levels: Int) -> JSONNode? {
        skipSpace()
        guard index < bytes.count else { return nil }
        guard levels > 0 else { return fail(.tooDeep) }
        switch bytes[index] {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object(levels: levels - 1)
        case UInt8(ascii: "["): return array(levels: levels - 1)
        case UInt8(ascii: "t"): return skip("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return skip("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return skip("null") ? .null : nil
        default: return number()
        }
    }

    // MARK: Objects and arrays

    private mutating func object(levels: Int) -> JSONNode? {
        guard let object = JSONNode.makeObject() else { return nil }
        index += 1
        if skip(UInt8(ascii: "}")) { return object }
        var count = 0
        repeat {
            guard readMember(of: object, levels: levels) else { return abandon(object) }
            count += 1
        } while skip(UInt8(ascii: ","))
        // A name that comes twice is one member.
        if object.count != count { isAsPrinted = false }
        return skip(UInt8(ascii: "}")) ? object : abandon(object)
    }

    private mutating func readMember(of object: JSONNode, levels: Int) -> Bool {
        skipSpace()
        guard let key = stringToken(), skip(UInt8(ascii: ":")), let value = value(levels: levels) else { return false }
        guard key.hasEscapes else { return setMember(of: object, bytes(of: key), key.isASCII, value) }
        return setEscapedMember(of: object, key, value)
    }

    private mutating func setEscapedMember(of object: JSONNode, _ key: StringToken, _ value: JSONNode) -> Bool {
        let isSet = StringUnescaper.withBytes(of: bytes(of: key)) { setMember(of: object, $0, key.isASCII, value) }
        if isSet == nil { value.release() }
        return isSet ?? false
    }

    private mutating func setMember(
        of object: JSONNode, _ key: UnsafeRawBufferPointer, _ isASCII: Bool, _ value: JSONNode
    ) -> Bool {
        if object.setMember(key, isUTF8: isASCII, owning: value) { return true }
        cause = !JSON.allowsNULInKeys && key.contains(0) ? .nulInKey : isASCII ? .other : .invalidUTF8
        return false
    }

    private mutating func array(levels: Int) -> JSONNode? {
        guard let array = JSONNode.makeArray() else { return nil }
        index += 1
        if skip(UInt8(ascii: "]")) { return array }
        repeat {
            guard let element = value(levels: levels), array.append(owning: element) else { return abandon(array) }
        } while skip(UInt8(ascii: ","))
        return skip(UInt8(ascii: "]")) ? array : abandon(array)
    }

    private func abandon(_ node: JSONNode) -> JSONNode? {
        node.release()
        return nil
    }

    private mutating func fail<T>(_ cause: JSONParseError.Cause) -> T? {
        self.cause = cause
        return nil
    }

    // MARK: Strings

    private struct StringToken {
        /// The bytes between the quotes.
        let range: Range<Int>
        let isASCII: Bool
        let hasEscapes: Bool
    }

    private mutating func string() -> JSONNode? {
        guard let token = stringToken() else { return nil }
        guard token.hasEscapes else { return string(bytes(of: token), token.isASCII) }
        return StringUnescaper.withBytes(of: bytes(of: token)) { string($0, token.isASCII) }
    }

    private mutating func string(_ utf8: UnsafeRawBufferPointer, _ isASCII: Bool) -> JSONNode? {
        if let string = JSONNode.string(utf8, isUTF8: isASCII) { return string }
        return fail(isASCII ? .other : .invalidUTF8)
    }

    private mutating func stringToken() -> StringToken? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        var (end, hasEscapes, seen) = (start, false, UInt64(0))
        while true {
            end = plainEnd(from: end, &seen)
            guard end < bytes.count else { return fail(.prematureEnd) }
            switch bytes[end] {
            case UInt8(ascii: "\""):
                index = end + 1
                return StringToken(
                    range: start..<end, isASCII: seen & 0x8080_8080_8080_8080 == 0, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                if end + 1 >= bytes.count || !JSONReader.printedEscapes.contains(bytes[end + 1]) { isAsPrinted = false }
                end += 2
            default:
                index = end
                return nil
            }
        }
    }

    /// The characters that follow a backslash in what `JSONWriter` prints, but for the `u` of rare control characters.
    private static let printedEscapes = [UInt8]("\"\\bfnrt".utf8)

    /// Finds the next quote, backslash or control character and returns its offset.
    ///
    /// - Parameter seen: collects the bits of all bytes that were looked at, possibly some after that offset.
    private func plainEnd(from start: Int, _ seen: inout UInt64) -> Int {
        var index = start
        while index + 32 <= bytes.count {
            let block = bytes.loadUnaligned(fromByteOffset: index, as: StringEscaper.Block.self)
            guard !StringEscaper.hasMarks(in: block) else { break }
            seen |= StringEscaper.highBits(of: block)
            index += 32
        }
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            seen |= word
            let found = StringEscaper.marks(in: word)
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, !StringEscaper.isMark(bytes[index]) {
            seen |= UInt64(bytes[index])
            index += 1
        }
        return index
    }

    // MARK: Numbers

    private mutating func number() -> JSONNode? {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let firstDigit = index
        var whole = 0
        while index < bytes.count, case let digit = Int(bytes[index]) - 48, (0...9).contains(digit) {
            whole = whole &* 10 &+ digit
            index += 1
        }
        let count = index - firstDigit
        guard count > 0, count == 1 || bytes[firstDigit] != UInt8(ascii: "0") else { return nil }
        // A double holds any whole number of 15 digits. JavaScript prints -0 as 0.
        if isNegative, whole == 0 { isAsPrinted = false }
        if count <= 15, !continuesNumber { return .number(isNegative ? -Double(whole) : Double(whole)) }
        return fraction(from: start)
    }

    /// Reads the rest of a number whose whole part was read. One that no double can hold becomes the greatest.
    private mutating func fraction(from start: Int) -> JSONNode? {
        isAsPrinted = false
        skipDigits()
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() else { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard skipDigits() else { return nil }
        }
        let text = String(decoding: part(start..<index), as: UTF8.self)
        if let integer = Int(text), integer.magnitude >= 1 << 53 { return .largeInteger(integer) }
        guard let value = Double(text) else { return nil }
        let greatest = Double.greatestFiniteMagnitude
        return .number(min(max(value, -greatest), greatest))
    }

    /// - Returns: whether there was a digit.
    @discardableResult private mutating func skipDigits() -> Bool {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index > start
    }

    private var continuesNumber: Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return true
        default: return false
        }
    }

    // MARK: Bytes

    private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

    private func bytes(of token: StringToken) -> UnsafeRawBufferPointer { part(token.range) }

    @inline(__always) private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                index += 1
                isAsPrinted = false
            default: return
            }
        }
    }

    /// Skips whitespace and then the byte, if it is there.
    @inline(__always) private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        guard
            bytes.dropFirst(index).starts(
                with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        else { return false }
        index += word.utf8CodeUnitCount
        return true
    }
}

extension JSONReader {
    /// Why the text could not be read, and the place.
    ///
    /// jansson's errors say more. But it would read the whole text once more, which blocks the loop for too long if the
    /// text is large.
    var error: JSONParseError {
        let cause = bytes.isUTF8 ? cause ?? (index < bytes.count ? .syntax : .prematureEnd) : .invalidUTF8
        let read = bytes[..<min(index, bytes.count)]
        let line = read.suffix(from: read.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        return JSONParseError(
            message: message(for: cause), line: 1 + read.count { $0 == UInt8(ascii: "\n") },
            // A character has one byte that does not continue another one.
            column: line.count { $0 & 0xC0 != 0x80 }, offset: read.count, cause: cause)
    }

    private func message(for cause: JSONParseError.Cause) -> String {
        switch cause {
        case .syntax: "invalid syntax, or an invalid Unicode escape"
        case .prematureEnd: "the text ends before its value does"
        case .invalidUTF8: "the text is not UTF-8"
        case .tooDeep: "maximum parsing depth reached"
        case .nulInKey: "a key contains NUL, which jansson reads since version 2.14; this is \(JSON.libraryVersion)"
        case .tooManyValues, .numberTooLarge, .other: "not enough memory"
        }
    }
}
