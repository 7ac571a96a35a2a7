import BridgeProtocol

/// The requests of a document to the daemon that have no result, in order. It does no I/O.
struct PageQuestions {
    typealias Completion = @MainActor (Result<JSON, RPCError>) -> Void

    private struct Question {
        let frame: [UInt8]
        /// Whether it is sent again if the connection breaks before its result comes.
        let isRepeated: Bool
        let asked: ContinuousClock.Instant
        let completion: Completion
        var isSent = false
    }

    private var questions: [Int: Question] = [:]
    private var last = 0

    var count: Int { questions.count }
    var isEmpty: Bool { questions.isEmpty }

    /// Returns the frame of a request with the next id.
    func frame(_ call: some MethodCall) -> [UInt8] {
        var writer = JSONWriter()
        writer.call(call, id: .string("r\(last + 1)"))
        return writer.bytes
    }

    /// Keeps the request whose frame was just made.
    mutating func add(
        _ frame: [UInt8], isRepeated: Bool, isSent: Bool, at time: ContinuousClock.Instant,
        completion: @escaping Completion
    ) {
        last += 1
        questions[last] = Question(
            frame: frame, isRepeated: isRepeated, asked: time, completion: completion, isSent: isSent)
    }

    /// The frames to send on a new connection: those that were not sent before, and those that are repeated.
    mutating func send() -> [[UInt8]] {
        for number in questions.keys { questions[number]?.isSent = true }
        return questions.sorted { $0.key < $1.key }.map(\.value.frame)
    }

    /// Removes the request with this id.
    mutating func take(_ id: String) -> Completion? {
        guard id.hasPrefix("r"), let number = Int(id.dropFirst()) else { return nil }
        return questions.removeValue(forKey: number)?.completion
    }

    /// Notes that the connection broke, and removes the requests that are not repeated.
    mutating func disconnect() -> [Completion] {
        let lost = remove { $0.isSent && !$0.isRepeated }
        for number in questions.keys { questions[number]?.isSent = false }
        return lost
    }

    /// Removes the requests that the daemon would refuse.
    mutating func takeRefused(_ limits: FrameLimits) -> [Completion] {
        remove { limits.objection(to: $0.frame) != nil }
    }

    /// Removes the requests that were made before a time.
    mutating func take(before time: ContinuousClock.Instant) -> [Completion] { remove { $0.asked <= time } }

    mutating func takeAll() -> [Completion] { remove { _ in true } }

    private mutating func remove(_ isMeant: (Question) -> Bool) -> [Completion] {
        let found = questions.filter { isMeant($0.value) }.sorted { $0.key < $1.key }
        for (number, _) in found { questions[number] = nil }
        return found.map(\.value.completion)
    }
}
