internal import CMainQueue
import Dispatch
import Foundation

/// The loop of the main thread in a process that drives browsers and has no other loop.
///
/// It waits for the main dispatch queue and for what browsers and the daemon send. `dispatchMain` would need three more
/// threads for each message of a page: one that polls sockets, one that reads the browser's pipe, and one that runs the
/// main queue.
@MainActor package enum DriverLoop {
    /// Runs until the process ends. Call this on the main thread, before anything has connected.
    package static func run() -> Never {
        #if os(Linux)
            ReadSources.make = { PolledSource($0, $1) }
            ReadSources.takesPipes = true
            let mainQueue = _dispatch_get_main_queue_handle_4CF()
            while true { waitOnce(mainQueue) }
        #else
            dispatchMain()
        #endif
    }

    #if os(Linux)
        fileprivate static var sources: [PolledSource] = []

        private static func waitOnce(_ mainQueue: Int32) {
            let waiting = sources
            var polled = [pollfd(fd: mainQueue, events: Int16(POLLIN), revents: 0)]
            for source in waiting { polled.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
            for (source, entry) in zip(waiting, polled.dropFirst()) where entry.revents != 0 { source.handle() }
            if polled[0].revents != 0 { bridged_drain_main_queue(mainQueue) }
        }
    #endif
}

#if os(Linux)
    /// A descriptor for which `DriverLoop` waits.
    @MainActor private final class PolledSource: ReadSource {
        let descriptor: Int32
        /// Nil once it is cancelled.
        private var handler: (@MainActor () -> Void)?

        init(_ descriptor: Int32, _ handler: @escaping @MainActor () -> Void) {
            (self.descriptor, self.handler) = (descriptor, handler)
            DriverLoop.sources.append(self)
        }

        func handle() { handler?() }

        func cancel(whenCancelled: @escaping @MainActor () -> Void) {
            handler = nil
            DriverLoop.sources.removeAll { $0 === self }
            whenCancelled()
        }
    }
#endif
