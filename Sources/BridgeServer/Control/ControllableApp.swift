public import BridgeProtocol

/// The emulated app as control methods see it (`app.state`, `app.actions`, `app.perform`). A module above this one
/// provides it: `server.app = app`. On the main actor.
@MainActor public protocol ControllableApp: AnyObject {
    /// What the app shows, as the members of one object.
    var state: [JSONValue.Member] { get }
    var actions: [Action] { get }
    /// Performs the action of that name.
    /// - Throws: ``ActionError`` if the app has no such action or the arguments do not fit it; ``ActionRefusal`` if the app
    ///   cannot perform it now.
    func perform(_ name: String, _ arguments: Action.Arguments) throws
}
