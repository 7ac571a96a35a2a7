import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeYAML

/// `bridged stub`
struct StubCommand: ClientCommand {
    static let configuration = clientConfiguration(
        "stub", "Answer in place of a handler.",
        """
        It prints the stub's id, unless a component has the stub. A message is answered by the newest stub that \
        matches. A stub of a handler that is not registered makes the handler appear in the pages.

        Examples:
          bridged stub camera --reply '{"photo": "cat.jpg"}'
          bridged stub camera --error 'Permission denied' --match '{"front": true}' --delay 0.5
          bridged stub nativeApp --none            # record messages, and do nothing else
          bridged stub scan --component ticket-scanner --reply '{"code": "42"}'
          bridged stub camera --from phone.yml     # print it for bridged.yml, as a real app has answered
          bridged unstub s1
        """)

    @Argument(help: "The handler's name in webkit.messageHandlers, or the event of the component.")
    var handler: String

    @Option(parsing: .unconditional, help: ArgumentHelp("Resolve with this value.", valueName: "json"))
    var reply: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Reject with this text.", valueName: "text"))
    var error: String?

    @Flag(help: "Resolve with the body.")
    var echo = false

    @Flag(help: "Record the message, and do nothing else.")
    var none = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Only for bodies that contain this.", valueName: "json"))
    var match: String?

    @Option(help: ArgumentHelp("Answer this bridge component's messages of the event.", valueName: "name"))
    var component: String?

    @Option(
        help: ArgumentHelp(
            "Print what bridged.yml needs to answer as this cassette: for a handler, a component or an interface object.",
            valueName: "cassette"))
    var from: String?

    @Option(help: ArgumentHelp("Only for the pages of this web view.", valueName: "name"))
    var webView: String?

    @Option(help: ArgumentHelp("Wait before answering.", valueName: "seconds"))
    var delay: Double = 0

    @OptionGroup var options: ClientOptions

    func validate() throws {
        let answers = [reply != nil, error != nil, echo, none].count(where: \.self)
        guard from == nil else {
            guard answers == 0, component == nil, match == nil, webView == nil, delay == 0, options.url == nil else {
                throw ValidationError("--from prints what was recorded: give it no other options.")
            }
            return
        }
        guard answers == 1 else { throw ValidationError("Give one of --reply, --error, --echo and --none.") }
        guard component == nil || match == nil && webView == nil else {
            throw ValidationError("--match and --web-view are for handlers: leave them out, or --component.")
        }
        guard (0...86_400).contains(delay) else {
            throw ValidationError("'\(delay)' is not valid for --delay. Give a number of seconds from 0 to 86400.")
        }
    }

    func run() throws {
        guard let from else { return try runWithDaemon() }
        let cassette = try Cassette(YAMLFile(path: from))
        guard let declarations = CassetteDeclarations(of: handler, in: cassette) else {
            let names = Set(cassette.entries.map(\.receiver.name)).sorted().joined(separator: ", ")
            throw CommandFailure("\(from) has nothing for '\(handler)'. It has: \(names).", .notFound)
        }
        if options.json {
            Terminal.print(declarations.value)
        } else {
            Terminal.print(declarations.yaml, terminator: "")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        if let component { return try stub(component, daemon) }
        var params: [JSONValue.Member] = .texts(["handler": handler, "webView": webView])
        params += [.init("reply", try answer), .init("delayMs", .number((delay * 1_000).rounded()))]
        if let match { params.append(.init("match", try JSONArgument.read(match, "--match"))) }
        let result = try daemon.call("handlers.stub", params)
        if options.json { Terminal.print(result) } else { Terminal.print(result["stub"]?.string ?? "") }
    }

    /// Answers an event of a component. The next stub of the event replaces this one.
    private func stub(_ component: String, _ daemon: DaemonClient) throws {
        var response: [JSONValue.Member] = delay > 0 ? [.init("delay", .number(delay))] : []
        if let reply { response.append(.init("reply", try JSONArgument.read(reply, "--reply"))) }
        if let error { response.append(.init("error", .string(error))) }
        if echo { response.append(.init("reply", "echo")) }
        let result = try daemon.call(
            "components.stub",
            .texts(["component": component, "event": handler]) + [.init("response", .object(response))])
        if options.json { Terminal.print(result) }
    }

    private var answer: JSONValue {
        get throws {
            if let reply { return ["value": try JSONArgument.read(reply, "--reply")] }
            if let error { return ["error": .string(error)] }
            return echo ? ["echo": true] : ["none": true]
        }
    }
}
