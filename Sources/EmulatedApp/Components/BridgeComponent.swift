public import BridgeProtocol
import BridgeServer

/// The native half of a bridge component, which receives the messages of its web half and replies to them; see
/// hotwire-native-ios, `BridgeComponent`.
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
/// A screen makes its component when it receives the first message with that name, and keeps the component.
@MainActor open class BridgeComponent {
    /// The name that the web half uses, such as `form`.
    open class var name: String { "" }
    /// Describes the component for tools and documents. (Not in hotwire-native-ios.)
    open class var profile: ComponentProfile { ComponentProfile("A component of the app's own.") }

    /// The delegate of the component's screen; nil after the screen has gone.
    public private(set) weak var delegate: BridgeDelegate?
    public private(set) weak var destination: (any BridgeDestination)?
    /// The bridge that the first message came through.
    private weak var bridge: Bridge?
    private var receivedMessages: [String: Message] = [:]
    /// What the received messages count for.
    private var counted: (bytes: Int, in: MemoryShare)?

    public required init(destination: any BridgeDestination, delegate: BridgeDelegate) {
        self.destination = destination
        self.delegate = delegate
        bridge = delegate.bridge
    }

    deinit {
        if let counted { counted.in.release(counted.bytes) }
    }

    /// What the user sees of the component, as `app.state` reports it; nil if it shows nothing. (Not in
    /// hotwire-native-ios.)
    open var state: JSONValue? { nil }

    // MARK: For subclasses

    /// Handles a message. A component may reply to it any number of times, now or later.
    open func onReceive(message: Message) {}

    open func onViewDidLoad() {}
    open func onViewWillAppear() {}
    open func onViewDidAppear() {}
    open func onViewWillDisappear() {}
    open func onViewDidDisappear() {}

    // MARK: Messages

    /// Returns the last message with that event; nil if no such message has come.
    public func receivedMessage(for event: String) -> Message? { receivedMessages[event] }

    /// Replies with a received message, or with a copy of it made by `replacing`.
    ///
    /// The page's callback runs later, never before this returns.
    /// - Returns: whether the reply was sent. If not, a `problem` record says why.
    @discardableResult
    public func reply(with message: Message) -> Bool {
        guard let bridge, bridge.delegate === delegate, delegate != nil else {
            reportLostReply(message.event, "no web view shows its screen.")
            return false
        }
        return bridge.reply(with: message)
    }

    /// Replies to the last message of an event with the message's own data.
    @discardableResult
    public func reply(to event: String) -> Bool { reply(to: event) { $0 } }

    /// Replies to the last message of an event.
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
            reportLostReply(event, "no such message came, or the component was dropped since then.")
            return false
        }
        do {
            return reply(with: try change(message))
        } catch {
            reportLostReply(event, "its data cannot be encoded: \(error)")
            return false
        }
    }

    private func reportLostReply(_ event: String, _ why: String) {
        bridge?.reportLostReply(type(of: self).name, event, why, page: receivedMessages[event]?.page)
    }

    /// How many bytes are counted for the component after it receives that message.
    func size(with message: Message) -> Int { (counted?.bytes ?? 0) + growth(with: message) }

    /// Counts a message that the component is about to receive, in place of the last one of its event.
    /// - Returns: false if there is no room.
    func count(_ message: Message, in memory: MemoryShare) -> Bool {
        let growth = growth(with: message)
        guard growth <= 0 || memory.take(growth) else { return false }
        if growth < 0 { memory.release(-growth) }
        counted = ((counted?.bytes ?? 0) + growth, memory)
        return true
    }

    private func growth(with message: Message) -> Int {
        message.size - (receivedMessages[message.event]?.size ?? 0)
    }

    func didReceive(_ message: Message) {
        receivedMessages[message.event] = message
        onReceive(message: message)
    }
}

/// A screen that has components.
@MainActor public protocol BridgeDestination: AnyObject {}
