public import BridgeProtocol
public import Foundation

/// An effect that ``Navigator`` has decided on. The navigator's owner carries it out.
public enum NavigationEffect: Sendable, Equatable {
    /// The session of a stack visits the URL of a new screen, or loads a screen's URL again.
    case visit(VisitOrder)
    /// A stack has changed. If one proposal causes several transitions, they are in the order in which they happen.
    case transition(StackTransition)
    /// The URL does not become a screen: a browser or another app opens it.
    case open(URL, via: ExternalBrowser)
    /// An alert is presented over that stack.
    case presentAlert(over: NavigationStack)
    /// The user has begun to swipe back on that stack, and let go.
    case cancelBack(NavigationStack)
}

/// A visit that a session is to make.
public struct VisitOrder: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case visit
        /// The session loads a screen again that is on the stack already.
        case refresh
    }

    public let stack: NavigationStack
    public let url: URL
    public let action: VisitAction
    public let kind: Kind
    /// The screen that shows the visit; nil if the stack is empty.
    public let screen: Screen.ID?
    /// Whether the visit has the options of the proposal, such as the response to a form.
    var keepsOptions = true
}

/// A change of a stack, as a navigation controller makes it.
public struct StackTransition: Sendable, Equatable {
    public enum Operation: String, Sendable {
        case push, pop, popToRoot, present, dismiss
        /// One or more screens at the top of the stack are replaced.
        case set
    }

    public let operation: Operation
    /// The stack that changes. For `present` and `dismiss` it is `main`.
    public let stack: NavigationStack
    public let animated: Bool
}

/// The browser or app that opens a URL which does not become a screen.
public enum ExternalBrowser: String, Sendable {
    /// An SFSafariViewController within the app.
    case browser
    /// The app that the system chooses for the URL's scheme.
    case system

    /// Chooses `browser` for the schemes http and https, and `system` for all others.
    init(for url: URL) { self = ["http", "https"].contains(url.scheme?.lowercased()) ? .browser : .system }
}

extension VisitOrder: JSONObject {
    public var members: JSONMembers {
        ["stack": stack.rawValue, "url": url.absoluteString, "action": action.rawValue, "kind": kind.rawValue]
    }
}

extension NavigationEffect: JSONWritable {
    /// An object with the effect's kind as `effect` and the members of that kind.
    var json: JSONValue {
        switch self {
        case .visit(let order):
            [
                "effect": .string(order.kind.rawValue), "stack": .string(order.stack.rawValue),
                "url": .string(order.url.absoluteString), "action": .string(order.action.rawValue),
            ]
        case .transition(let transition):
            [
                "effect": .string(transition.operation.rawValue), "stack": .string(transition.stack.rawValue),
                "animated": .bool(transition.animated),
            ]
        case .open(let url, let browser):
            ["effect": "open", "url": .string(url.absoluteString), "via": .string(browser.rawValue)]
        case .presentAlert(let stack): ["effect": "alert", "stack": .string(stack.rawValue)]
        case .cancelBack(let stack): ["effect": "cancelBack", "stack": .string(stack.rawValue)]
        }
    }

    /// Writes `json`.
    public func write(to writer: inout JSONWriter) { json.write(to: &writer) }
}
