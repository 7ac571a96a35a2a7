import BridgeProtocol

/// How a document ends (`web/bridge/departure.js`).
extension SimulatedPage {
    /// `pagehide`: everything that is not acknowledged goes by beacon.
    /// - Returns: what the next document of the tab names as `previous`.
    func leave() -> AttachPage.Previous {
        flush()
        isLeaving = true
        sendBeacon(responses: [])
        return AttachPage.Previous(document: document, seq: seq)
    }

    func sendBeacon(responses: [[UInt8]]) {
        guard !kept.isEmpty || !responses.isEmpty else { return }
        sendBeacon(
            Beacon(
                body: Wire.beacon(self, kept.map { Wire.post($0, asNotification: true) } + responses),
                messages: kept.map(\.number), namesPrevious: !isKnown && previous != nil))
    }

    /// A script has removed the frame.
    func linger() {
        flush()
        state = .lingering
        endLingering()
    }

    func endLingering() {
        if state == .lingering, kept.isEmpty, waiting.isEmpty { disconnect(nil) }
    }

    /// The document is shown again, or has not unloaded.
    func stay() {
        flush()
        ready = []
        isLeaving = false
        state = .shown
    }
}

/// The body of a `POST /beacon`.
struct Beacon {
    let body: [UInt8]
    /// The numbers of its messages in the simulation; none for a liar's.
    let messages: [Int]
    /// Whether it names the document before its own, in case the daemon does not know its own.
    let namesPrevious: Bool
}
