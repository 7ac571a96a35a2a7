import ArgumentParser
import BridgeClient
import BridgeProtocol

struct Wait: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait for a message that fits, and print its record.",
        discussion: """
            Without --after it waits for what comes from now on. bridged info tells the number of the latest record.

            Filters: \(FilterHelp.text)

            Examples:
              bridged wait --handler nativeApp --name ActionButton --timeout 10
              bridged wait --match '{"path": "/customers/new"}' --json | jq .body.icon
              bridged wait --filter 'kind:reply verdict:rejected' --after 0

            \(ExitCodes.text)
            """)

    @Option(help: ArgumentHelp("The handler that it is posted to.", valueName: "name"))
    var handler: String?

    @Option(help: ArgumentHelp("What the body calls itself.", valueName: "name"))
    var name: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("A part of the body.", valueName: "json"))
    var match: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only what fits; of kind message, unless it names another.", valueName: "expression"))
    var filter: String?

    @Option(help: ArgumentHelp("Kept records with a higher number count, too.", valueName: "record"))
    var after: Int?

    @OptionGroup var page: PageFilterOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        var params = page.params + timeout.params
        if let handler { params.append(.init("handler", .string(handler))) }
        if let name { params.append(.init("name", .string(name))) }
        if let match { params.append(.init("match", try JSONArgument.read(match, "--match"))) }
        if let filter { params.append(.init("filter", .string(filter))) }
        if let after { params.append(.init("after", .number(Double(after)))) }
        let record = try daemon.call("messages.wait", params)
        Terminal.print(options.json ? record.text : Terminal.readable.text(ofLine: record.text))
    }
}
