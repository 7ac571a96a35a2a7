import BridgeClient
import BridgeProtocol
import BridgeServer

/// A server of the Model Context Protocol, revision 2025-06-18. It does no I/O of its own.
///
/// The tools are the control methods of this program, so that a new method is a new tool, and those of ``MCPOwnTools``.
/// They can be listed before a daemon runs.
struct MCPServer: Sendable {
    static let revision = "2025-06-18"
    /// Methods that make no sense as tools: their answers come later, or describe the methods themselves.
    private static let excluded = ["rpc.discover", "traffic.subscribe", "traffic.unsubscribe"]

    /// The OpenRPC document of the control methods.
    let methods: JSON
    /// The actions of `app.perform`.
    let actions: [Action]
    let ownTools: MCPOwnTools
    /// Calls a method of the daemon.
    let callMethod: @Sendable (String, [JSONValue.Member], MCPCall) throws(ClientError) -> JSON

    /// Reads one line of the client.
    static func message(_ line: [UInt8]) -> RPCMessage {
        do throws(JSONParseError) {
            return RPCMessage(try JSON.parse(line))
        } catch {
            return .malformed(id: .null, error: .parseError(error))
        }
    }

    /// - Parameter call: what cancels the call of a tool.
    /// - Returns: nil for a notification and a response, which are not answered.
    func answer(to message: RPCMessage, within call: MCPCall = MCPCall()) -> String? {
        switch message {
        case .request(let id, let method, let params):
            do throws(RPCError) {
                return Self.response(id, result: try result(of: method, params, within: call))
            } catch {
                return Self.response(id, error: error)
            }
        case .malformed(let id, let error): return Self.response(id, error: error)
        case .notification, .success, .failure: return nil
        }
    }

    private func result(of method: String, _ params: JSON?, within call: MCPCall) throws(RPCError) -> JSONValue {
        switch method {
        case "initialize": initialized(params?["protocolVersion"]?.string)
        case "ping": [:]
        case "tools/list": ["tools": .array(tools)]
        case "tools/call": try callTool(params, within: call)
        case "resources/list": ["resources": [MCPFilterLanguage.description]]
        case "resources/templates/list": ["resourceTemplates": []]
        case "resources/read": try MCPFilterLanguage.read(params?["uri"]?.string)
        case "prompts/list": ["prompts": [MCPButtonPrompt.description]]
        case "prompts/get": try MCPButtonPrompt.get(params)
        default: throw .methodNotFound(method)
        }
    }

    /// A client that speaks an older revision than ours gets the revision that it asks for: what it knows has not changed.
    private func initialized(_ revision: String?) -> JSONValue {
        let known = ["2024-11-05", "2025-03-26", Self.revision]
        return [
            "protocolVersion": .string(revision.flatMap { known.contains($0) ? $0 : nil } ?? Self.revision),
            "capabilities": ["tools": [:], "resources": [:], "prompts": [:]],
            "serverInfo": ["name": "bridged", "version": .string(BridgeServer.version)],
            "instructions": """
            bridged stands in for the native half of a hybrid app. daemon_start shows a page in a browser, if no daemon \
            runs. app_state shows the screens, app_perform acts as the user, traffic_query lists what crossed the bridge, a \
            message's verdict says why it was dropped, and doctor says what is wrong with a page.
            """,
        ]
    }

    // MARK: Tools

    private var tools: [JSONValue] {
        var tools: [JSONValue] = []
        methods["methods"]?.forEachElement { method in
            guard let name = method["name"]?.string, !Self.excluded.contains(name) else { return }
            tools.append(tool(name, method))
        }
        return tools + MCPOwnTools.descriptions
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
        if name == PerformAppAction.name { properties = actionProperties }
        return [
            "name": .string(name.replacing(".", with: "_")), "description": .string(method["summary"]?.string ?? ""),
            "inputSchema": [
                "type": "object", "properties": .object(properties), "required": .array(required),
            ],
        ]
    }

    /// The action of `app_perform`, and all arguments that actions have.
    private var actionProperties: [JSONValue.Member] {
        let lines = actions.map { action in
            let arguments = action.required + action.optional.map { "\($0)?" }
            return
                "\(action.name)\(arguments.isEmpty ? "" : " (\(arguments.joined(separator: ", ")))"): \(action.summary)"
        }
        var users: [(argument: String, actions: [String])] = []
        for action in actions {
            for argument in action.parameters {
                if let index = users.firstIndex(where: { $0.argument == argument }) {
                    users[index].actions.append(action.name)
                } else {
                    users.append((argument, [action.name]))
                }
            }
        }
        let list = "One of these, with its arguments. app_actions also has those of an app's own components.\n"
        let action: JSONValue = ["type": "string", "description": .string(list + lines.joined(separator: "\n"))]
        return [.init("action", action)]
            + users.map { argument, actions in
                .init(argument, ["type": "string", "description": .string("Of \(actions.joined(separator: ", ")).")])
            }
    }

    // MARK: Calls

    /// Calls a tool. What goes wrong within the tool is a result with `isError`, which the model can read; an unknown
    /// tool is an error of the protocol.
    private func callTool(_ params: JSON?, within call: MCPCall) throws(RPCError) -> JSONValue {
        guard let name = params?["name"]?.string else {
            throw .invalidParams(at: "/name", "expected the name of a tool")
        }
        let given = params?["arguments"]
        // Some models write the object as a text. Without its arguments, a call would do something else.
        if let given, given.kind != .object, given.kind != .null {
            throw .invalidParams(at: "/arguments", "expected an object, found \(given.summary)")
        }
        if let result = try ownTools.call(name, given, within: call) { return result.json }
        guard let method = method(ofTool: name) else {
            throw .invalidParams(at: "/name", "there is no tool '\(name.prefix(100))'; tools/list lists them")
        }
        var arguments: [JSONValue.Member] = []
        given?.forEachMember { arguments.append(.init($0, JSONValue($1))) }
        do throws(ClientError) {
            return content(of: try callMethod(method, arguments, call), method)
        } catch {
            return MCPResult(error).json
        }
    }

    private func method(ofTool name: String) -> String? {
        var found: String?
        methods["methods"]?.forEachElement { method in
            guard let method = method["name"]?.string, !Self.excluded.contains(method) else { return }
            if method.replacing(".", with: "_") == name { found = method }
        }
        return found
    }

    private func content(of result: JSON, _ method: String) -> JSONValue {
        guard method == SnapshotPage.name, let data = result["data"]?.string else {
            return MCPResult(result.text, structured: JSONValue(result)).json
        }
        return ["content": [["type": "image", "data": .string(data), "mimeType": "image/png"]]]
    }

    // MARK: Responses

    private static func response(_ id: RequestID, result: JSONValue) -> String {
        var writer = JSONWriter()
        writer.result(id: id, result)
        return writer.text
    }

    static func response(_ id: RequestID, error: RPCError) -> String {
        var writer = JSONWriter()
        writer.error(id: id, error)
        return writer.text
    }
}

/// What a tool answers: a text, and the same as an object for programs.
struct MCPResult {
    let text: String
    var structured: JSONValue?
    var isError = false

    init(_ text: String, structured: JSONValue? = nil, isError: Bool = false) {
        (self.text, self.structured, self.isError) = (text, structured, isError)
    }

    init(_ error: ClientError) {
        var hint = ""
        if case .noDaemon = error { hint = "\nThe tool daemon_start starts one." }
        self.init(error.description + hint, isError: true)
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [.init("content", [["type": "text", "text": .string(text)]])]
        if case .object? = structured { members.append(.init("structuredContent", structured ?? .null)) }
        return .object(members + [.init("isError", .bool(isError))])
    }
}
