import BridgeClient
import BridgeProtocol
import BridgeServer

/// A server of the Model Context Protocol, revision 2025-06-18, with tools only. It does no I/O of its own.
///
/// The tools are the methods that the daemon describes by `rpc.discover`, so that a new method is a new tool.
struct MCPServer {
    static let revision = "2025-06-18"
    /// Methods that make no sense as tools: their answers come later, or describe the methods themselves.
    private static let excluded = ["rpc.discover", "traffic.subscribe", "traffic.unsubscribe"]

    /// Calls a method of the daemon.
    let call: (String, [JSONValue.Member]) throws(ClientError) -> JSON
    /// Runs the flows in a file.
    let testFlow: (String) -> (output: String, hasPassed: Bool)

    /// Answers one line of the client.
    /// - Returns: nil for a notification and for a response, which are not answered.
    func answer(to line: [UInt8]) -> String? {
        do throws(JSONParseError) {
            return answer(RPCMessage(try JSON.parse(line)))
        } catch {
            return response(.null, error: .parseError(error))
        }
    }

    private func answer(_ message: RPCMessage) -> String? {
        switch message {
        case .request(let id, let method, let params):
            do throws(RPCError) {
                return response(id, result: try result(of: method, params))
            } catch {
                return response(id, error: error)
            }
        case .malformed(let id, let error): return response(id, error: error)
        case .notification, .success, .failure: return nil
        }
    }

    private func result(of method: String, _ params: JSON?) throws(RPCError) -> JSONValue {
        switch method {
        case "initialize": return initialized(params?["protocolVersion"]?.string)
        case "ping": return [:]
        case "tools/list": return ["tools": .array(try tools())]
        case "tools/call": return try callTool(params)
        default: throw .methodNotFound(method)
        }
    }

    /// A client that speaks an older revision than ours gets the revision that it asks for: tools have not changed.
    private func initialized(_ revision: String?) -> JSONValue {
        let known = ["2024-11-05", "2025-03-26", Self.revision]
        return [
            "protocolVersion": .string(revision.flatMap { known.contains($0) ? $0 : nil } ?? Self.revision),
            "capabilities": ["tools": [:]],
            "serverInfo": ["name": "bridged", "version": .string(BridgeServer.version)],
            "instructions": """
            bridged stands in for the native half of a hybrid app. app_state shows the screens, app_perform acts as the \
            user, traffic_query lists what crossed the bridge, and a message's verdict says why it was dropped.
            """,
        ]
    }

    // MARK: Tools

    private func tools() throws(RPCError) -> [JSONValue] {
        var tools: [JSONValue] = []
        try discover()["methods"]?.forEachElement { method in
            guard let name = method["name"]?.string, !Self.excluded.contains(name) else { return }
            tools.append(tool(name, method))
        }
        return tools + [Self.flowTool]
    }

    private func discover() throws(RPCError) -> JSON {
        do throws(ClientError) { return try call("rpc.discover", []) } catch {
            throw RPCError(.internalError, error.description)
        }
    }

    private func tool(_ name: String, _ method: JSON) -> JSONValue {
        var properties: [JSONValue.Member] = []
        var required: [JSONValue] = []
        method["params"]?.forEachElement { parameter in
            guard let name = parameter["name"]?.string else { return }
            let schema = parameter["schema"].map(JSONValue.init)?.members ?? []
            let summary = JSONValue.Member("description", .string(parameter["summary"]?.string ?? ""))
            properties.append(.init(name, .object(schema + [summary])))
            if parameter["required"]?.bool == true { required.append(.string(name)) }
        }
        return [
            "name": .string(name.replacing(".", with: "_")), "description": .string(method["summary"]?.string ?? ""),
            "inputSchema": [
                "type": "object", "properties": .object(properties), "required": .array(required),
            ],
        ]
    }

    private static let flowTool: JSONValue = [
        "name": "test_flow",
        "description": "Runs the flows in a YAML file, in a daemon and a headless browser of their own.",
        "inputSchema": [
            "type": "object", "required": ["path"],
            "properties": ["path": ["type": "string", "description": "The file, such as flows/push.yml."]],
        ],
    ]

    // MARK: Calls

    /// Calls a tool. What goes wrong within the tool is a result with `isError`, which the model can read; an unknown
    /// tool is an error of the protocol.
    private func callTool(_ params: JSON?) throws(RPCError) -> JSONValue {
        guard let name = params?["name"]?.string else {
            throw .invalidParams(at: "/name", "expected the name of a tool")
        }
        if name == "test_flow" { return try testFlow(params?["arguments"]?["path"]?.string) }
        guard let method = try method(ofTool: name) else {
            throw .invalidParams(at: "/name", "there is no tool '\(name.prefix(100))'; tools/list lists them")
        }
        var arguments: [JSONValue.Member] = []
        params?["arguments"]?.forEachMember { arguments.append(.init($0, JSONValue($1))) }
        do throws(ClientError) {
            return content(of: try call(method, arguments), method)
        } catch {
            return Self.text(error.description, isError: true)
        }
    }

    private func method(ofTool name: String) throws(RPCError) -> String? {
        var found: String?
        try discover()["methods"]?.forEachElement { method in
            guard let method = method["name"]?.string, !Self.excluded.contains(method) else { return }
            if method.replacing(".", with: "_") == name { found = method }
        }
        return found
    }

    private func testFlow(_ path: String?) throws(RPCError) -> JSONValue {
        guard let path else { throw .invalidParams(at: "/arguments/path", "expected the path of a flow") }
        let (output, hasPassed) = testFlow(path)
        return Self.text(output, isError: !hasPassed)
    }

    private func content(of result: JSON, _ method: String) -> JSONValue {
        guard method == "page.snapshot", let data = result["data"]?.string else { return Self.text(result.text) }
        return ["content": [["type": "image", "data": .string(data), "mimeType": "image/png"]]]
    }

    private static func text(_ text: String, isError: Bool = false) -> JSONValue {
        ["content": [["type": "text", "text": .string(text)]], "isError": .bool(isError)]
    }

    private func response(_ id: RequestID, result: JSONValue) -> String {
        var writer = JSONWriter()
        writer.result(id: id, result)
        return writer.text
    }

    private func response(_ id: RequestID, error: RPCError) -> String {
        var writer = JSONWriter()
        writer.error(id: id, error)
        return writer.text
    }
}
