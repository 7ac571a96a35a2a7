import BridgeProtocol

/// The requests that wait until the daemon knows something: whether a name is this machine's, or which daemon of a
/// cluster has a page. What they hold counts as memory that clients use. On the main actor.
@MainActor final class WaitingRequests {
    /// Why a request waits no longer, although nothing is known.
    enum End: Error {
        /// There is no room for what it holds.
        case noRoom
        case daemonStops
    }

    @MainActor private final class Wait<Answer> {
        var number = 0
        var bytes = 0
        /// Holds the request's body.
        let then: Once<Result<Answer, End>>

        init(_ then: @escaping @MainActor (Result<Answer, End>) -> Void) { self.then = Once(then) }
    }

    /// The memory of a request beside its body.
    private static let overhead = 4_096

    private let memory: MemoryShare
    private var lastNumber = 0
    /// Ends each wait without an answer, by its number.
    private var waiting: [Int: @MainActor (End) -> Void] = [:]

    init(memory: MemoryShare) { self.memory = memory }

    /// What a refusal says if there is no room.
    var fullness: String { "requests that wait may have \(memory.limit) bytes" }

    /// Whether there is room for a request that holds so many bytes.
    func hasRoom(for bytes: Int) -> Bool { memory.bytes + bytes + Self.overhead <= memory.limit }

    /// Asks for something, and lets a request wait for the answer.
    /// - Parameters:
    ///   - bytes: how many the request holds.
    ///   - ask: calls its parameter with the answer, at once or later. It must not hold the request.
    ///   - then: is called once. It holds the request.
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

    /// Waits for the answers that come soon, and ends the other waits, because the daemon stops.
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
