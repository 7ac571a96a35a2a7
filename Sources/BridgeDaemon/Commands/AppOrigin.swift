import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// `bridged app-origin`
struct AppOrigin: ClientCommand {
    static let configuration = clientConfiguration(
        "app-origin", "Take the pages of another origin as the app's, as --app-origin does.",
        """
        Example:
          bridged app-origin http://localhost:4001
        """)

    @Argument(help: "An origin, such as that of the app's server at another port.")
    var origin: String

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let result = try daemon.call("origins.add", [.init("origin", .string(origin))])
        guard !options.json else { return Terminal.printJSON(result.text) }
        let origins = result["origins"]?.elements.compactMap(\.string) ?? []
        Terminal.print(TerminalText.escape("The app's origins: \(origins.joined(separator: ", "))"))
    }
}
