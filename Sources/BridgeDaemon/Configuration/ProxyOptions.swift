import AppProxy
import ArgumentParser

/// The flags of `serve` for the proxy in front of a web app.
struct ProxyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve this app, such as http://localhost:3000, with bridge.js in its documents. Needs nginx.",
            valueName: "url"))
    var app: String?

    @Option(
        help:
            "Port on which the app of --app is served; 0 picks a free one. (default: \(ProxySettings.defaultPort))")
    var appPort: String?
}
