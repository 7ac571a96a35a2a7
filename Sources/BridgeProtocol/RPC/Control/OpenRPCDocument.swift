/// The OpenRPC 1.3 document of the control channel (https://spec.open-rpc.org), derived from the methods' declarations.
public struct OpenRPCDocument: Sendable, JSONWritable {
    public let methods: [ControlMethodDescription]
    public let version: String
    /// The URL of `POST /rpc`.
    public let url: String

    public init(methods: [ControlMethodDescription], version: String, url: String) {
        self.methods = methods
        self.version = version
        self.url = url
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("openrpc", "1.3.2")
            writer.member("info", info)
            writer.member("servers", [["name": "rpc", "url": .string(url)]] as JSONValue)
            writer.member("methods", methods)
            writer.member("components", ["schemas": .object(SharedSchemas.all)] as JSONValue)
        }
    }

    private var info: JSONValue {
        [
            "title": "bridged control channel", "version": .string(version),
            "description": """
            Send these to POST /rpc, or as text messages on the WebSocket /control (subprotocol bridge.control.v1). Both \
            require the token in the daemon's discovery file: Authorization: Bearer TOKEN.
            """,
            "license": ["name": "MIT"],
        ]
    }
}

extension ControlMethodDescription: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("summary", summary)
            writer.member("paramStructure", "by-name")
            writer.member("params", parameters)
            writer.member("result", ["name": "result", "schema": result] as JSONValue)
            writer.member("errors", errors)
        }
    }
}

extension ControlParameter: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("summary", summary)
            writer.member("required", isRequired)
            writer.member("schema", schema)
        }
    }
}

extension ControlError: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code.rawValue)
            writer.member("message", meaning)
            writer.member("data", ifPresent: data)
        }
    }
}
