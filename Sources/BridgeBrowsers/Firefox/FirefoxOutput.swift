import BridgeProcesses
import BridgeProtocol
import Foundation

/// What Firefox writes to its standard error. Only the port on which it listens matters. On the main actor.
@MainActor final class FirefoxOutput {
    let pipe = Pipe.withoutInheritance()
    private let ports: AsyncStream<Int>
    private let found: AsyncStream<Int>.Continuation
    private var reader: PipeReader?
    private var text = ""
    private var isFound = false
    private var isAtEnd = false
    private var reason: String?

    init() {
        (ports, found) = AsyncStream.makeStream()
        reader = PipeReader(pipe.fileHandleForReading) { self.receive($0) }
    }

    /// Waits until Firefox says where it listens.
    /// - Throws: `BrowserError` if it has ended before.
    func port() async throws -> Int {
        for await port in ports { return port }
        let last = text.split(whereSeparator: \.isNewline).last.map { " It wrote: \($0.prefix(200))" }
        throw BrowserError((reason ?? "Firefox has ended before it said where it listens.") + (last ?? ""))
    }

    private func receive(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            isAtEnd = true
            return finish(isComplete: reason != nil)
        }
        guard !isFound else { return }
        text = String((text + String(decoding: bytes, as: UTF8.self)).suffix(FirefoxOutput.kept))
        if let match = text.firstMatch(of: /WebDriver BiDi listening on ws:\/\/.*:(\d+)\n/), let port = Int(match.1) {
            isFound = true
            text = ""
            found.yield(port)
        }
    }

    private static let kept = 16 << 10

    /// Ends the wait for the port, because Firefox has ended or is not needed any more.
    func end(_ reason: String) {
        self.reason = self.reason ?? reason
        finish(isComplete: isAtEnd)
    }

    /// Ends `port` at once if it is known why Firefox has ended and all that it wrote. Otherwise it waits a second for the
    /// other one.
    private func finish(isComplete: Bool) {
        Task {
            if !isComplete { try? await Task.sleep(for: .seconds(1)) }
            found.finish()
            reader?.stop()
            reader = nil
        }
    }
}
