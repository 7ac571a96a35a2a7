import BridgeProtocol

/// The answers to the latest evaluations. A daemon that did not get an answer repeats its request.
struct AnsweredEvaluations {
    private static let limit = 512
    private static let byteLimit = 64 << 20
    private var bytes = 0
    private var frames: [RequestID: [UInt8]?] = [:]
    private var order: [RequestID] = []

    func contains(_ id: RequestID) -> Bool { frames[id] != nil }

    subscript(id: RequestID) -> [UInt8]? { frames[id] ?? nil }

    mutating func begin(_ id: RequestID) {
        frames[id] = .some(nil)
        order.append(id)
        forget()
    }

    mutating func finish(_ id: RequestID, _ frame: [UInt8]) {
        guard frames[id] != nil else { return }
        frames[id] = frame
        bytes += frame.count
        forget()
    }

    /// Forgets the oldest ones if there are too many.
    private mutating func forget() {
        while order.count > AnsweredEvaluations.limit || (bytes > AnsweredEvaluations.byteLimit && order.count > 1) {
            let oldest = frames.removeValue(forKey: order.removeFirst()) ?? nil
            bytes -= oldest?.count ?? 0
        }
    }
}
