import BridgeProtocol

/// A type tag, as `page/tagger.js` makes them, of a value that native code has.
indirect enum Tag {
    case undefined
    case null
    /// `NSNull` in an array: null, or what was undefined.
    case nullItem
    case boolean(Bool)
    case number(Double)
    case string(String)
    case date(Double)
    case array([Tag])
    /// Sorted by key.
    case object([(key: String, value: Tag)])
    /// The same object as at that path.
    case ref(String)
    /// Nesting beyond 40 levels, counted.
    case deep(Int)
    /// What no tag exists for.
    case foreign(String)

    /// Strings, arrays and objects beyond these sizes are hashed.
    private static let longestString = 600
    private static let mostItems = 200

    /// What hides behind `nullItem` where a hash is taken: there, the recording can't be translated.
    enum NullItem: String { case null, undefined }

    /// The tag as the tagger prints it.
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

    /// ASCII only, with the tagger's escapes.
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
    /// Prints a finite number as JavaScript does.
    static func javaScript(_ value: Double) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.text
    }

    /// The tag as a tree that can be compared.
    func tree(hashing nullItem: NullItem) -> Tree {
        (try? Tree(json: json(hashing: nullItem))) ?? .text("a tag that is not JSON")
    }
}
