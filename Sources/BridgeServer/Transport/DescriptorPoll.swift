internal import CLibuv

/// Waits for a descriptor of another library, such as the connection to Redis, in the server's loop.
///
/// All members belong to the main actor, on whose thread the loop runs.
@MainActor package final class DescriptorPoll {
    private let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    private let ready: @MainActor (_ isReadable: Bool, _ isWritable: Bool) -> Void
    private let beforeWait: @MainActor () -> Void
    /// What is waited for: libuv's flags.
    private var events: UInt32 = 0
    /// Nil once the handle is closed.
    private weak var loop: UVLoop?

    /// Waits for a descriptor in the loop of a server.
    /// - Parameters:
    ///   - beforeWait: called before each wait of the loop.
    ///   - ready: called if the descriptor is ready for something that the poll waits for.
    /// - Returns: nil unless the loop runs on the main thread, or if the descriptor cannot be polled.
    package init?(
        _ descriptor: Int32, in server: BridgeServer, beforeWait: @escaping @MainActor () -> Void,
        ready: @escaping @MainActor (_ isReadable: Bool, _ isWritable: Bool) -> Void
    ) {
        self.beforeWait = beforeWait
        self.ready = ready
        guard case .listening(let eventLoop, _) = server.state, let loop = eventLoop.mainThreadContext?.uv,
            loop.initialize(handle, descriptor)
        else {
            handle.deallocate()
            return nil
        }
        self.loop = loop
        // Unretained: the handle is stopped before this object is released, because `loop` holds it until `close`.
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.add(self, handle)
    }

    package var waitsToRead: Bool {
        get { events & UV_READABLE.rawValue != 0 }
        set { set(UV_READABLE.rawValue, newValue) }
    }

    package var waitsToWrite: Bool {
        get { events & UV_WRITABLE.rawValue != 0 }
        set { set(UV_WRITABLE.rawValue, newValue) }
    }

    private func set(_ flag: UInt32, _ isOn: Bool) {
        let wanted = isOn ? events | flag : events & ~flag
        guard wanted != events, loop != nil else { return }
        events = wanted
        guard wanted != 0 else {
            uv_poll_stop(handle)
            return
        }
        uv_poll_start(handle, Int32(wanted)) { handle, status, events in
            guard let data = handle?.pointee.data else { return }
            let poll = Unmanaged<DescriptorPoll>.fromOpaque(data).takeUnretainedValue()
            // The code that reads the descriptor finds an error.
            let flags = status < 0 ? UV_READABLE.rawValue : UInt32(bitPattern: events)
            MainActor.assumeIsolated {
                poll.ready(flags & UV_READABLE.rawValue != 0, flags & UV_WRITABLE.rawValue != 0)
            }
        }
    }

    /// Called in each round of the loop, when everything that ended the wait before has been handled.
    func roundEnds() { beforeWait() }

    /// Ends the wait for good. The caller still owns the descriptor.
    package func close() {
        guard let loop else { return }
        self.loop = nil
        loop.remove(self, handle)
        uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            // libuv needs the memory until now.
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self).deallocate()
        }
    }
}
