/// The messages that a page posts, and what the daemon says of them (`web/bridge/outbox.js`).
extension SimulatedPage {
    func post(to handler: HandlerName) {
        seq += 1
        let message = Message(seq: seq, number: invariants.posted(by: self, seq: seq, handler), handler: handler)
        kept.append(message)
        if handler.replies { waiting.append(message) }
        add(Wire.post(message))
    }

    func add(_ text: [UInt8], isResponse: Bool = false) {
        if isAttached || isLeaving { ready.append((text, isResponse)) }
    }

    var mayFlush: Bool { call == nil && !ready.isEmpty && (isAttached || isLeaving) }

    func flush() {
        guard mayFlush else { return }
        let frames = ready
        ready = []
        if isAttached { send(frames.map(\.text)) }
        guard isLeaving, state != .kept else { return }
        sendBeacon(responses: isAttached ? [] : frames.filter(\.isResponse).map(\.text))
    }

    private func send(_ frames: [[UInt8]]) {
        for start in stride(from: 0, to: frames.count, by: 8) {
            let frame = Wire.batch(frames[start..<min(frames.count, start + 8)])
            lastFrame = frame
            connection?.send(.text(frame))
        }
    }

    func acknowledge(_ seq: Int) {
        while let first = kept.first, first.seq <= seq {
            kept.removeFirst()
            invariants.toldPage(first.number)
            if !first.handler.replies { invariants.settled(first.number, .fulfilled) }
        }
        endLingering()
    }

    func settle(_ seq: Int, _ end: MessageEnd) {
        guard let index = waiting.firstIndex(where: { $0.seq == seq }) else { return }
        // The message itself is kept until it is acknowledged: its record may not be in the log yet.
        invariants.settled(waiting.remove(at: index).number, end)
        endLingering()
    }

    func attached(resumed: Bool, _ run: Int, _ lastSeq: Int) {
        if metRun.map({ $0 != run }) ?? false || hasUnnamed { return disconnect(nil) }
        let hasSession = resumed
        // If the answer to an earlier `page.attach` was lost, the session is new to this document.
        let resumed = resumed && run == self.run
        self.run = run
        isKnown = true
        isAttached = true
        if !resumed { evaluator.forget() }
        // What an earlier run has acknowledged gets no reply. This one answers for what it acknowledges now.
        if !resumed { failAcknowledged(hasSession: hasSession) }
        acknowledge(lastSeq)
        ready = ready.filter(\.isResponse)
        if mistake == .renumbersMessages { renumber() }
        for message in kept { add(Wire.post(message)) }
        if state == .lingering { flush() }
    }

    /// Rejects what a handler got that is not known any more. What is still kept is sent again.
    /// - Parameter hasSession: whether the daemon continues a session, so that its replies come.
    func failAcknowledged(hasSession: Bool) {
        let oldest = kept.first?.seq ?? .max
        for message in waiting where message.seq < oldest {
            if hasSession, invariants.isHandledInThisRun(message.number), !isLiar {
                invariants.violate(.ends, "\(invariants.name(message.number)) fails, and its reply comes")
            }
            invariants.settled(message.number, .failed)
        }
        waiting.removeAll { $0.seq < oldest }
    }

    private func renumber() {
        kept = kept.map { message in
            seq += 1
            return Message(seq: seq, number: message.number, handler: message.handler)
        }
    }
}
