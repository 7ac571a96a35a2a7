import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp
import Foundation

/// The standard output of `serve`: NDJSON for programs, or lines for people.
@MainActor struct ServeOutput {
    private let server: BridgeServer
    private let isJSON: Bool

    init(_ server: BridgeServer, asJSON: Bool) {
        self.server = server
        isJSON = asJSON
        guard !asJSON else { return }
        let readable = Terminal.readable
        server.traffic.observe { record in
            // The line of the message already shows this problem as the verdict.
            if case .problem(_, _, _, about: .some, _) = record.event { return }
            Terminal.print(readable.text(record))
        }
    }

    func listening(at address: BridgeServer.Address, _ app: EmulatedApp) {
        guard isJSON else { return Terminal.print(banner(address, app)) }
        Terminal.print(
            [
                "kind": "daemon", "event": "listening", "url": .string(address.url),
                "addresses": .array(address.addresses.map { .string($0) }), "pid": .number(Double(getpid())),
                "version": .string(BridgeServer.version), "runFile": .string(address.discoveryFile),
            ] as JSONValue)
        server.traffic.write(to: STDOUT_FILENO, name: "on standard output")
    }

    func stopped() {
        guard isJSON else { return Terminal.print("Stopped.") }
        Terminal.print(["kind": "daemon", "event": "stopped"] as JSONValue)
    }

    private func banner(_ address: BridgeServer.Address, _ app: EmulatedApp) -> String {
        let base = "\(address.scheme)://\(address.browserHost):\(address.port)"
        let token = address.pageToken.map { "?token=\($0)" } ?? ""
        let log = server.configuration.logPath.map { "Appended to \($0)" } ?? "Only below. --log FILE keeps it."
        return """
            bridged \(BridgeServer.version) serves \(base)/ on \(address.addresses.joined(separator: " and ")).

              Try it   Open \(base)/demo/\(token) in any browser.
              Attach   Put this first into your page's <head>:
                       <script src="\(base)/bridge.js\(token)"></script>
              Token    Pages that register for push get \(app.pushToken)
              Log      \(log)
              Stop     Ctrl-C

            """
    }
}
