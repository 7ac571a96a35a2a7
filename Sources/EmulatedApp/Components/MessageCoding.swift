import BridgeProtocol
import Foundation

/// How components read and write the data of messages; see hotwire-native-ios, `HotwireConfig.jsonEncoder` and
/// `jsonDecoder`.
struct MessageCoding: Sendable {
    /// nil for a decoder with Foundation's defaults, whose errors say more.
    var decoder: JSONDecoder?
    var encoder: JSONEncoder?

    func decode<T: Decodable>(_ text: String) throws -> T {
        guard let decoder else { return try ScriptValue(json: JSON.parse(text, .untrusted)).decode(T.self) }
        return try decoder.decode(T.self, from: Data(text.utf8))
    }

    /// - Returns: JSON text.
    func encode(_ value: some Encodable) throws -> String {
        guard let encoder else { return try ScriptValue(encoding: value).json.text }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
