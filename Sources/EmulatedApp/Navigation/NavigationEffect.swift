public import BridgeProtocol
public import Foundation

/// Something to carry out, as ``Navigator`` decided.
public enum NavigationEffect: Sendable, Equatable {
    /// The session of that stack visits a new screen's URL.
    case visit(VisitOrder)
    /// The stacks have changed. Several of one proposal are one after the other.
    case transition(StackTransition)
    /// The URL leaves the app.
    case open(URL, via: ExternalBrowser)
    /// An alert comes up over that stack.
    case presentAlert(over: NavigationStack)
}

/// What a session is asked to load.
public struct VisitOrder: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case visit
        /// A screen that was there before is loaded again.
        case refresh
    }

    public let stack: NavigationStack
    public let url: URL
    public let action: VisitAction
    public let kind: Kind
    /// The screen that it is for; nil where the stack has none.
    public let screen: Screen.ID?
}

/// A change that a stack really makes.
public struct StackTransition: Sendable, Equatable {
    public enum Operation: String, Sendable {
        case push, pop, popToRoot, present, dismiss
        /// The contents are replaced, from the top screen alone to all of them.
        case set
    }

    public let operation: Operation
    /// A modal is presented on `main`, and dismissed from it.
    public let stack: NavigationStack
    public let animated: Bool
}

/// Where a URL of another host goes.
public enum ExternalBrowser: String, Sendable {
    /// Within the app: SFSafariViewController.
    case browser
    /// Whatever app the system has for the scheme.
    case system

    /// Web pages have a browser in the app.
    init(for url: URL) { self = ["http", "https"].contains(url.scheme?.lowercased()) ? .browser : .system }
}

extension VisitOrder: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("stack", stack.rawValue)
            writer.member("url", url.absoluteString)
            writer.member("action", action.rawValue)
            writer.member("kind", kind.rawValue)
        }
    }
}

extension StackTransition: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("op", operation.rawValue)
            writer.member("on", stack.rawValue)
            writer.member("animated", animated)
        }
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
        }
    }

    /// Writes ``json``.
    public func write(to writer: inout JSONWriter) { json.write(to: &writer) }
}
