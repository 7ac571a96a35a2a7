import ArgumentParser
import Foundation

/// A raw client, as fast as a socket allows: what the daemon's round trip costs without a browser. It prints one JSON
/// object, or waits with its connections open.
@main struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Posts messages to a daemon with Benchmarks/EchoApp's handlers, or to Benchmarks/BareEcho.")

    enum Peer: String, ExpressibleByArgument { case bridge, echo }

    @Argument(help: "bridge or echo.") var peer: Peer
    @Option(help: "The port on 127.0.0.1.") var port: UInt16
    @Option(help: "How many connections.") var connections = 1
    @Option(help: "How many messages of each connection are under way at a time.") var inFlight = 1
    @Option(help: "The bytes of text in each message's body.") var bytes = 100
    @Option(help: "How many round trips to measure, over all connections.") var messages = 20_000
    @Flag(help: "Only connect and attach, say so, and wait for the end of standard input.") var idle = false

    func run() throws {
        let load = try LoadLoop(peer: peer, port: port, connections: connections)
        if idle {
            print("{\"connections\": \(connections)}")
            fflush(nil)
            while readLine() != nil {}
            return
        }
        let text = String(repeating: "x", count: bytes)
        _ = try load.run(messages: max(connections * inFlight, messages / 10), inFlight: inFlight, text: text)
        let samples = try load.run(messages: messages, inFlight: inFlight, text: text)
        print(samples.json)
    }
}
