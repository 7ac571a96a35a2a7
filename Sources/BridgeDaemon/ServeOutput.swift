import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp
import Foundation

/// The standard output of `serve`: NDJSON for programs, or lines for people.
///
/// A reader that falls behind finds a `gap` record in place of the records that the log no longer keeps in memory.
@MainActor final class ServeOutput {
    private let server: BridgeServer
    private let isJSON: Bool
    private let stream = StreamWriter(STDOUT_FILENO)
    private var follower: TrafficFollower?
    private var hasFailed = false

    /// The name of the daemon's node in a cluster.
    private let node: String?

    init(_ server: BridgeServer, asJSON: Bool, node: String? = nil, errors: ErrorLog) {
        self.server = server
        self.node = node
        isJSON = asJSON
        server.observeAppOrigins { origin in
            errors.write(
                "bridged: \(origin) is the app's origin: its pages may be main and modal, and those of other origins get "
                    + "names of their own.")
        }
        if !asJSON { follow() }
    }

    func listening(at address: BridgeServer.Address, _ app: EmulatedApp) {
        if isJSON {
            var members: [JSONValue.Member] = [
                .init("kind", "daemon"), .init("event", "listening"), .init("url", .string(address.url)),
                .init("addresses", .array(address.addresses.map { .string($0) })),
                .init("pid", .number(Double(getpid()))), .init("version", .string(BridgeServer.version)),
                .init("runFile", .string(address.discoveryFile)),
            ]
            if let node { members.append(.init("node", .string(node))) }
            print(.object(members))
            follow()
        } else {
            stream.write(banner(address, app) + "\n")
        }
    }

    func stopped() {
        follower?.finish(before: .now + .seconds(1))
        if isJSON { print(["kind": "daemon", "event": "stopped"] as JSONValue) } else { stream.write("Stopped.\n") }
        stream.finish(before: .now + .seconds(1))
    }

    private func print(_ value: JSONValue) { stream.write(value.text + "\n") }

    private func follow() {
        let (stream, isJSON, readable) = (stream, isJSON, Terminal.readable)
        let follower = TrafficFollower(
            server.traffic, Deadlines(clock: SystemClock()), TrafficFilter(), after: nil,
            isCrowded: { [weak self] in
                self?.reportFailure()
                return stream.isCrowded
            },
            send: { record in
                stream.write(record.line.count) {
                    isJSON ? TerminalText.escapeJSON(record.line) : readable.lines(of: record)
                }
            })
        self.follower = follower
        follower.start()
    }

    private func reportFailure() {
        guard !hasFailed, let failure = stream.failure else { return }
        hasFailed = true
        follower?.cancel()
        server.traffic.problem(
            .logFailed, "Can't write to standard output: \(failure).", hint: "Nothing more is written to it.")
    }

    private func banner(_ address: BridgeServer.Address, _ app: EmulatedApp) -> String {
        let base = "\(address.scheme)://\(address.browserHost):\(address.port)"
        let token = address.pageToken.map { "?token=\($0)" } ?? ""
        let origins = server.configuration.appOrigins.joined(separator: " and ")
        let owner = origins.isEmpty ? "" : "\n  App      The pages of \(origins) may be main and modal."
        let cluster = node.map { "\n  Cluster  This is the node \($0)." } ?? ""
        let phone = isatty(STDOUT_FILENO) == 1 ? PhoneCode(address, rootURL: app.configuration.rootURL)?.text ?? "" : ""
        let path = server.configuration.logPath.map(TerminalText.escape)
        let log = path.map { "Appended to \($0)" } ?? "Only below. --log FILE keeps it."
        return """
            bridged \(BridgeServer.version) serves \(base)/ on \(address.addresses.joined(separator: " and ")).

              Try it   Open \(base)/demo/\(token) in any browser.
              Inspect  \(Inspector.url(address, token: server.token))
              Attach   Put this first into your page's <head>:
                       <script src="\(base)/bridge.js\(token)"></script>\(phone)\(owner)\(cluster)
              Push     The push token of the device is \(app.pushToken)
              Log      \(log)
              Stop     Ctrl-C

            """
    }
}

extension ReadableTraffic {
    /// The record as lines for people; nothing if the line of a message already shows this problem as the verdict.
    fileprivate func lines(of record: StoredRecord) -> [UInt8] {
        guard let record = TrafficRecord(json: record.json) else { return [] }
        if case .problem(_, _, _, about: .some, _) = record.event { return [] }
        return Array((text(record) + "\n").utf8)
    }
}
