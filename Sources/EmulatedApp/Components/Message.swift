import BridgeProtocol
import Foundation

/// A message from a page to a bridge component, or the component's reply; see hotwire-native-ios, `Message`.
public struct Message: Sendable {
    public struct Metadata: Sendable, Equatable, Codable {
        /// The page's URL when the page sent the message.
        public let url: String

        public init(url: String) { self.url = url }
    }

    /// The id is unique within a document. A reply has the id of the message that it answers.
    public let id: String
    /// The component's name, such as `form`.
    public let component: String
    /// The event's name, such as `connect`.
    public let event: String
    public let metadata: Metadata?
    /// The data as JSON text, with its metadata.
    public let jsonData: String
    /// The id of the document that sent the message, such as `p7`; nil for a message that native code made.
    let page: String?
    /// Why the data given to `replacing(event:data:)` could not be encoded; nil if it could.
    private let encodingProblem: String?
    /// How the message's data is decoded, and that of replies encoded.
    private let coding: MessageCoding

    public init(
        id: String, component: String, event: String, metadata: Metadata? = nil, jsonData: String = "{}"
    ) {
        self.init(id, component, event, metadata, jsonData, page: nil)
    }

    private init(
        _ id: String, _ component: String, _ event: String, _ metadata: Metadata?, _ jsonData: String, page: String?,
        encodingProblem: String? = nil, coding: MessageCoding = MessageCoding()
    ) {
        self.id = id
        self.component = component
        self.event = event
        self.metadata = metadata
        self.jsonData = jsonData
        self.page = page
        self.encodingProblem = encodingProblem
        self.coding = coding
    }

    /// - Throws: `DecodingError` for a body that is not a message.
    init(_ body: ScriptValue, page: String, coding: MessageCoding = MessageCoding()) throws {
        let envelope = try body.decode(Envelope.self)
        self.init(
            envelope.id, envelope.component, envelope.event, envelope.data?.metadata,
            body["data"].flatMap { $0.kind == .object ? $0.json.text : nil } ?? "{}", page: page, coding: coding)
    }

    private struct Envelope: Decodable {
        struct Data: Decodable { let metadata: Metadata? }
        let id: String
        let component: String
        let event: String
        let data: Data?
    }

    /// About how many bytes a component needs for the message: its texts, and the size of its data twice more for what
    /// the component decodes and shows.
    var size: Int {
        256 + id.utf8.count + component.utf8.count + 2 * event.utf8.count + (metadata?.url.utf8.count ?? 0)
            + 3 * jsonData.utf8.count
    }

    /// Returns a copy of the message with another event or other data, to reply with.
    public func replacing(event: String? = nil, jsonData: String? = nil) -> Message {
        Message(id, component, event ?? self.event, metadata, jsonData ?? self.jsonData, page: page, coding: coding)
    }

    /// Returns a copy of the message with another event and encoded data, to reply with. If the data cannot be encoded,
    /// the copy has the old data, as in hotwire-native-ios, and a `problem` record says so when it is sent.
    public func replacing<T: Encodable>(event: String? = nil, data: T) -> Message {
        do {
            return replacing(event: event, jsonData: try coding.encode(data))
        } catch {
            return Message(
                id, component, event ?? self.event, metadata, jsonData, page: page,
                encodingProblem: "its data cannot be encoded: \(error). The page gets its own data back.",
                coding: coding)
        }
    }

    /// Decodes the data. Returns nil if it does not decode; while a component receives the message, the reason becomes
    /// the message's verdict.
    public func data<T: Decodable>() -> T? {
        do {
            return try coding.decode(jsonData)
        } catch {
            DecodingReport.current?.note(error, jsonData, as: T.self)
            return nil
        }
    }

    // MARK: As a reply

    /// Why the page does not get the data that the reply was made with; nil if it gets that data.
    var dataProblem: String? {
        if let encodingProblem { return encodingProblem }
        guard object == nil else { return nil }
        return "its data is not a JSON object: \(shortened(jsonData, to: 100)). The page gets {}."
    }

    /// The argument of `window.nativeBridge.replyWith`. As in hotwire-native-ios, its data is `{}` if `jsonData` is not
    /// an object.
    var scriptValue: ScriptValue {
        ScriptValue([
            "id": .string(id), "component": .string(component), "event": .string(event), "data": object ?? .object([]),
        ])
    }

    /// The members of the data; nil if it is not an object.
    var members: [JSONValue.Member]? { object?.members }

    private var object: JSONValue? {
        guard let value = try? JSONValue(JSON.parse(jsonData, .untrusted)), case .object = value else { return nil }
        return value
    }
}

/// Messages are equal if their data is equal as JSON, whatever the order of its members.
extension Message: Equatable {
    public static func == (left: Message, right: Message) -> Bool {
        (left.id, left.component, left.event) == (right.id, right.component, right.event)
            && left.metadata == right.metadata
            && (left.jsonData == right.jsonData || (left.object != nil && left.object == right.object))
    }
}

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
