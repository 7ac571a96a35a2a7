import BridgeServer

/// Why a component could not reply; see hotwire-native-ios, `BridgeComponentError`.
public enum BridgeComponentError: Error {
    /// The component's screen has gone.
    case delegateNil
}

/// The native half of a bridge component, which receives the messages of its web half and replies to them.
///
/// It is declared as in hotwire-native-ios, so the code of an app's component compiles unless it needs UIKit.
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
/// A screen makes its component when it receives the first message with that name. The component lives as long as the
/// screen. To tell tools what the component shows and what its user can do, adopt ``EmulatedComponent``.
@MainActor open class BridgeComponent {
    public typealias ReplyCompletionHandler = (Result<Bool, any Error>) -> Void

    /// The name that the web half uses, such as `form`.
    open nonisolated class var name: String { "" }

    /// The delegate of the component's screen; nil after the screen has gone.
    public weak var delegate: (any BridgingDelegate)?
    /// The bridge that the first message came through.
    private weak var bridge: Bridge?
    private var receivedMessages: [String: Message] = [:]
    /// What the component does that is declared rather than written in Swift.
    private(set) lazy var declaredParts = DeclaredParts(of: self)
    /// The bytes that are counted for the received messages, and where.
    private var counted: (bytes: Int, in: MemoryShare)?

    public required init(destination: any BridgeDestination, delegate: any BridgingDelegate) {
        self.delegate = delegate
        bridge = (delegate as? BridgeDelegate)?.bridge
    }

    deinit {
        if let counted { counted.in.release(counted.bytes) }
    }

    /// The name under which the app has the component.
    var componentName: String { type(of: self).name }

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

    /// Stores a message for `receivedMessage(for:)`, and passes it to `onReceive(message:)`.
    public func didReceive(message: Message) {
        receivedMessages[message.event] = message
        onReceive(message: message)
    }

    /// Stores a message, and does what is declared for it in place of `onReceive(message:)`.
    func didReceive(_ message: Message, respondingWith response: ComponentResponse) {
        receivedMessages[message.event] = message
        declaredParts.respond(response, to: message)
    }

    /// Stores a message that something else answers.
    func keep(_ message: Message) { receivedMessages[message.event] = message }

    /// The events of which a message has come.
    var receivedEvents: [String] { receivedMessages.keys.sorted() }

    /// Returns the message to reply to; nil if there is none, which a `problem` record reports.
    private func messageToReply(to event: String) -> Message? {
        let message = receivedMessage(for: event)
        if message == nil { reportLostReply(event, "no such message came, or the component was dropped since then.") }
        return message
    }

    func reportLostReply(_ event: String, _ why: String) {
        bridge?.reportLostReply(componentName, event, why, page: receivedMessages[event]?.page)
    }

    // MARK: Memory

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
}

/// The calls of the component's screen, which a test of a component can make as well.
extension BridgeComponent {
    public func viewDidLoad() { onViewDidLoad() }
    public func viewWillAppear() { onViewWillAppear() }
    public func viewDidAppear() { onViewDidAppear() }
    public func viewWillDisappear() { onViewWillDisappear() }
    public func viewDidDisappear() { onViewDidDisappear() }
}

/// A component's replies, in the two forms of hotwire-native-ios.
///
/// Each form sends the reply at once. The `async` one returns, and the completion handler is called, when the page has
/// taken the reply: with true, or with false if there was nothing to reply to or no page to reply to. They throw, or
/// fail, if the page's script throws. If a reply does not reach the page, a `problem` record says why.
extension BridgeComponent {
    /// Replies with a received message, or with a copy of it made by `replacing`.
    @discardableResult
    public func reply(with message: Message) async throws -> Bool {
        guard let delegate else {
            reportLostReply(message.event, "its screen has gone.")
            return false
        }
        return try await delegate.reply(with: message)
    }

    public func reply(with message: Message, completion: ReplyCompletionHandler? = nil) {
        guard let delegate else {
            reportLostReply(message.event, "its screen has gone.")
            return finish(completion, .failure(BridgeComponentError.delegateNil))
        }
        // Sent without a new task, because tasks could send two replies in the wrong order.
        if let delegate = delegate as? BridgeDelegate { return delegate.send(message) { completion?($0) } }
        Task {
            do {
                completion?(.success(try await delegate.reply(with: message)))
            } catch {
                completion?(.failure(error))
            }
        }
    }

    /// Replies to the last message of an event with the message's own data.
    @discardableResult
    public func reply(to event: String) async throws -> Bool {
        guard let message = messageToReply(to: event) else { return false }
        return try await reply(with: message)
    }

    public func reply(to event: String, completion: ReplyCompletionHandler? = nil) {
        reply(with: messageToReply(to: event), completion)
    }

    /// Replies to the last message of an event.
    /// - Parameter jsonData: the JSON text of an object.
    @discardableResult
    public func reply(to event: String, with jsonData: String) async throws -> Bool {
        guard let message = messageToReply(to: event) else { return false }
        return try await reply(with: message.replacing(jsonData: jsonData))
    }

    public func reply(to event: String, with jsonData: String, completion: ReplyCompletionHandler? = nil) {
        reply(with: messageToReply(to: event)?.replacing(jsonData: jsonData), completion)
    }

    @discardableResult
    public func reply<T: Encodable>(to event: String, with data: T) async throws -> Bool {
        guard let message = messageToReply(to: event) else { return false }
        return try await reply(with: message.replacing(data: data))
    }

    public func reply<T: Encodable>(to event: String, with data: T, completion: ReplyCompletionHandler? = nil) {
        reply(with: messageToReply(to: event)?.replacing(data: data), completion)
    }

    private func reply(with message: Message?, _ completion: ReplyCompletionHandler?) {
        guard let message else { return finish(completion, .success(false)) }
        reply(with: message, completion: completion)
    }

    /// Calls the handler later, so that the caller has always returned before.
    private func finish(_ completion: ReplyCompletionHandler?, _ result: Result<Bool, any Error>) {
        Task { completion?(result) }
    }
}
