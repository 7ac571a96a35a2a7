import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged fault`
struct FaultCommand: ClientCommand {
    static let configuration = clientConfiguration(
        "fault", "Let requests fail in a driven browser.",
        """
        It prints the fault's id. The newest fault that matches counts. Only a browser that bridged drives can have one \
        (bridged open).

        Examples:
          bridged fault '/posts*' --offline
          bridged fault /posts --status 503 --times 1
          bridged fault '*/turbo*.js' --missing
          bridged fault '*' --slow 2            # seconds
          bridged fault /posts --cut            # the server gets the request, but its response is lost
          bridged unfault f1
        """)

    @Argument(help: "A path, on any host, or a whole URL. * matches anything.")
    var url: String

    @Flag(help: "The device has no connection.")
    var offline = false

    @Option(help: ArgumentHelp("Send the request so much later.", valueName: "seconds"))
    var slow: Double?

    @Option(help: ArgumentHelp("Respond with this status.", valueName: "code"))
    var status: Int?

    @Flag(help: "Lose the response.")
    var cut = false

    @Flag(help: "Respond with 404 and nothing.")
    var missing = false

    @Option(help: ArgumentHelp("Only for so many requests.", valueName: "count"))
    var times: Int?

    @Option(help: ArgumentHelp("Only for the pages of this web view.", valueName: "name"))
    var webView: String?

    @OptionGroup var options: ClientOptions

    private var kinds: [Fault.Name] {
        [
            offline ? .offline : nil, slow.map { _ in .slow }, status.map { _ in .status }, cut ? .cut : nil,
            missing ? .missing : nil,
        ].compactMap(\.self)
    }

    func validate() throws {
        guard kinds.count == 1 else {
            throw ValidationError("Give one of --offline, --slow, --status, --cut and --missing.")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        var params: [JSONValue.Member] = .texts(["url": url, "kind": kinds[0].rawValue, "webView": webView])
        if let slow { params.append(.init("delayMs", .number((slow * 1_000).rounded()))) }
        if let status { params.append(.init("status", .number(Double(status)))) }
        if let times { params.append(.init("times", .number(Double(times)))) }
        let result = try daemon.call("faults.add", params)
        if options.json { Terminal.print(result) } else { Terminal.print(result["fault"]?.string ?? "") }
    }
}

/// `bridged unfault`
struct Unfault: ClientCommand {
    static let configuration = clientConfiguration(
        "unfault", "Remove faults.",
        """
        Examples:
          bridged unfault f1 f2
          bridged unfault --all
        """)

    @Argument(help: "The ids that bridged fault printed.")
    var faults: [String] = []

    @Flag(help: "Remove every fault.")
    var all = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if faults.isEmpty != all { throw ValidationError("Name the faults to remove, or give --all.") }
    }

    func run(_ daemon: DaemonClient) throws {
        let listed =
            all ? try daemon.call("faults.list")["faults"]?.elements.compactMap { $0["fault"]?.string } : faults
        for fault in listed ?? [] {
            _ = try daemon.call("faults.remove", [.init("fault", .string(fault))])
            if options.json { Terminal.print(["fault": .string(fault)] as JSONValue) }
        }
    }
}
