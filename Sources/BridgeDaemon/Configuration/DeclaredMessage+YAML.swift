import BridgeProtocol
import BridgeServer
import BridgeYAML

extension DeclaredMessage {
    /// Reads `ShareSheet: {handler: …, schema: {…}, reply: {…}}`.
    static func read(_ member: YAMLValue.Member) throws(YAMLError) -> (handler: String, message: DeclaredMessage) {
        let members = try member.value.members(["handler", "schema", "reply"])
        let message = DeclaredMessage(
            name: member.key, schema: try members["schema"].map(JSONSchema.read),
            answer: try members["reply"].map(Answer.init) ?? .nothing,
            origin: "\(member.value.file), messages.\(member.key).schema")
        return (try members["handler"]?.text() ?? "nativeApp", message)
    }
}

extension DeclaredMessage.Answer {
    /// Reads `{call: function, with: [arguments]}`, or a stub's reply.
    init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["call", "with", "value", "error", "echo"])
        guard let function = members["call"] else {
            self = .reply(try StubReply(value))
            return
        }
        let arguments = try members["with"]?.elements().map(\.scriptValue)
        self = .call(try function.text(), arguments)
    }
}

extension JSONSchema {
    /// - Throws: `YAMLError` at the line of the mistake in the schema.
    fileprivate static func read(_ value: YAMLValue) throws(YAMLError) -> JSONSchema {
        do throws(JSONSchemaError) {
            return try JSONSchema(JSON(value.json))
        } catch {
            throw value.nearest(to: error.place).error("In the schema: \(error)")
        }
    }
}
