/// Replaces numbers that no double can hold, so that a message with such a number can be read.
enum NumberClamp {
    /// Copies a JSON text and replaces every number outside the range of doubles by ±1.7976931348623157e308.
    ///
    /// It takes one pass over the text. Strings, and anything that is not JSON, stay as they are.
    static func clamp(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(text.count + 64)
        var index = 0
        while index < text.count {
            let end: Int
            switch text[index] {
            case UInt8(ascii: "\""):
                end = endOfString(text, from: index)
                copy.append(contentsOf: text[index..<end])
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                end = endOfNumber(text, from: index)
                appendNumber(text[index..<end], to: &copy)
            case let byte:
                end = index + 1
                copy.append(byte)
            }
            index = end
        }
        return copy
    }

    private static func appendNumber(_ number: Slice<UnsafeRawBufferPointer>, to copy: inout [UInt8]) {
        guard let value = Double(String(decoding: number, as: UTF8.self)), value.isInfinite else {
            copy.append(contentsOf: number)
            return
        }
        copy.append(contentsOf: (value < 0 ? "-" : "").utf8)
        copy.append(contentsOf: "1.7976931348623157e308".utf8)
    }

    private static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return text.count
    }

    private static func endOfNumber(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        text[start...].firstIndex { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                false
            default: true
            }
        } ?? text.count
    }
}
