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
    private var reason = "Firefox has ended before it said where it listens."

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
    /// - Throws: `BrowserError` if it has ended before.
    func port() async throws -> Int {
        for await port in ports { return port }
        let last = text.split(whereSeparator: \.isNewline).last.map { " It wrote: \($0.prefix(200))" }
        throw BrowserError(reason + (last ?? ""))
    }

    private func read() {
        let count = fill()
        if count == 0 || count < 0 && errno != EAGAIN { end(reason) }
    }

    /// Reads what is there.
    /// - Returns: what `read` of the system returns.
    private func fill() -> Int {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(pipe.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
        guard count > 0, !isFound else { return count }
        text = String((text + String(decoding: bytes[..<count], as: UTF8.self)).suffix(FirefoxOutput.kept))
        if let match = text.firstMatch(of: /WebDriver BiDi listening on ws:\/\/.*:(\d+)\n/), let port = Int(match.1) {
            isFound = true
            text = ""
            found.yield(port)
        }
        return count
    }

    private static let kept = 16 << 10

    func end(_ reason: String) {
        guard reader != nil else { return }
        for _ in 0..<16 where fill() <= 0 { break }
        self.reason = reason
        found.finish()
        reader?.cancel()
        reader = nil
    }
}
