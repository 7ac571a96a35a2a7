import BridgeProtocol

/// Calls of interface objects (`web/bridge/interfaces.js`).
extension SimulatedPage {
    /// Calls a method, and is blocked until the call ends. The request also has the messages that are not acknowledged.
    func callObject() {
        seq += 1
        calledSeq = seq
        hasNamedPrevious = !isKnown && previous != nil
        let message = Message(seq: seq, number: invariants.posted(by: self, seq: seq, .object), handler: .object)
        call = message
        isCallRetried = false
        let parts = Wire.call(self, message)
        partsLeft = parts.count
        sendCall(SimulatedCall(page: self, message: message, parts: parts[...]))
    }

    /// A part without a call was accepted.
    func received(of run: Int, thenSend rest: SimulatedCall) {
        guard call?.seq == rest.message.seq, state == .shown, rest.parts.count < partsLeft else { return }
        partsLeft = rest.parts.count
        meet(run)
        sendCall(rest)
    }

    /// - Parameter isKept: whether the response says that all records are kept.
    func received(_ answer: [UInt8]?, isKept: Bool, to message: Message, of run: Int) {
        guard call?.seq == message.seq, state == .shown else { return }
        call = nil
        meet(run)
        guard let value = answer.flatMap({ try? JSON.parse($0) })?["result"]?["value"]?.wholeNumber else {
            // The answer to a second request is not kept if the page's session has ended since.
            if !isCallRetried, !isLiar {
                invariants.violate(.result, "\(invariants.name(message.number)) returned an error")
            }
            return invariants.settled(message.number, .failed)
        }
        if value != message.number, !isLiar {
            invariants.violate(.result, "\(invariants.name(message.number)) returned \(value)")
        }
        if isKept {
            acknowledge(message.seq)
            invariants.toldPage(message.number)
        }
        invariants.settled(message.number, .fulfilled)
    }

    /// A run of the daemon knows the document. Another one has none of the earlier requests and replies.
    private func meet(_ run: Int) {
        isKnown = true
        metRun = run
        guard run != self.run else { return }
        self.run = run
        evaluator.forget()
        failAcknowledged(hasSession: false)
        // The connection is one to an earlier run.
        if isAttached { disconnect(nil) }
    }

    /// The request or its response got lost. The page gets an exception.
    /// - Parameter failed: the call; nil for any.
    func failCall(_ failed: Message?) {
        guard let message = call, failed.map({ $0.seq == message.seq }) ?? true else { return }
        call = nil
        invariants.lostCall(with: kept.map(\.number) + [message.number])
        invariants.settled(message.number, .failed)
    }
}

/// The bodies of `POST /call`, one after the other. The last one has the call.
struct SimulatedCall {
    let page: SimulatedPage
    let message: SimulatedPage.Message
    var parts: ArraySlice<[UInt8]>
}
