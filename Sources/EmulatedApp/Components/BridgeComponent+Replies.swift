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
