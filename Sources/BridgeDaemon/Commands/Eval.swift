import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged eval`
struct Eval: ClientCommand {
    static let configuration = clientConfiguration(
        "eval", "Run a script in a page and print its value.",
        """
        The value is the script's completion value, as JSON, or as JavaScript if JSON cannot express it, such as \
        undefined or a date. The command waits up to 5 seconds for a page to attach. Without an address it is the page that
        the user sees: in a browser of bridged open that of the app's visible screen, such as a modal.

        Examples:
          bridged eval document.title
          bridged eval --web-view main document.title     # the page that a modal covers
          bridged eval - < script.js
          bridged eval --json 'new Date()'     # {"value":"2026-…","types":{"":"date"}}
        """)

    @Argument(help: "The script, or - for standard input.")
    var script: String

    @OptionGroup var page: PageOptions
    @OptionGroup var world: WorldOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let source = script == "-" ? try Terminal.readText() : script
        let params = page.params + world.params + timeout.params + [.init("source", .string(source))]
        try printScriptValue(daemon.call("script.evaluate", params))
    }
}
