import ArgumentParser
import Foundation

/// A client without a browser, which measures the daemon's round trip. It prints a JSON object, or keeps its
/// connections open.
@main struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Posts messages to a daemon with Benchmarks/EchoApp's handlers, or to Benchmarks/BareEcho.")

    enum Peer: String, ExpressibleByArgument { case bridge, echo }

    @Argument(help: "bridge or echo.") var peer: Peer
    @Option(help: "The port on 127.0.0.1.") var port: UInt16
    @Option(help: "How many connections.") var connections = 1
    @Option(help: "How many messages of each connection are in flight.") var inFlight = 1
    @Option(help: "The length of the text in each message, in bytes.") var bytes = 100
    @Option(help: "How many round trips to measure, over all connections.") var messages = 20_000
    @Flag(help: "Only connect, report it, and wait for the end of standard input.") var idle = false
    @Option(help: "Numbers of idle pages, such as 0,100,1000: measure one page beside each of them.") var idlePages = ""

    func run() throws {
        let text = String(repeating: "x", count: bytes)
        if !idlePages.isEmpty {
            let counts = idlePages.split(separator: ",").compactMap { Int($0) }
            return print(try IdlePages(peer: peer, port: port).run(counts: counts, messages: messages, text: text))
        }
        let load = try LoadLoop(peer: peer, port: port, connections: connections)
        if idle {
            print("{\"connections\": \(connections)}")
            fflush(nil)
            while readLine() != nil {}
            return
        }
        _ = try load.run(messages: max(connections * inFlight, messages / 10), inFlight: inFlight, text: text)
        let samples = try load.run(messages: messages, inFlight: inFlight, text: text)
        print(samples.json)
    }
}
