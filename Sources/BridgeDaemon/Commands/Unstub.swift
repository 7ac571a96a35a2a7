import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged unstub`
struct Unstub: ClientCommand {
    static let configuration = clientConfiguration(
        "unstub", "Remove stubs.",
        """
        Examples:
          bridged unstub s1 s2
          bridged unstub --all
        """)

    @Argument(help: "The ids that bridged stub printed.")
    var stubs: [String] = []

    @Flag(help: "Remove every stub, also those of components.")
    var all = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if stubs.isEmpty != all { throw ValidationError("Name the stubs to remove, or give --all.") }
    }

    func run(_ daemon: DaemonClient) throws {
        for stub in all ? try Unstub.ids(daemon) : stubs {
            _ = try daemon.call("handlers.unstub", [.init("stub", .string(stub))])
            if options.json { Terminal.print(["stub": .string(stub)] as JSONValue) }
        }
        // A daemon without an emulated app has no components.
        if all { _ = try? daemon.call("components.reset") }
    }

    private static func ids(_ daemon: DaemonClient) throws -> [String] {
        var ids: Set<String> = []
        try daemon.call("handlers.list")["handlers"]?.forEachElement { handler in
            handler["stubs"]?.forEachElement { stub in ids.insert(stub["stub"]?.string ?? "") }
        }
        return ids.sorted()
    }
}
