import BridgeProtocol
import Foundation

/// A message from a page to a bridge component, or the component's reply; see hotwire-native-ios, `Message`.
public struct Message: Sendable, Equatable {
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

    public init(
        id: String, component: String, event: String, metadata: Metadata? = nil, jsonData: String = "{}"
    ) {
        self.init(id, component, event, metadata, jsonData, page: nil)
    }

    private init(
        _ id: String, _ component: String, _ event: String, _ metadata: Metadata?, _ jsonData: String, page: String?
    ) {
        self.id = id
        self.component = component
        self.event = event
        self.metadata = metadata
        self.jsonData = jsonData
        self.page = page
    }

    /// - Throws: `DecodingError` for a body that is not a message.
    init(_ body: ScriptValue, page: String) throws {
        let envelope = try body.decode(Envelope.self)
        self.init(
            envelope.id, envelope.component, envelope.event, envelope.data?.metadata,
            body.child("data")?.json.text ?? "{}", page: page)
    }

    private struct Envelope: Decodable {
        struct Data: Decodable { let metadata: Metadata? }
        let id: String
        let component: String
        let event: String
        let data: Data?
    }

    /// About how many bytes a component keeps of it: its texts, and twice those of its data for what the component
    /// decodes and shows.
    var size: Int {
        256 + id.utf8.count + component.utf8.count + 2 * event.utf8.count + (metadata?.url.utf8.count ?? 0)
            + 3 * jsonData.utf8.count
    }

    /// Returns a copy of the message with another event or other data, to reply with.
    public func replacing(event: String? = nil, jsonData: String? = nil) -> Message {
        Message(id, component, event ?? self.event, metadata, jsonData ?? self.jsonData, page: page)
    }

    /// - Throws: `EncodingError` for data without a JSON form.
    public func replacing(event: String? = nil, data: some Encodable) throws -> Message {
        replacing(event: event, jsonData: try ScriptValue(encoding: data).json.text)
    }

    /// Decodes the data. Returns nil if it does not decode; while a component receives the message, the reason becomes
    /// the message's verdict.
    public func data<T: Decodable>() -> T? {
        do {
            return try ScriptValue(json: JSON.parse(jsonData)).decode(T.self)
        } catch {
            DecodingReport.current?.note(error, jsonData, as: T.self)
            return nil
        }
    }

    /// The argument of `window.nativeBridge.replyWith`.
    /// - Throws: `JSONParseError` if `jsonData` is not JSON.
    func scriptValue() throws -> ScriptValue {
        ScriptValue([
            "id": .string(id), "component": .string(component), "event": .string(event),
            "data": JSONValue(try JSON.parse(jsonData)),
        ])
    }
}
