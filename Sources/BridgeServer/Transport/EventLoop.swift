internal import CWebsockets
internal import Dispatch
import Foundation
import Synchronization

/// The one thread that calls libwebsockets, and the way to and from it.
///
/// In the daemon that thread is the main thread: the loop polls the main queue's descriptor beside the sockets, and
/// what arrives is handled right where it is read. Where somebody else owns the main thread, the loop runs on a
/// thread of its own, and hands what arrived in one round over to the main actor in one hop. The two differ in
/// `perform` and `deliver` alone; nothing above the loop knows which it is.
///
/// @unchecked Sendable: `inbox` is behind its lock; `service`, `watch`, `arrivals` and `hasDelivered` are touched by the
/// loop's thread alone; all else is constant.
final class EventLoop: @unchecked Sendable {
    enum Placement: Sendable { case mainThread, ownThread }
    typealias Job = @Sendable (WebSocketContext) -> Void

    /// The bytes that `lws_write` overwrites before a payload.
    static let headroom = bridged_lws_pre()

    private struct Inbox {
        var jobs: [Job] = []
        /// Set while `lws_cancel_service` may be called.
        var context: WakeablePointer?
        var isOpen = true
    }

    let configuration: TransportConfiguration
    private let placement: Placement
    private let deliverToMain: @MainActor @Sendable (TransportEvent) -> Void
    private let inbox = Mutex(Inbox())
    /// How many rounds may wait for the main actor before the loop stops reading, as it does by itself on the main
    /// thread.
    private let hops = DispatchSemaphore(value: 64)
    private(set) var service: WebSocketContext?
    /// Looks for broken connections.
    private var watch: Task<Void, Never>?
    private var arrivals: [TransportEvent] = []
    /// Whether this round told the main thread of anything.
    private var hasDelivered = false

    /// - Parameter deliver: is called on the main actor with each event, in order.
    init(
        _ configuration: TransportConfiguration, placement: Placement,
        deliver: @escaping @MainActor @Sendable (TransportEvent) -> Void
    ) {
        self.configuration = configuration
        self.placement = placement
        deliverToMain = deliver
    }

    // MARK: Life

    /// Listens, then serves on the calling thread, which must be the main thread, until `stop`.
    @MainActor func runOnMainThread(listening: @MainActor (Listening) throws -> Void) throws {
        let service = try open()
        defer { shut() }
        try service.adoptMainQueue()
        try listening(service.listening)
        try service.run { self.endRound() }
    }

    /// Listens, then serves on a thread of its own until `stop`. The end is reported from that thread, after all that
    /// went before it was handed over: nil, or why the loop could not go on.
    func startOnOwnThread(stopped: @escaping @Sendable ((any Error)?) -> Void) async throws -> Listening {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { [self] in
                let service: WebSocketContext
                do { service = try open() } catch { return continuation.resume(throwing: error) }
                continuation.resume(returning: service.listening)
                var failure: (any Error)?
                do { try service.run { self.handOverArrivals() } } catch { failure = error }
                shut()
                handOverArrivals()
                stopped(failure)
            }
            thread.name = "bridged.loop"
            // JSON of 2,048 levels takes up to 2 MiB; a Mac's threads have half of one.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Stops accepting, handles what was sent, says 1001 to every connection, and ends the loop when they are gone or
    /// `grace` is over.
    func stop(draining limit: Duration, grace: Duration) {
        perform { $0.beginStopping(draining: limit, grace: grace) }
    }

    private func open() throws -> WebSocketContext {
        let service = try WebSocketContext(loop: self)
        self.service = service
        watch = Task { @MainActor [weak self, interval = configuration.limits.pongTimeout / Liveness.looks] in
            var turn: UInt64 = 0
            while (try? await Task.sleep(for: interval / Int(WebSocketContext.livenessShares))) != nil {
                self?.perform { [turn] in $0.checkLiveness(turn) }
                turn += 1
            }
        }
        let context = WakeablePointer(context: service.context)
        inbox.withLock { $0.context = context }
        return service
    }

    private func shut() {
        watch?.cancel()
        inbox.withLock { inbox in
            // From here on nobody wakes a context that is about to be freed.
            inbox.context = nil
            inbox.isOpen = false
            inbox.jobs = []
        }
        service?.destroy()
        service = nil
    }

    // MARK: Into the loop

    /// Runs `job` on the loop's thread: at once where that is the main thread, which all callers are on, else soon.
    /// After the loop's end it does nothing.
    func perform(_ job: @escaping Job) {
        switch placement {
        case .mainThread:
            dispatchPrecondition(condition: .onQueue(.main))
            if let service { job(service) }
        case .ownThread:
            inbox.withLock { inbox in
                guard inbox.isOpen else { return }
                inbox.jobs.append(job)
                if inbox.jobs.count == 1 { inbox.context?.wake() }
            }
        }
    }

    /// Runs `job` once the main actor has had all that was delivered before, and has sent what follows from it. On the
    /// loop's thread.
    func performWhenHandled(_ job: @escaping Job) {
        switch placement {
        case .mainThread: perform(job)
        case .ownThread: Task { @MainActor in self.perform(job) }
        }
    }

    /// Ends the loop's wait, so that it looks at its deadline. From any thread.
    func wake() {
        inbox.withLock { $0.context?.wake() }
    }

    /// Runs what `perform` has queued. On the loop's thread.
    func runJobs() {
        let jobs = inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        guard let service else { return }
        for job in jobs { job(service) }
    }

    // MARK: Out of the loop

    /// Hands `event` to the main actor: at once where this is the main thread, else with all that this round brings.
    /// On the loop's thread.
    func deliver(_ event: TransportEvent) {
        switch placement {
        case .mainThread:
            hasDelivered = true
            MainActor.assumeIsolated { deliverToMain(event) }
        case .ownThread: arrivals.append(event)
        }
    }

    /// On the main thread, after each round of the loop.
    /// - Returns: whether it brought anything.
    private func endRound() -> Bool {
        guard hasDelivered else { return false }
        hasDelivered = false
        MainActor.assumeIsolated { deliverToMain(.roundEnded) }
        return true
    }

    /// One hop for all that arrived in one round of the loop. Waits while the main actor is too far behind.
    /// - Returns: whether it brought anything.
    @discardableResult private func handOverArrivals() -> Bool {
        guard !arrivals.isEmpty else { return false }
        let events = arrivals
        arrivals = []
        hops.wait()
        // A task and no bare block of the main queue: code that handlers call may ask which executor it is on.
        Task { @MainActor [hops, deliverToMain] in
            for event in events { deliverToMain(event) }
            deliverToMain(.roundEnded)
            hops.signal()
        }
        return true
    }
}

/// A context as other threads may know it.
///
/// @unchecked Sendable: `lws_cancel_service` is the one function that may be called from any thread, and nothing else
/// is called here.
private struct WakeablePointer: @unchecked Sendable {
    let context: OpaquePointer

    func wake() { lws_cancel_service(context) }
}
