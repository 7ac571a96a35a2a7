import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged trigger`
struct Trigger: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Do what comes to a page from its user or phone.",
        discussion: """
            What an action takes stands behind its name, in the order of --list, or as name=text. A flag says yes.

            Examples:
              bridged trigger push-token --rotate
              bridged trigger form.submit
              bridged trigger menu.select 2
              bridged trigger location.move 48.85 2.35
              bridged trigger background
              bridged trigger --list

            \(ExitCodes.text)
            """)

    @Argument(help: ArgumentHelp("Such as push-token, form.submit, background.", valueName: "action"))
    var name: String?

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("What the action takes.", valueName: "argument"))
    var arguments: [String] = []

    @Flag(help: "List the actions that the running app has.")
    var list = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if name == nil, !list { throw ValidationError("Say what happens, such as form.submit, or list it: --list.") }
    }

    func run(_ daemon: DaemonClient) throws {
        let actions = try TriggerAction.all(daemon)
        guard let name, !list else { return actions.forEach { $0.print(asJSON: options.json) } }
        let action = actions.first { $0.answers(to: name) }
        // The daemon knows best what to say of a name that it does not have.
        let state = try daemon.call(
            "app.perform", try action?.members(arguments) ?? [.init("action", .string(name))])
        if options.json { Terminal.print(state) } else { action?.printDone() }
    }
}

/// An action of `app.actions`, as it is typed.
struct TriggerAction {
    let name: String
    let summary: String
    let required: [String]
    let optional: [String]

    static func all(_ daemon: DaemonClient) throws(ClientError) -> [TriggerAction] {
        var actions: [TriggerAction] = []
        try daemon.call("app.actions")["actions"]?.forEachElement { actions.append(TriggerAction($0)) }
        return actions
    }

    private init(_ json: JSON) {
        func texts(_ key: String) -> [String] {
            var texts: [String] = []
            json[key]?.forEachElement { texts.append($0.string ?? "") }
            return texts
        }
        name = json["action"]?.string ?? ""
        summary = json["summary"]?.string ?? ""
        required = texts("required")
        optional = texts("optional")
    }

    /// `pushToken` is typed `push-token`.
    private var typedName: String {
        name.contains(".") ? name : name.reduce("") { $0 + ($1.isUppercase ? "-\($1.lowercased())" : "\($1)") }
    }

    func answers(to text: String) -> Bool { text == name || text == typedName }

    func printDone() { Terminal.print("\(typedName): \(summary)") }

    func print(asJSON: Bool) {
        let parts = [typedName] + required.map { "<\($0)>" } + optional.map { "[\($0)]" }
        if asJSON {
            Terminal.print(
                [
                    "action": .string(name), "summary": .string(summary),
                    "required": .array(required.map { .string($0) }), "optional": .array(optional.map { .string($0) }),
                ] as JSONValue)
        } else {
            Terminal.print("\(parts.joined(separator: " "))  \(summary)")
        }
    }

    /// The params of `app.perform`.
    /// - Throws: `CommandFailure` for more than the action takes. A name that it does not have, the daemon knows.
    func members(_ arguments: [String]) throws -> [JSONValue.Member] {
        var left = required + optional
        var members = [JSONValue.Member("action", .string(name))]
        func take(_ key: String, _ value: String) {
            left.removeAll { $0 == key }
            members.append(.init(key, .string(value)))
        }
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if argument.hasPrefix("--") {
                take(String(parts[0].dropFirst(2)), parts.count > 1 ? parts[1] : "true")
            } else if parts.count > 1, left.contains(parts[0]) {
                take(parts[0], parts[1])
            } else if let key = left.first {
                take(key, argument)
            } else {
                throw CommandFailure(
                    "\(typedName) takes no '\(argument)'. bridged trigger --list says what it takes.", .usage)
            }
        }
        return members
    }
}
