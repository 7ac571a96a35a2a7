import ArgumentParser
import BridgeClient
import BridgeProtocol

struct StubCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stub",
        abstract: "Answer in a handler's place.",
        discussion: """
            Prints the stub's id. The newest stub that fits a message answers it. A handler that nobody registered appears in the pages.

            Examples:
              bridged stub camera --reply '{"photo": "cat.jpg"}'
              bridged stub camera --error 'Permission denied' --match '{"front": true}' --delay 0.5
              bridged stub nativeApp --none            # swallow what comes, and record it
              bridged unstub s1

            \(ExitCodes.text)
            """)

    @Argument(help: "The handler's name in webkit.messageHandlers.")
    var handler: String

    @Option(parsing: .unconditional, help: ArgumentHelp("Resolve with this.", valueName: "json"))
    var reply: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Reject with this text.", valueName: "text"))
    var error: String?

    @Flag(help: "Resolve with the body.")
    var echo = false

    @Flag(help: "Swallow the message and record it.")
    var none = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Only for bodies that contain this.", valueName: "json"))
    var match: String?

    @Option(help: ArgumentHelp("Only for the pages of this web view.", valueName: "name"))
    var webView: String?

    @Option(help: ArgumentHelp("Wait before answering.", valueName: "seconds"))
    var delay: Double = 0

    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard [reply != nil, error != nil, echo, none].filter(\.self).count == 1 else {
            throw ValidationError("Give one of --reply, --error, --echo and --none.")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        var params: [JSONValue.Member] = [
            .init("handler", .string(handler)), .init("reply", try answer),
            .init("delayMs", .number((delay * 1_000).rounded())),
        ]
        if let match { params.append(.init("match", try JSONArgument.read(match, "--match"))) }
        if let webView { params.append(.init("webView", .string(webView))) }
        let result = try daemon.call("handlers.stub", params)
        Terminal.print(options.json ? result.text : result["stub"]?.string ?? "")
    }

    private var answer: JSONValue {
        get throws {
            if let reply { return ["value": try JSONArgument.read(reply, "--reply")] }
            if let error { return ["error": .string(error)] }
            return echo ? ["echo": true] : ["none": true]
        }
    }
}
