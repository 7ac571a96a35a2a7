public import BridgeProtocol

/// Something a user can do to the emulated app or its phone, such as `back` or `menu.select`: its name and the
/// arguments it takes.
///
/// `app.actions` lists actions. Control methods, flows and the command line perform one with
/// ``ControllableApp/perform(_:_:)``, which checks the arguments with ``validate(_:)``.
public struct Action: Sendable, Equatable {
    /// The values of arguments by their names, such as `["url": "/posts"]`.
    public typealias Arguments = [String: String]

    /// The name, such as `tapActionButton`, or `form.submit` for an action of the component `form`.
    public let name: String
    /// A sentence that says what the action does.
    public let summary: String
    /// The names of the arguments that a call must give. None may be called `action` or `wait`: `app.perform` and flows put
    /// the arguments beside the action's own name and whether to wait for its visit, which have these keys.
    public let required: [String]
    public let optional: [String]
    /// Whether the user leaves the screen by it, or loads it again. Tools let a visit that is under way end before it, as a
    /// user does who looks at a screen first.
    let leavesScreen: Bool

    /// - Parameter leavesScreen: whether the user leaves the screen by the action, or loads it again.
    public init(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        leavesScreen: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.required = required
        self.optional = optional
        self.leavesScreen = leavesScreen
    }

    /// The names of all arguments, in the order in which a command line gives them.
    public var parameters: [String] { required + optional }

    /// - Throws: ``ActionError`` for an argument the action does not take, or for a required one that is missing.
    public func validate(_ arguments: Arguments) throws(ActionError) {
        if let unknown = arguments.keys.sorted().first(where: { !parameters.contains($0) }) {
            throw .unknownArgument(unknown, of: self)
        }
        if let missing = required.first(where: { arguments[$0] == nil }) { throw .missingArgument(missing, of: self) }
    }

    /// Reads the arguments from the words of a command line: `2` is the value of the first argument that has none yet,
    /// `item=2` and `--item=2` name the argument, and `--rotate` means `rotate=true`.
    /// - Throws: ``ActionError/tooManyArguments(_:of:)``.
    public func arguments(from words: [String]) throws(ActionError) -> Arguments {
        var arguments: Arguments = [:]
        for word in words {
            let isFlag = word.hasPrefix("--")
            let parts = word.dropFirst(isFlag ? 2 : 0).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            if isFlag || parts.count == 2 && parameters.contains(name) {
                arguments[name] = parts.count == 2 ? String(parts[1]) : "true"
            } else if let next = parameters.first(where: { arguments[$0] == nil }) {
                arguments[next] = word
            } else {
                throw .tooManyArguments(word, of: self)
            }
        }
        return arguments
    }
}

/// An action and its arguments as `app.actions` lists them.
extension Action {
    public init?(_ json: JSON) {
        func names(_ key: String) -> [String] {
            guard let list = json[key] else { return [] }
            return (0..<list.count).compactMap { list[$0]?.string }
        }
        guard let name = json["action"]?.string else { return nil }
        self.init(
            name, json["summary"]?.string ?? "", required: names("required"), optional: names("optional"))
    }

    public var json: JSONValue {
        [
            "action": .string(name), "summary": .string(summary), "required": .array(required.map { .string($0) }),
            "optional": .array(optional.map { .string($0) }),
        ]
    }
}

/// A call of an action that does not fit the action's declaration.
public enum ActionError: Error, Equatable {
    case unknownAction(String, among: [String])
    case unknownArgument(String, of: Action)
    case missingArgument(String, of: Action)
    case tooManyArguments(String, of: Action)
}

extension ActionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownAction(let name, let names):
            let nearest = EditDistance.nearest(to: name, in: names).map { " Did you mean '\($0)'?" } ?? ""
            return "The app has no action '\(name)'.\(nearest) It has: \(names.joined(separator: ", "))."
        case .unknownArgument(let name, let action): return "\(action.taken). It has no argument '\(name)'."
        case .missingArgument(let name, let action): return "\(action.name) needs the argument '\(name)'."
        case .tooManyArguments(let word, let action): return "\(action.taken): '\(word)' is one too many."
        }
    }
}

extension Action {
    fileprivate var taken: String {
        "\(name) takes \(parameters.isEmpty ? "no arguments" : parameters.joined(separator: ", "))"
    }
}

/// The reason why the app cannot perform an action now, and what can be done instead.
public struct ActionRefusal: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
