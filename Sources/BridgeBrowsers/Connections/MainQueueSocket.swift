import BridgeClient
import Dispatch

/// A WebSocket that reads and writes on the main queue and never blocks it.
@MainActor final class MainQueueSocket {
    private let socket: WebSocket
    private let onMessage: (UnsafeRawBufferPointer) -> Void
    private let onClose: () -> Void
    private var reader: (any ReadSource)?
    private var writer: (any DispatchSourceWrite)?
    /// Whether the connection is gone, or about to close.
    private(set) var isClosed = false
    private var isLeaving = false

    /// Connects on another thread, because the server may run in this process and answer from the main one.
    /// - Parameters:
    ///   - onMessage: gets the text of each message.
    ///   - onClose: called once if the connection breaks.
    static func connect(
        _ make: @escaping @Sendable () throws -> WebSocket, onMessage: @escaping (UnsafeRawBufferPointer) -> Void,
        onClose: @escaping () -> Void
    ) async throws -> MainQueueSocket {
        let made = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { Handover(socket: try make()) })
            }
        }
        return MainQueueSocket(made.socket, onMessage: onMessage, onClose: onClose)
    }

    /// A socket that one thread has made and another one uses from now on.
    private struct Handover: @unchecked Sendable {  // The thread that made the socket does not keep it.
        let socket: WebSocket
    }

    private init(
        _ socket: WebSocket, onMessage: @escaping (UnsafeRawBufferPointer) -> Void, onClose: @escaping () -> Void
    ) {
        self.socket = socket
        self.onMessage = onMessage
        self.onClose = onClose
        reader = ReadSources.make(socket.descriptor) { self.read() }
    }

    /// Queues a message for `write`.
    func queue(_ message: [UInt8]) { socket.queue(message) }

    /// Writes what is queued as soon as the socket accepts it.
    func write() {
        guard !isClosed || isLeaving else { return }
        do {
            if try socket.flush() {
                writer?.cancel()
                writer = nil
                if isLeaving { close() }
            } else if writer == nil {
                let source = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: .main)
                source.setEventHandler { MainActor.assumeIsolated { self.write() } }
                source.setCancelHandler { withExtendedLifetime(self) {} }
                source.activate()
                writer = source
            }
        } catch {
            if isLeaving { close() } else { closed() }
        }
    }

    private func read() {
        do {
            try socket.read(onMessage)
            write()  // An answer to a ping.
        } catch {
            closed()
        }
    }

    private func closed() {
        guard !isClosed else { return }
        close()
        onClose()
    }

    /// Says that the client goes away, and closes the connection as soon as everything is written. A server that does not
    /// read has some seconds.
    func leave() {
        guard !isClosed else { return }
        (isClosed, isLeaving) = (true, true)
        stopReading()
        socket.queueLeaving()
        write()
        guard isLeaving else { return }
        Task {
            try? await Task.sleep(for: .seconds(10))
            close()
        }
    }

    private func close() {
        (isClosed, isLeaving) = (true, false)
        stopReading()
        writer?.cancel()
        writer = nil
    }

    private func stopReading() {
        // The handler keeps the socket, and so its descriptor, until nothing polls it any more.
        reader?.cancel { withExtendedLifetime(self) {} }
        reader = nil
    }
}
