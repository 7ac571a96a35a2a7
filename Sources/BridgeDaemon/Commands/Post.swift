import ArgumentParser
import BridgeClient
import BridgeProtocol

struct Post: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Post a message as the page would, and print the reply.",
        discussion: """
            A handler that does not reply prints nothing; its verdict stands in the traffic.

            Examples:
              bridged post nativeApp '{"name": "ActionButton", "path": "/customers/new", "icon": "plus"}'
              bridged post camera '{"quality": 0.5}' --timeout 10
              jq .body message.json | bridged post nativeApp -

            \(ExitCodes.text)
            """)

    @Argument(help: "The handler's name in webkit.messageHandlers.")
    var handler: String

    @Argument(help: "The body as JSON, or - for standard input.")
    var body: String

    @OptionGroup var page: PageOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let body = try JSONArgument.read(body, "The body")
        let params = page.params + timeout.params + [.init("handler", .string(handler)), .init("body", body)]
        let result = try daemon.call("message.post", params)
        if options.json {
            Terminal.print(result)
        } else if result["verdict"] == nil {
            Terminal.print(JSON.show(result))
        }
    }
}
