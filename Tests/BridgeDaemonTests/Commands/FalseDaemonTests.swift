import Foundation
import TestSupport
import Testing

/// Commands that talk to a server which does not answer as bridged does. Each ends soon, takes little memory, and says what
/// it expected, what came, from where, and what to do.
@Suite(.timeLimit(.minutes(4))) struct FalseDaemonTests {
    private static let noDaemon = "Give --url the address that serve prints."
    private static let result = #"{"jsonrpc":"2.0","id":1,"result":"#

    /// What a server does, the command, and a part of what the command writes to standard error.
    nonisolated static let cases: [(behaviour: String, command: [String], error: String)] = [
        ("endless", ["info"], "more than 268435456 bytes"),
        ("hugeHeader", ["info"], "header has more than 65536 bytes"),
        ("manyHeaders", ["info"], "header has more than 65536 bytes"),
        ("cut", ["info"], "ended in the middle of its answer"),
        ("noHTTP", ["info"], "can't be reached"),
        ("errorPage", ["info"], "found HTTP status 502 with <h1>Bad Gateway</h1>"),
        ("nested", ["info"], "expected a JSON-RPC response to daemon.info, found HTTP status 200 with {\"jsonrpc\""),
        ("7", ["info"], "found HTTP status 200 with 7"),
        ("[]", ["info"], "found HTTP status 200 with []"),
        ("{}", ["pages"], "expected a JSON-RPC response to pages.list, found HTTP status 200 with {}"),
        (result + "7}", ["eval", "1"], "with {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}"),
        (result + "{}}", ["info"], "expected a JSON-RPC response to daemon.info"),
        (result + "{}}", ["pages"], "expected a JSON-RPC response to pages.list"),
        (#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, ["info"], "\"error\":\"no\"}"),
        (#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":[]}}"#, ["info"], "\"message\":[]}}"),
        ("silent", ["wait", "--timeout", "0.1"], "did not answer within 10 s"),
        ("drip", ["wait", "--timeout", "0.1"], "did not answer within 10 s"),
        ("dripHeader", ["wait", "--timeout", "0.1"], "did not answer within 10 s"),
        ("silent", ["tail"], "did not answer within 10 s"),
        ("dripHeader", ["tail"], "did not answer within 10 s"),
        ("hugeHeader", ["tail"], "header has more than 65536 bytes"),
        ("endlessLine", ["tail"], "more than 268435456 bytes"),
        ("errorPage", ["tail"], "found HTTP status 502 with <h1>Bad Gateway</h1>"),
        ("<h1>Shop</h1>", ["tail"], "expected records, one a line, found HTTP status 200 with <h1>Shop</h1>"),
        ("<h1>Shop</h1>", ["log", "export", "--har", "-"], "expected records, one a line, found HTTP status 200"),
        ("endless", ["tail"], "expected records, one a line, found HTTP status 200 with ["),
        ("drip", ["tail"], "did not answer within 10 s"),
    ]

    @Test(arguments: cases)
    func commandEnds_withItsOwnError(_ example: (behaviour: String, command: [String], error: String)) async throws {
        let daemon = try await FalseDaemon(example.behaviour)
        let outcome = try await Executable.run(
            example.command + ["--url", daemon.url], environment: ["BRIDGED_TOKEN": "t"],
            by: "ulimit -v 8000000; exec timeout 120 \"$@\"")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.contains(example.error), "\(outcome)")
        #expect(outcome.errors.contains(daemon.url), "\(outcome.errors)")
        #expect(outcome.errors.utf8.count < 1_000)
    }
}
