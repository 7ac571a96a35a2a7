import Dispatch
import Foundation

/// What Firefox writes to its standard error: where it listens, and much that nobody needs. On the main actor.
@MainActor final class FirefoxOutput {
    let pipe = Pipe.withoutInheritance()
    private let ports: AsyncStream<Int>
    private let found: AsyncStream<Int>.Continuation
    private var reader: (any DispatchSourceRead)?
    private var text = ""
    private var isFound = false

    init() {
        (ports, found) = AsyncStream.makeStream()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        // It reads as long as Firefox runs, because a full pipe would stop Firefox.
        reader.setEventHandler { MainActor.assumeIsolated { self.read() } }
        // The handler keeps the pipe until libdispatch no longer polls it.
        reader.setCancelHandler { withExtendedLifetime(self) {} }
        reader.activate()
        self.reader = reader
    }

    /// Waits until Firefox says where it listens.
    /// - Returns: nil if it has ended before.
    func port() async -> Int? {
        for await port in ports { return port }
        return nil
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(pipe.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { end() }
            return
        }
        guard !isFound else { return }
        text += String(decoding: bytes[..<count], as: UTF8.self)
        if let match = text.firstMatch(of: /WebDriver BiDi listening on ws:\/\/.*:(\d+)\n/), let port = Int(match.1) {
            isFound = true
            text = ""
            found.yield(port)
        }
    }

    func end() {
        found.finish()
        reader?.cancel()
        reader = nil
    }
}
