public import BridgeProtocol

/// The emulated app, as tools see and touch it (`app.state`, `app.perform`). A module above this one provides it:
/// `server.app = app`. On the main actor.
@MainActor public protocol ControllableApp: AnyObject {
    /// What it shows, as the members of one object.
    var state: [JSONValue.Member] { get }
    /// What can be done to it.
    var actions: [AppAction] { get }
}

/// One thing that a user of the app can do.
public struct AppAction: Sendable {
    /// What it takes beside its name, such as `url`, each a string.
    public typealias Arguments = [String: String]

    /// Such as `tapActionButton`.
    public let name: String
    /// What it does, in one sentence.
    public let summary: String
    /// The arguments that must be there.
    public let required: [String]
    public let optional: [String]
    /// - Throws: `ActionRefusal` where the app can't do that now.
    public let perform: @MainActor @Sendable (Arguments) throws -> Void

    public init(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        perform: @escaping @MainActor @Sendable (Arguments) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.required = required
        self.optional = optional
        self.perform = perform
    }
}

/// Why the app can't do what a tool asked of it now, and what could be done instead.
public struct ActionRefusal: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
