import BridgeProtocol
import Foundation

/// Reads `{"body": …, "types": …}` as a script value and decodes it to Swift types of many shapes.
enum DecoderTarget {
    /// All members are optional, so that each can be decoded without the others.
    private struct Everything: Codable {
        var flag: Bool?
        var byte: UInt8?
        var small: Int16?
        var whole: Int?
        var number: Double?
        var text: String?
        var date: Date?
        var url: URL?
        var data: Data?
        var list: [Int]?
        var table: [String: Double]?
        var nested: [[Everything]]?
        var others: [String: Everything]?
    }

    static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let json = try? JSON.parse(bytes), let body = json["body"],
            let value = try? ScriptValue(json: body, types: json["types"])
        else { return -1 }
        if let everything = try? value.decode(Everything.self) { _ = try? ScriptValue(encoding: everything) }
        _ = try? value.decode([String: [String?]].self)
        _ = try? value.decode([Date?].self)
        _ = try? value.decode(Set<Int8>.self)
        _ = value.summary
        var writer = JSONWriter()
        writer.object { value.write(to: &$0, key: "body") }
        let again = (try? JSON.parse(writer.text)).flatMap {
            try? ScriptValue(json: $0["body"] ?? .null, types: $0["types"])
        }
        check(again != nil, "the printed value can't be read: \(writer.text)")
        return 0
    }
}
