import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged post`
struct Post: ClientCommand {
    static let configuration = clientConfiguration(
        "post", "Post a message as the page would, and print the reply.",
        """
        It prints nothing for a handler that does not reply; the traffic has the verdict.

        Examples:
          bridged post nativeApp '{"name": "ActionButton", "path": "/customers/new", "icon": "plus"}'
          bridged post camera '{"quality": 0.5}' --timeout 10
          jq .body message.json | bridged post nativeApp -
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
        if options.json || result["verdict"] == nil { printScriptValue(result) }
    }
}
