import BridgeProtocol

/// The answers to the latest evaluations. A daemon that did not get an answer repeats its request.
struct AnsweredEvaluations {
    private static let limit = 512
    private var frames: [RequestID: [UInt8]?] = [:]
    private var order: [RequestID] = []

    func contains(_ id: RequestID) -> Bool { frames[id] != nil }

    subscript(id: RequestID) -> [UInt8]? { frames[id] ?? nil }

    mutating func begin(_ id: RequestID) {
        frames[id] = .some(nil)
        order.append(id)
        if order.count > AnsweredEvaluations.limit { frames[order.removeFirst()] = nil }
    }

    mutating func finish(_ id: RequestID, _ frame: [UInt8]) {
        if frames[id] != nil { frames[id] = frame }
    }
}
