/// The OpenRPC 1.3 document of the control channel (https://spec.open-rpc.org), derived from the methods' declarations.
public struct OpenRPCDocument: Sendable, JSONObject {
    public let methods: [ControlMethodDescription]
    public let version: String
    /// The URL of `POST /rpc`.
    public let url: String

    public init(methods: [ControlMethodDescription], version: String, url: String) {
        self.methods = methods
        self.version = version
        self.url = url
    }

    public var members: JSONMembers {
        [
            "openrpc": "1.3.2", "info": info, "servers": [["name": "rpc", "url": .string(url)]] as JSONValue,
            "methods": methods, "components": ["schemas": .object(SharedSchemas.all)] as JSONValue,
        ]
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

extension ControlMethodDescription: JSONObject {
    public var members: JSONMembers {
        [
            "name": name, "summary": summary, "paramStructure": "by-name", "params": parameters,
            "result": ["name": "result", "schema": result] as JSONValue, "errors": errors,
        ]
    }
}

extension ControlParameter: JSONObject {
    public var members: JSONMembers {
        ["name": name, "summary": summary, "required": isRequired, "schema": schema]
    }
}

extension ControlError: JSONObject {
    public var members: JSONMembers {
        ["code": code.rawValue, "message": meaning, "data": data]
    }
}
