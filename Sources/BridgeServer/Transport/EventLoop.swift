internal import CWebsockets
internal import Dispatch
import Foundation
import Synchronization

/// Runs libwebsockets on one thread. `perform` runs a job on that thread, and `deliver` hands an event to the main
/// actor.
///
/// In the daemon, the loop runs on the main thread. It waits for the main dispatch queue together with the sockets, and
/// each event is handled as soon as it is read. If something else owns the main thread, such as a test runner, the loop
/// runs on a thread of its own and hands the events of each round to the main actor in one hop. The two placements
/// differ only in `perform` and `deliver`; other code does not depend on the placement.
///
/// @unchecked Sendable: `inbox` is protected by its lock; `context`, `livenessChecks`, `arrivals` and `hasDelivered`
/// are used only on the loop's thread; everything else is constant.
final class EventLoop: @unchecked Sendable {
    enum Placement: Sendable { case mainThread, ownThread }
    typealias Job = @Sendable (WebSocketContext) -> Void

    /// The number of bytes before a payload that `lws_write` may overwrite.
    static let headroom = bridged_lws_pre()

    private struct Inbox {
        var jobs: [Job] = []
        /// Not nil while the loop may be woken.
        var waiting: WakeableLoop?
        var isOpen = true
    }

    let configuration: TransportConfiguration
    let memory: MemoryBudget
    private let placement: Placement
    private let deliverToMain: @MainActor @Sendable (TransportEvent) -> Void
    private let inbox = Mutex(Inbox())
    /// Limits how many rounds may wait for the main actor before the loop stops reading. A loop on the main thread does
    /// not need it, because it reads nothing while events are handled.
    private let hops = DispatchSemaphore(value: 64)
    private(set) var context: WebSocketContext?
    private var livenessChecks: Task<Void, Never>?
    private var arrivals: [TransportEvent] = []
    /// Whether this round has delivered an event on the main thread.
    private var hasDelivered = false

    /// - Parameter deliver: called on the main actor with each event, in order.
    init(
        _ configuration: TransportConfiguration, _ memory: MemoryBudget, placement: Placement,
        deliver: @escaping @MainActor @Sendable (TransportEvent) -> Void
    ) {
        self.configuration = configuration
        self.memory = memory
        self.placement = placement
        deliverToMain = deliver
        memory.onExceeded { [weak self] in self?.perform { $0.relieveMemory() } }
    }

    /// The context, if the loop runs on the main thread.
    @MainActor var mainThreadContext: WebSocketContext? { placement == .mainThread ? context : nil }

    // MARK: Life

    /// Starts to listen and serves on the calling thread, which must be the main thread, until `stop`.
    @MainActor func runOnMainThread(listening: @MainActor (Listening) throws -> Void) throws {
        let context = try open()
        defer { shut() }
        try context.watchMainQueue()
        try listening(context.listening)
        context.run { self.endRound() }
    }

    /// Starts to listen and serves on a new thread until `stop`. Returns when connections are accepted.
    /// - Parameter stopped: called on that thread after all events have been handed over.
    func startOnOwnThread(stopped: @escaping @Sendable () -> Void) async throws -> Listening {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { [self] in
                let context: WebSocketContext
                do { context = try open() } catch { return continuation.resume(throwing: error) }
                continuation.resume(returning: context.listening)
                context.run { self.handOverArrivals() }
                shut()
                handOverArrivals()
                stopped()
            }
            thread.name = "bridged.loop"
            // Parsing JSON of 2,048 levels takes up to 2 MiB of stack; a thread on a Mac has 512 KiB by default.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Stops accepting connections, handles what clients have sent so far, closes every connection with 1001, and ends
    /// the loop when all are closed or `grace` is over.
    func stop(draining limit: Duration, grace: Duration) {
        perform { $0.beginStopping(draining: limit, grace: grace) }
    }

    private func open() throws -> WebSocketContext {
        let context = try WebSocketContext(loop: self)
        self.context = context
        let interval = configuration.limits.pongTimeout / Liveness.checksPerTimeout
        livenessChecks = Task { @MainActor [weak self] in
            var turn: UInt64 = 0
            while (try? await Task.sleep(for: interval / Int(ConnectionTable.shareCount))) != nil {
                self?.perform { [turn] in $0.checkLiveness(turn) }
                turn += 1
            }
        }
        let waiting = WakeableLoop(loop: context.uv)
        inbox.withLock { $0.waiting = waiting }
        return context
    }

    private func shut() {
        livenessChecks?.cancel()
        inbox.withLock { inbox in
            // The loop is about to be freed: no thread may wake it any more.
            inbox.waiting = nil
            inbox.isOpen = false
            inbox.jobs = []
        }
        context?.destroy()
        context = nil
    }

    // MARK: Into the loop

    /// Runs `job` on the loop's thread. A loop on the main thread runs it immediately, because all callers are on that
    /// thread; otherwise it runs soon. Does nothing after the loop has ended.
    func perform(_ job: @escaping Job) {
        switch placement {
        case .mainThread: performNow(job)
        case .ownThread:
            inbox.withLock { inbox in
                guard inbox.isOpen else { return }
                inbox.jobs.append(job)
                if inbox.jobs.count == 1 { inbox.waiting?.wake() }
            }
        }
    }

    /// Runs `job` with a connection, on the loop's thread as `perform(_:)` does. Does nothing if the connection has
    /// closed: the main actor has received `closed`, or will soon.
    func perform(on id: ConnectionID, _ job: @escaping @Sendable (Connection) -> Void) {
        switch placement {
        case .mainThread: performNow { context in context.connections[id].map(job) }
        case .ownThread: perform { context in context.connections[id].map(job) }
        }
    }

    private func performNow(_ job: (WebSocketContext) -> Void) {
        dispatchPrecondition(condition: .onQueue(.main))
        if let context { job(context) }
    }

    /// Runs `job` after the main actor has handled every event delivered so far. Called on the loop's thread.
    func performWhenHandled(_ job: @escaping Job) {
        switch placement {
        case .mainThread: perform(job)
        case .ownThread: Task { @MainActor in self.perform(job) }
        }
    }

    /// Runs the jobs that `perform` has queued. Called on the loop's thread.
    func runJobs() {
        let jobs = inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        guard let context else { return }
        for job in jobs { job(context) }
    }

    // MARK: Out of the loop

    /// Hands `event` to the main actor: immediately if the loop runs on the main thread, otherwise together with the
    /// other events of this round. Called on the loop's thread.
    func deliver(_ event: TransportEvent) {
        switch placement {
        case .mainThread:
            hasDelivered = true
            MainActor.assumeIsolated { deliverToMain(event) }
        case .ownThread: arrivals.append(event)
        }
    }

    /// Ends a round of the loop on the main thread.
    /// - Returns: whether the round delivered an event.
    private func endRound() -> Bool {
        guard hasDelivered else { return false }
        hasDelivered = false
        MainActor.assumeIsolated { deliverToMain(.roundEnded) }
        return true
    }

    /// Ends a round of the loop on its own thread: hands its events to the main actor in one hop. Waits if the main
    /// actor is too far behind.
    /// - Returns: whether the round delivered an event.
    @discardableResult private func handOverArrivals() -> Bool {
        guard !arrivals.isEmpty else { return false }
        let events = arrivals
        arrivals = []
        hops.wait()
        // A task rather than a block on the main queue: code that handlers call may check which executor it runs on.
        Task { @MainActor [hops, deliverToMain] in
            for event in events { deliverToMain(event) }
            deliverToMain(.roundEnded)
            hops.signal()
        }
        return true
    }
}

extension EventLoop: ChannelTransport {
    func writeAfterRound(_ id: ConnectionID) { perform(on: id) { $0.writeAfterRound() } }

    func setReading(_ id: ConnectionID, _ isReading: Bool) { perform(on: id) { $0.setReading(isReading) } }

    func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
        perform(on: id) { $0.close(code, reason) }
    }
}

/// A loop that any thread may wake.
///
/// @unchecked Sendable: `UVLoop.wake`, the only method called here, may be called on any thread.
private struct WakeableLoop: @unchecked Sendable {
    let loop: UVLoop

    func wake() { loop.wake() }
}
