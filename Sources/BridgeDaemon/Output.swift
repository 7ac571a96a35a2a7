import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp
import Foundation

/// What `serve` writes to standard output.
@MainActor protocol Output {
    func listening(_ address: BridgeServer.Address, _ app: EmulatedApp, log: String?)
    func stopped()
}

/// NDJSON for programs: where it listens, then every record.
@MainActor struct JSONOutput: Output {
    init(_ server: BridgeServer) {
        self.server = server
    }

    private let server: BridgeServer

    func listening(_ address: BridgeServer.Address, _ app: EmulatedApp, log: String?) {
        write { writer in
            writer.member("kind", "daemon")
            writer.member("event", "listening")
            writer.member("url", address.url)
            writer.member("addresses", address.addresses)
            writer.member("pid", Int(getpid()))
            writer.member("version", BridgeServer.version)
            writer.member("runFile", address.discoveryFile)
        }
        server.traffic.write(to: STDOUT_FILENO, name: "on standard output")
    }

    func stopped() {
        write { writer in
            writer.member("kind", "daemon")
            writer.member("event", "stopped")
        }
    }

    private func write(_ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(members)
        print(writer.text)
        fflush(nil)
    }
}

/// Lines for people: what to do next, then one line a record.
@MainActor struct TerminalOutput: Output {
    private let readable: ReadableTraffic

    init(_ server: BridgeServer) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let wantsColor = ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        readable = ReadableTraffic(
            usesColor: isTerminal && wantsColor, secondsFromUTC: TimeZone.current.secondsFromGMT())
        server.traffic.observe { [readable] record in
            // The line of the message says it already.
            if case .problem(_, _, _, about: .some) = record.event { return }
            print(readable.text(record))
            fflush(nil)
        }
    }

    func listening(_ address: BridgeServer.Address, _ app: EmulatedApp, log: String?) {
        let base = "\(address.scheme)://\(address.browserHost):\(address.port)"
        let token = address.pageToken.map { "?token=\($0)" } ?? ""
        print(
            """
            bridged \(BridgeServer.version) serves \(base)/ on \(address.addresses.joined(separator: " and ")).

              Try it   Open \(base)/demo/\(token) in any browser.
              Attach   Put this first into your page's <head>:
                       <script src="\(base)/bridge.js\(token)"></script>
              Token    Pages that register for push get \(app.pushToken)
              Log      \(log.map { "Appended to \($0)" } ?? "Below only. --log FILE keeps it.")
              Stop     Ctrl-C

            """)
        fflush(nil)
    }

    func stopped() {
        print("Stopped.")
    }
}
