import BridgeProtocol

/// Sends the outcomes of messages to the page that posted them.
extension PageSession {
    /// Sends the outcome of a message to the page that posted it.
    func send(_ outcome: PostOutcome, of message: PostMessage, id: RequestID?) {
        switch outcome {
        case .handled(let verdict, _):
            if let error = verdict.error(about: message) {
                sendWhenConfirmed { $0.error(id: .null, error) }
            }
            if let id { sendReply(to: message.seq) { $0.valueResult(id: id, .undefined) } }
        case .settled(.success(let value)): sendReply(to: message.seq) { $0.valueResult(id: id ?? .null, value) }
        case .settled(.failure(let error)): sendReply(to: message.seq) { $0.error(id: id ?? .null, error) }
        }
    }

    /// Sends a reply now, and keeps it in case the connection breaks before it arrives.
    private func sendReply(to seq: Int, _ write: (inout JSONWriter) -> Void) {
        guard state.presence != .gone else { return }
        var writer = JSONWriter()
        write(&writer)
        let bytes = writer.bytes
        keep(bytes, to: seq)
        sendWhenConfirmed { $0.raw(bytes) }
    }

    /// Keeps a reply, if there is room.
    func keep(_ reply: [UInt8], to seq: Int) {
        guard state.presence != .gone, documents.delivery.memory.take(ReplyCache.size(of: reply)) else { return }
        let dropped = replyCache.add(reply, to: seq)
        documents.delivery.memory.release(dropped.bytes)
        note(.replied(seq: seq, reply: reply, dropped: dropped.seqs))
    }

    /// Sends the replies that a document has missed. A reply that the handler has not given yet is sent later. A reply
    /// that is not kept any more is replaced by an error.
    /// - Parameter waiting: the messages that the page named.
    func sendRepliesAgain(to waiting: [Int], on channel: Channel) {
        guard !waiting.isEmpty else { return }
        let missed = Set(waiting.filter { $0 <= state.lastSeq })
        let replies = replyCache.replies(to: missed)
        sendAgain(replies[...], forgotten: missed.subtracting(replies.map(\.seq)).sorted()[...], on: channel)
    }

    /// Sends replies as fast as the page reads them. There may be more of them than may wait for a page.
    private func sendAgain(
        _ replies: ArraySlice<(seq: Int, bytes: [UInt8])>, forgotten: ArraySlice<Int>, on channel: Channel
    ) {
        // A page that has attached again since has asked for all replies that it still misses.
        guard self.channel === channel else { return }
        var (replies, forgotten) = (replies, forgotten)
        while !channel.isCrowded {
            if let (_, bytes) = replies.popFirst() {
                channel.send { $0.raw(bytes) }
            } else if let seq = forgotten.popFirst() {
                if !page.owedReplies.contains(seq) { channel.send { $0.error(id: RequestID(seq), .forgottenReply) } }
            } else {
                return
            }
        }
        documents.deadlines.schedule(after: .milliseconds(20)) { [weak self, replies, forgotten] in
            self?.sendAgain(replies, forgotten: forgotten, on: channel)
        }
    }

    /// The response that the message with this number got, or an error if it is not kept any more.
    func cachedReply(to seq: Int, id: RequestID) -> [UInt8] {
        if let reply = replyCache.replies(to: [seq]).first { return reply.bytes }
        var writer = JSONWriter()
        writer.error(id: id, .forgottenReply)
        return writer.bytes
    }
}

extension RPCError {
    fileprivate static let forgottenReply = RPCError(
        .queueFull, "The reply was lost with the connection, and the daemon keeps only the latest ones.",
        data: ["limit": .number(Double(ReplyCache.limits.messages))])
}
