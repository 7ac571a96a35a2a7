import Dispatch
import Foundation

/// Reads a pipe to its end, and passes what it reads to the main actor.
///
/// It has a thread of its own, unless the main thread's loop can wait for a pipe.
@MainActor final class PipeReader {
    /// Gets each piece that is read; an empty one is the end. Nil as soon as they are not needed any more.
    private var onBytes: (([UInt8]) -> Void)?
    /// What waits for the pipe, until its end; nil if a thread does.
    private var source: (any ReadSource)?

    /// - Parameter handle: one that blocks.
    init(_ handle: FileHandle, onBytes: @escaping ([UInt8]) -> Void) {
        self.onBytes = onBytes
        if ReadSources.takesPipes {
            source = ReadSources.make(handle.fileDescriptor) { self.readOnce(handle) }
        } else {
            Thread.detachNewThread { self.run(handle) }
        }
    }

    /// Drops what comes from now on. It is read to the end of the pipe nevertheless, because a full one would stop its
    /// writer.
    func stop() { onBytes = nil }

    private func readOnce(_ handle: FileHandle) {
        let bytes = PipeReader.read(handle.fileDescriptor)
        onBytes?(bytes)
        guard bytes.isEmpty else { return }
        source?.cancel { withExtendedLifetime(handle) {} }
        source = nil
    }

    private nonisolated func run(_ handle: FileHandle) {
        let handled = DispatchSemaphore(value: 0)
        while true {
            let bytes = PipeReader.read(handle.fileDescriptor)
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.onBytes?(bytes) }
                handled.signal()
            }
            guard !bytes.isEmpty else { return }
            // If the main actor is busy, the writer has to wait.
            handled.wait()
        }
    }

    /// - Returns: nothing at the end of the pipe.
    private nonisolated static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, length in
            var count = -1
            repeat {
                count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            length = max(0, count)
        }
    }
}
