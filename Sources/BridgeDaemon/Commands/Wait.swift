import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged wait`
struct Wait: ClientCommand {
    static let configuration = clientConfiguration(
        "wait", "Wait for a matching message, and print its record.",
        """
        Without --after, only new records match. bridged info shows the number of the latest record.

        Filters: \(FilterHelp.text)

        Examples:
          bridged wait --handler nativeApp --name ActionButton --timeout 10
          bridged wait --match '{"path": "/customers/new"}' --json | jq .body.icon
          bridged wait --filter 'kind:reply verdict:rejected' --after 0
        """)

    @Option(help: ArgumentHelp("The handler that the message is posted to.", valueName: "name"))
    var handler: String?

    @Option(help: ArgumentHelp("The name in the message's body.", valueName: "name"))
    var name: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("A part of the body.", valueName: "json"))
    var match: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only records that match; messages, unless it names a kind.", valueName: "expression"))
    var filter: String?

    @Option(help: ArgumentHelp("Kept records with a higher number match too.", valueName: "record"))
    var after: Int?

    @OptionGroup var page: PageOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        var params = page.params + timeout.params + .texts(["handler": handler, "name": name, "filter": filter])
        if let match { params.append(.init("match", try JSONArgument.read(match, "--match"))) }
        if let after { params.append(.init("after", .number(Double(after)))) }
        let record = try daemon.call("messages.wait", params)
        if options.json {
            Terminal.print(record)
        } else {
            Terminal.printTraffic(Terminal.readable.text(ofLine: record.text))
        }
    }
}
