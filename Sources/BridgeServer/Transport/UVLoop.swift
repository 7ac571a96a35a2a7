internal import CLibuv
import Foundation

/// A loop of libuv, in which libwebsockets' sockets and the main dispatch queue wait together. It waits with epoll or
/// kqueue, whose cost does not depend on the number of silent descriptors.
///
/// libwebsockets adds its own handles, through its plugin for libuv. All members belong to the thread that calls `run`,
/// except `wake`.
final class UVLoop {
    private typealias Handle = UnsafeMutablePointer<uv_handle_t>

    /// Called before each wait, when everything that ended the wait before has been handled.
    var beforeWait: () -> Void = {}
    /// Called after `wake`, perhaps once for several calls.
    var whenWoken: () -> Void = {}
    private var whenReadable: () -> Void = {}

    private let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    private let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
    private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    private let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    /// The handles that have been added to the loop.
    private var handles: [Handle] = []
    /// The polls of other libraries' descriptors.
    private var polls: [DescriptorPoll] = []

    /// - Throws: `TransportError` if the process cannot open the descriptors that the loop needs.
    init() throws {
        guard uv_loop_init(loop) == 0 else { throw UVLoop.tooManyFiles }
        uv_prepare_init(loop, prepare)
        own(prepare)
        uv_timer_init(loop, timer)
        own(timer)
        guard uv_async_init(loop, async, { UVLoop.of($0)?.whenWoken() }) == 0 else {
            finish()
            close()
            throw UVLoop.tooManyFiles
        }
        own(async)
        uv_prepare_start(prepare) { UVLoop.of($0)?.prepareWait() }
    }

    private static let tooManyFiles = TransportError(
        .libraryFailed, "libuv could not create its loop. The process probably has too many files open (ulimit -n).")

    /// The loop as libwebsockets expects it in `foreign_loops`.
    var foreignLoop: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(loop) }

    // MARK: Running

    /// Runs until `stop`.
    func run() { uv_run(loop, UV_RUN_DEFAULT) }

    /// Makes `run` return after this iteration.
    func stop() { uv_stop(loop) }

    /// Ends the wait and calls `whenWoken`. Any thread may call it before `close`.
    func wake() { uv_async_send(async) }

    /// Ends the wait every few milliseconds from now on, so that `beforeWait` can look at the time.
    func tick(everyMilliseconds interval: UInt64) {
        uv_timer_start(timer, { _ in }, interval, interval)
    }

    /// Calls `action` whenever the descriptor is readable. The caller still owns the descriptor. Only one can be watched.
    /// - Returns: false if the descriptor cannot be polled.
    func watch(_ descriptor: Int32, _ action: @escaping () -> Void) -> Bool {
        guard uv_poll_init(loop, poll, descriptor) == 0 else { return false }
        own(poll)
        whenReadable = action
        return uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in UVLoop.of(handle)?.whenReadable() }
            == 0
    }

    private func prepareWait() {
        beforeWait()
        // Only a loop on the main thread has such polls.
        if !polls.isEmpty { MainActor.assumeIsolated { [polls] in for poll in polls { poll.roundEnds() } } }
    }

    // MARK: Other descriptors

    /// - Returns: false if the descriptor cannot be polled.
    func initialize(_ handle: UnsafeMutablePointer<uv_poll_t>, _ descriptor: Int32) -> Bool {
        uv_poll_init(loop, handle, descriptor) == 0
    }

    /// Holds a poll until `remove`.
    func add(_ poll: DescriptorPoll, _ handle: UnsafeMutablePointer<uv_poll_t>) {
        polls.append(poll)
        handles.append(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self))
    }

    func remove(_ poll: DescriptorPoll, _ handle: UnsafeMutablePointer<uv_poll_t>) {
        polls.removeAll { $0 === poll }
        let handle = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
        handles.removeAll { $0 == handle }
    }

    // MARK: Closing

    /// Closes the handles of this object, and runs the loop until every handle that is being closed is gone.
    func finish() {
        beforeWait = {}
        if !polls.isEmpty { MainActor.assumeIsolated { [polls] in for poll in polls { poll.close() } } }
        for handle in handles where uv_is_closing(handle) == 0 { uv_close(handle, nil) }
        // Without the limit, a handle that was never closed would make this loop run for ever.
        var iterations = 0
        while uv_run(loop, UV_RUN_NOWAIT) != 0, iterations < 10_000 { iterations += 1 }
    }

    /// Frees the loop, after `finish`.
    func close() {
        // A loop with an open handle cannot be freed.
        guard uv_loop_close(loop) == 0 else { return }
        loop.deallocate()
        prepare.deallocate()
        async.deallocate()
        timer.deallocate()
        poll.deallocate()
    }

    // MARK: Descriptors

    /// The descriptors that libwebsockets polls, each with the `lws` that it belongs to.
    var polledDescriptors: [(wsi: OpaquePointer, descriptor: Int32)] {
        var search = Search(ours: handles)
        withUnsafeMutablePointer(to: &search) { search in
            uv_walk(loop, { $1?.assumingMemoryBound(to: Search.self).pointee.look(at: $0) }, search)
        }
        return search.found
    }

    private struct Search {
        let ours: [Handle]
        var found: [(OpaquePointer, Int32)] = []

        mutating func look(at handle: Handle?) {
            var descriptor = uv_os_fd_t()
            guard let handle, !ours.contains(handle), uv_handle_get_type(handle) == UV_POLL,
                let wsi = uv_handle_get_data(handle), uv_fileno(handle, &descriptor) == 0
            else { return }
            found.append((OpaquePointer(wsi), descriptor))
        }
    }

    /// Makes a descriptor with the lowest free number that is not below `number`.
    func duplicate(atLeast number: Int32) -> Int32 { fcntl(uv_backend_fd(loop), F_DUPFD_CLOEXEC, number) }

    private func own<Pointee>(_ handle: UnsafeMutablePointer<Pointee>) {
        let handle = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
        // Unretained: the handle is closed before its owner releases this object.
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        handles.append(handle)
    }

    private static func of<Pointee>(_ handle: UnsafeMutablePointer<Pointee>?) -> UVLoop? {
        uv_handle_get_data(UnsafeRawPointer(handle)?.assumingMemoryBound(to: uv_handle_t.self)).map {
            Unmanaged<UVLoop>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

@available(*, unavailable) extension UVLoop: Sendable {}
