import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged call`
struct Call: ClientCommand {
    static let configuration = clientConfiguration(
        "call", "Run an async function in a page and print its result.",
        """
        Examples:
          bridged call 'return (await fetch(path)).status' --arg 'path="/customers"'
          bridged call 'return a + b' --arg a=1 --arg b=2
        """)

    @Argument(help: "The function's body, or - for standard input.")
    var body: String

    @Option(
        name: .customLong("arg"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A variable of the body and its value; may be repeated.", valueName: "name=json"))
    var arguments: [String] = []

    @OptionGroup var page: PageOptions
    @OptionGroup var world: WorldOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let body = body == "-" ? try Terminal.readText() : body
        let arguments = try arguments.map(Call.member)
        let params =
            page.params + world.params + timeout.params + [
                .init("body", .string(body)), .init("arguments", .object(arguments)),
            ]
        try printScriptValue(daemon.call("script.callAsync", params))
    }

    private static func member(_ text: String) throws -> JSONValue.Member {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw CommandFailure(
                "'\(text)' is not valid for --arg. Give a name and JSON: --arg 'name=\"text\"'", .usage)
        }
        return .init(parts[0], try JSONArgument.read(parts[1], "--arg \(parts[0])"))
    }
}
