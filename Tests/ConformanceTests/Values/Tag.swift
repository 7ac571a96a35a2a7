import BridgeProtocol

/// A type tag, as `page/tagger.js` makes them, of a value that native code has.
indirect enum Tag {
    case undefined
    case null
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

    /// The tag's members in the tagger's order, as it prints them.
    var json: String {
        switch self {
        case .undefined: #"{"t":"undefined"}"#
        case .null: #"{"t":"null"}"#
        case .boolean(let value): #"{"t":"boolean","v":\#(value)}"#
        case .number(let value): #"{"t":"number","v":\#(Tag.number(value))}"#
        case .string(let value): Tag.string(value)
        case .date(let value): #"{"t":"date","v":\#(Tag.number(value))}"#
        case .array(let items): items.count > Tag.mostItems ? Tag.longArray(items) : Tag.array(items)
        case .object(let members): members.count > Tag.mostItems ? Tag.largeObject(members) : Tag.object(members)
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

    private static func array(_ items: [Tag]) -> String {
        #"{"t":"array","items":[\#(items.map(\.json).joined(separator: ","))]}"#
    }

    private static func longArray(_ items: [Tag]) -> String {
        var hash = TagHash()
        let texts = items.map(\.json)
        for text in texts { hash.mix(text) }
        return #"{"t":"array","length":\#(items.count),"holes":0,"hash":"\#(hash.hex)","first":\#(texts[0]),"last":\#(texts[items.count - 1])}"#
    }

    private static func object(_ members: [(key: String, value: Tag)]) -> String {
        let props = members.map { "[\(quote($0.key)),\($0.value.json)]" }.joined(separator: ",")
        return #"{"t":"object","ctor":"Object","props":[\#(props)]}"#
    }

    private static func largeObject(_ members: [(key: String, value: Tag)]) -> String {
        var hash = TagHash()
        for member in members { hash.mix("\(member.key)=\(member.value.json)") }
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
    var tree: Tree { (try? Tree(json: json)) ?? .text("a tag that is not JSON") }
}
