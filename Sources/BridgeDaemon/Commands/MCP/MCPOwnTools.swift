import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import EmulatedApp

/// The tools of `bridged mcp` that are no control methods: what the command line has as commands.
struct MCPOwnTools: Sendable {
    /// Runs `bridged` with these arguments until it ends, or until the call is cancelled.
    let run: @Sendable ([String], MCPCall) -> (output: String, hasPassed: Bool)
    /// Starts a daemon by `bridged` with these arguments, unless one runs.
    let startDaemon: @Sendable ([String], MCPCall) -> MCPResult
    /// Ends the daemon that ``startDaemon`` has started.
    let stopDaemon: @Sendable () -> MCPResult
    /// Examines the page at an address.
    let diagnose: @Sendable ([JSONValue.Member], MCPCall) throws(ClientError) -> [Finding]

    /// - Returns: nil if the name is not that of one of these tools.
    /// - Throws: `invalidParams`, also for an argument that the tool does not have.
    func call(_ name: String, _ json: JSON?, within call: MCPCall) throws(RPCError) -> MCPResult? {
        guard let tool = Self.descriptions.first(where: { $0["name"] == .string(name) }) else { return nil }
        let arguments = try Arguments(json, among: (tool["inputSchema"]?["properties"]?.members ?? []).map(\.key))
        return switch name {
        case "doctor": try doctor(arguments, within: call)
        case "test_flow": try testFlow(arguments, within: call)
        case "daemon_start": startDaemon(try Self.options(of: arguments), call)
        case "daemon_stop": stopDaemon()
        default: nil
        }
    }

    private func doctor(_ arguments: Arguments, within call: MCPCall) throws(RPCError) -> MCPResult {
        let address = [JSONValue.Member].texts([
            "page": try arguments.text("page"), "webView": try arguments.text("webView"),
        ])
        do throws(ClientError) {
            let findings = try diagnose(address, call)
            let lines = findings.map { "\($0.severity.rawValue) \($0.code): \($0.text) \($0.fix)" }
            return MCPResult(
                lines.joined(separator: "\n"),
                structured: [
                    "findings": .array(
                        findings.map {
                            [
                                "severity": .string($0.severity.rawValue), "code": .string($0.code),
                                "text": .string($0.text), "fix": .string($0.fix),
                            ]
                        })
                ])
        } catch {
            return MCPResult(error)
        }
    }

    private func testFlow(_ arguments: Arguments, within call: MCPCall) throws(RPCError) -> MCPResult {
        guard let path = try arguments.text("path") else {
            throw .invalidParams(at: "/arguments/path", "expected the path of a flow")
        }
        let engine = try arguments.options(["in": "--in", "framework": "--framework"])
        // A path that begins with a hyphen is no option.
        let (output, hasPassed) = run(["test"] + engine + ["--", path], call)
        return MCPResult(output, structured: ["passed": .bool(hasPassed)], isError: !hasPassed)
    }

    /// The command that shows a page in a browser without a window or, without a page, serves.
    private static func options(of arguments: Arguments) throws(RPCError) -> [String] {
        let options = try arguments.options([
            "framework": "--framework", "rootURL": "--root-url", "port": "--port",
        ])
        guard let url = try arguments.text("url") else { return ["serve"] + options }
        let browser = try arguments.options(["in": "--in", "device": "--device"])
        return ["open", "--headless"] + browser + options + ["--", url]
    }

    // MARK: Descriptions

    private static let engine: JSONValue = [
        "type": "string", "enum": .array(BrowserEngine.allCases.map { .string($0.rawValue) }),
        "description": "A browser that bridged drives: its pages need no script tag.",
    ]
    private static let framework: JSONValue = [
        "type": "string",
        "description": .string(
            "The release that the app is written with: \(Framework.allValueStrings.joined(separator: ", "))."),
    ]

    static let descriptions: [JSONValue] = [
        tool(
            "doctor", "Says what is wrong with a page, worst first, and what to do about it.",
            ["page": text("A page's id, such as p3."), "webView": text("A web view's name; main by default.")]),
        tool(
            "test_flow", "Runs the flows in a YAML file, in a daemon and a headless browser of their own.",
            [
                "path": text("The file, such as flows/push.yml, or a folder."), "in": engine, "framework": framework,
            ], required: ["path"]),
        tool(
            "daemon_start",
            "Starts a daemon if none runs, with a page in a headless browser. It ends with this server, or by daemon_stop.",
            [
                "url": text(
                    "The page to show, such as http://localhost:3000; without it, pages attach by the script tag."),
                "in": engine, "framework": framework, "device": text("The phone to imitate, such as iPhone 16."),
                "rootURL": text("The URL that the app's paths belong to; by default that of the first page."),
                "port": text("The daemon's port; 2734 by default."),
            ]),
        tool("daemon_stop", "Ends the daemon that daemon_start has started.", [:]),
    ]

    private static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }

    private static func tool(
        _ name: String, _ description: String, _ properties: KeyValuePairs<String, JSONValue>, required: [String] = []
    ) -> JSONValue {
        [
            "name": .string(name), "description": .string(description),
            "inputSchema": [
                "type": "object", "properties": .object(properties.map { .init($0.key, $0.value) }),
                "required": .array(required.map { .string($0) }), "additionalProperties": false,
            ],
        ]
    }
}

/// The arguments of a tool's call.
private struct Arguments {
    private let json: JSON?

    init(_ json: JSON?, among names: [String]) throws(RPCError) {
        try json?.forEachMember { name, _ throws(RPCError) in
            guard !names.contains(name) else { return }
            throw .invalidParams(at: "/arguments", unknown: name, among: names)
        }
        self.json = json
    }

    /// - Returns: nil if the argument is absent.
    func text(_ name: String) throws(RPCError) -> String? {
        guard let value = json?[name] else { return nil }
        // A model may write a port as a number.
        if let number = value.wholeNumber { return String(number) }
        guard let text = value.string else {
            throw .invalidParams(at: "/arguments/\(name)", "expected String, found \(value.summary)")
        }
        return text
    }

    /// The arguments as options of the command line.
    func options(_ names: KeyValuePairs<String, String>) throws(RPCError) -> [String] {
        var options: [String] = []
        for (name, option) in names {
            // A value that begins with a hyphen is no option.
            if let text = try text(name) { options.append("\(option)=\(text)") }
        }
        return options
    }
}
