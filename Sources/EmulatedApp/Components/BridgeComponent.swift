public import BridgeProtocol

/// The native half of a component: receives what its web half sends, and replies, as hotwire-native-ios has it.
///
/// ```swift
/// final class RatingComponent: BridgeComponent {
///     override class var name: String { "rating" }
///
///     override func onReceive(message: Message) {
///         if message.event == "ask" { reply(to: "ask", with: ["stars": 5]) }
///     }
/// }
/// ```
///
/// One is made for a screen when the first message to its name comes, and stays as long as the screen. On the main
/// actor.
@MainActor open class BridgeComponent {
    /// What the web half calls it, such as `form`.
    open class var name: String { "" }
    /// What tools and documents are told of it. (Ours.)
    open class var profile: ComponentProfile { ComponentProfile("A component of the app's own.") }

    /// Of the screen that it belongs to; nil where that is gone.
    public private(set) weak var delegate: BridgeDelegate?
    public private(set) weak var destination: (any BridgeDestination)?
    /// Where the first message came from.
    private weak var bridge: Bridge?
    private var receivedMessages: [String: Message] = [:]

    public required init(destination: any BridgeDestination, delegate: BridgeDelegate) {
        self.destination = destination
        self.delegate = delegate
        bridge = delegate.bridge
    }

    /// What the user sees of it, for `app.state`; nil for nothing. (Ours.)
    open var state: JSONValue? { nil }

    // MARK: For subclasses

    /// A message came. Replies may be sent now or later, any number of them.
    open func onReceive(message: Message) {}

    open func onViewDidLoad() {}
    open func onViewWillAppear() {}
    open func onViewDidAppear() {}
    open func onViewWillDisappear() {}
    open func onViewDidDisappear() {}

    // MARK: Messages

    /// The message of an event that came last.
    public func receivedMessage(for event: String) -> Message? { receivedMessages[event] }

    /// Replies with a message: one that came, with another event or other data where `replacing` made it so.
    ///
    /// The page's callback runs later, never before this returns.
    /// - Returns: whether it was sent. Where it was not, a `problem` record says why.
    @discardableResult
    public func reply(with message: Message) -> Bool {
        guard let bridge, bridge.delegate === delegate, delegate != nil else {
            tellLost(message.event, "no web view shows its screen.")
            return false
        }
        return bridge.reply(with: message)
    }

    /// Replies to the message of an event that came last, with its own data.
    @discardableResult
    public func reply(to event: String) -> Bool { reply(to: event) { $0 } }

    /// - Parameter jsonData: JSON text.
    @discardableResult
    public func reply(to event: String, with jsonData: String) -> Bool {
        reply(to: event) { $0.replacing(jsonData: jsonData) }
    }

    @discardableResult
    public func reply(to event: String, with data: some Encodable) -> Bool {
        reply(to: event) { try $0.replacing(data: data) }
    }

    private func reply(to event: String, _ change: (Message) throws -> Message) -> Bool {
        guard let message = receivedMessage(for: event) else {
            tellLost(event, "no such message came.")
            return false
        }
        do {
            return reply(with: try change(message))
        } catch {
            tellLost(event, "its data can't be encoded: \(error)")
            return false
        }
    }

    private func tellLost(_ event: String, _ why: String) {
        bridge?.tellLost(type(of: self).name, event, why, page: receivedMessages[event]?.page)
    }

    func didReceive(_ message: Message) {
        receivedMessages[message.event] = message
        onReceive(message: message)
    }
}

/// A screen that has components.
@MainActor public protocol BridgeDestination: AnyObject {}
