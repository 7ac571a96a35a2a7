import BridgeProtocol

/// The requests that wait for the resolver, which says whether a name is this machine's, or for Redis, which says which
/// daemon of a cluster owns a page. Their memory is counted. On the main actor.
@MainActor final class WaitingRequests {
    /// Why a wait has ended without an answer.
    enum End: Error {
        /// There is no room for the request's memory.
        case noRoom
        case daemonStops
    }

    @MainActor private final class Wait<Answer> {
        var number = 0
        var bytes = 0
        /// It retains the request's body.
        let then: Once<Result<Answer, End>>

        init(_ then: @escaping @MainActor (Result<Answer, End>) -> Void) { self.then = Once(then) }
    }

    /// The memory of a request beside its body.
    private static let overhead = 4_096

    private let memory: MemoryShare
    private var lastNumber = 0
    /// Closures that end each wait without an answer, by the wait's number.
    private var waiting: [Int: @MainActor (End) -> Void] = [:]

    init(memory: MemoryShare) { self.memory = memory }

    /// The reason in a refusal if there is no room.
    var fullness: String { "requests that wait may have \(memory.limit) bytes" }

    /// Whether there is room for a request that holds so many bytes.
    func hasRoom(for bytes: Int) -> Bool { memory.bytes + bytes + Self.overhead <= memory.limit }

    /// Asks the resolver or Redis a question, and lets a request wait for the answer.
    /// - Parameters:
    ///   - bytes: the memory of the request.
    ///   - ask: calls its parameter with the answer, at once or later. It must not retain the request.
    ///   - then: is called once. It retains the request.
    func wait<Answer>(
        holding bytes: Int, ask: (@escaping @MainActor (Answer) -> Void) -> Void,
        then: @escaping @MainActor (Result<Answer, End>) -> Void
    ) {
        let wait = Wait(then)
        ask { [self] answer in end(wait, .success(answer)) }
        guard wait.then.isPending else { return }
        guard memory.take(bytes + Self.overhead) else { return end(wait, .failure(.noRoom)) }
        wait.bytes = bytes + Self.overhead
        lastNumber += 1
        wait.number = lastNumber
        waiting[wait.number] = { [self] reason in end(wait, .failure(reason)) }
    }

    private func end<Answer>(_ wait: Wait<Answer>, _ result: Result<Answer, End>) {
        guard wait.then.isPending else { return }
        waiting[wait.number] = nil
        wait.then(result)
        memory.release(wait.bytes)
    }

    // MARK: Stopping

    /// Waits a moment for answers, and then ends the remaining waits, because the daemon stops.
    func finish(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while !waiting.isEmpty, .now < end {
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { break }
        }
        endAll()
    }

    func endAll() {
        for number in waiting.keys.sorted() { waiting[number]?(.daemonStops) }
    }
}
