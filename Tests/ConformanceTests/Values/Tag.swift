import BridgeProtocol

/// A type tag of a native value, in the format of `page/tagger.js`.
indirect enum Tag {
    case undefined
    case null
    /// An `NSNull` in an array, which was null or undefined in JavaScript.
    case nullItem
    case boolean(Bool)
    case number(Double)
    case string(String)
    case date(Double)
    case array([Tag])
    /// An object's members, sorted by key.
    case object([(key: String, value: Tag)])
    /// A reference to the object at an earlier path.
    case ref(String)
    /// The number of levels of a value that is nested more than 40 levels deep.
    case deep(Int)
    /// A value of a type without a tag.
    case foreign(String)

    /// The sizes above which strings, arrays and objects are hashed.
    private static let longestString = 600
    private static let mostItems = 200

    /// The value that `nullItem` stands for within a hash, where the recording can't be translated.
    enum NullItem: String { case null, undefined }

    /// Returns the JSON text that the tagger prints.
    func json(hashing nullItem: NullItem) -> String { json(nullItem: .null, hashing: nullItem) }

    private func json(nullItem: NullItem, hashing hashed: NullItem) -> String {
        switch self {
        case .undefined: #"{"t":"undefined"}"#
        case .null: #"{"t":"null"}"#
        case .nullItem: #"{"t":"\#(nullItem)"}"#
        case .boolean(let value): #"{"t":"boolean","v":\#(value)}"#
        case .number(let value): #"{"t":"number","v":\#(Tag.number(value))}"#
        case .string(let value): Tag.string(value)
        case .date(let value): #"{"t":"date","v":\#(Tag.number(value))}"#
        case .array(let items) where items.count > Tag.mostItems: Tag.longArray(items, nullItem, hashed)
        case .array(let items):
            #"{"t":"array","items":[\#(items.map { $0.json(nullItem: nullItem, hashing: hashed) }.joined(separator: ","))]}"#
        case .object(let members) where members.count > Tag.mostItems: Tag.largeObject(members, hashed)
        case .object(let members): Tag.object(members) { $0.json(nullItem: nullItem, hashing: hashed) }
        case .ref(let path): #"{"t":"ref","path":\#(Tag.quote(path))}"#
        case .deep(let levels): #"{"t":"deep","levels":\#(levels)}"#
        case .foreign(let type): #"{"t":"foreign","type":\#(Tag.quote(type))}"#
        }
    }

    private static func string(_ value: String) -> String {
        let length = value.utf16.count
        guard length > longestString else { return #"{"t":"string","v":\#(quote(value))}"# }
        return #"{"t":"string","length":\#(length),"hash":"\#(TagHash.hex(of: value))"}"#
    }

    private static func longArray(_ items: [Tag], _ nullItem: NullItem, _ hashed: NullItem) -> String {
        var hash = TagHash()
        for item in items { hash.mix(item.json(nullItem: hashed, hashing: hashed)) }
        let ends = [items[0], items[items.count - 1]].map { $0.json(nullItem: nullItem, hashing: hashed) }
        return """
            {"t":"array","length":\(items.count),"holes":0,"hash":"\(hash.hex)","first":\(ends[0]),"last":\(ends[1])}
            """
    }

    private static func object(_ members: [(key: String, value: Tag)], _ json: (Tag) -> String) -> String {
        let props = members.map { "[\(quote($0.key)),\(json($0.value))]" }.joined(separator: ",")
        return #"{"t":"object","ctor":"Object","props":[\#(props)]}"#
    }

    private static func largeObject(_ members: [(key: String, value: Tag)], _ hashed: NullItem) -> String {
        var hash = TagHash()
        for member in members { hash.mix("\(member.key)=\(member.value.json(nullItem: hashed, hashing: hashed))") }
        return #"{"t":"object","ctor":"Object","size":\#(members.count),"hash":"\#(hash.hex)"}"#
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return #""NaN""# }
        if value.isInfinite { return value < 0 ? #""-Infinity""# : #""Infinity""# }
        if value == 0, value.sign == .minus { return #""-0""# }
        return Tag.javaScript(value)
    }

    /// Returns a quoted ASCII text, with the escapes of the tagger.
    static func quote(_ text: String) -> String {
        var quoted = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: quoted += "\\\""
            case 0x5c: quoted += "\\\\"
            case 0x20..<0x7f: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}

extension Tag {
    /// Returns the text of a finite number in JavaScript.
    static func javaScript(_ value: Double) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.text
    }

    /// Returns the tag as a value, for comparison.
    func value(hashing nullItem: NullItem) -> JSONValue {
        (try? JSONValue(json: json(hashing: nullItem))) ?? .string("a tag that is not JSON")
    }
}
