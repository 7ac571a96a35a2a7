import BridgeProtocol
import Foundation

/// A client of Chromium's DevTools protocol over two pipes (`--remote-debugging-pipe`): JSON messages that end with a
/// NUL. Unlike a port, no other program can reach it. On the main actor, and it never blocks.
@MainActor final class DevToolsPipe: BrowserConnection {
    var onEvent: (BrowserEvent) -> Void = { _ in }
    /// Called once if the browser has closed its end. The commands fail when `end` says why.
    var onEnd: () -> Void = {}
    private var isClosed = false

    let commands = BrowserCommands(.chromium)
    private let input: FileHandle
    private var reader: PipeReader?
    private var writer: (any DispatchSourceWrite)?
    private var incoming: [UInt8] = []
    /// How much of `incoming` was searched for a NUL.
    private var searched = 0
    private var outgoing: [UInt8] = []
    private var written = 0

    /// - Parameters:
    ///   - input: where the browser reads.
    ///   - output: where the browser writes.
    init(input: FileHandle, output: FileHandle) {
        self.input = input
        _ = fcntl(input.fileDescriptor, F_SETFL, O_NONBLOCK)
        // A browser that has crashed must not end this process.
        signal(SIGPIPE, SIG_IGN)
        reader = PipeReader(output) { [weak self] in self?.receive($0) }
    }

    // MARK: Sending

    func write(_ message: [UInt8]) {
        outgoing += message
        outgoing.append(0)
        write()
    }

    private func write() {
        while written < outgoing.count {
            let count = outgoing[written...].withUnsafeBytes {
                Foundation.write(input.fileDescriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EAGAIN { return waitUntilWritable() }
            guard count > 0 else { return closed() }
            written += count
        }
        outgoing.removeAll(keepingCapacity: true)
        written = 0
        writer?.cancel()
        writer = nil
    }

    private func waitUntilWritable() {
        guard writer == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: input.fileDescriptor, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { self.write() } }
        // The handler keeps the descriptor until libdispatch no longer polls it.
        source.setCancelHandler { [input] in withExtendedLifetime(input) {} }
        source.activate()
        writer = source
    }

    // MARK: Receiving

    private func receive(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return closed() }
        incoming += bytes
        var start = 0
        while let end = incoming[max(start, searched)...].firstIndex(of: 0) {
            let message = incoming[start..<end]
            start = end + 1
            searched = start
            guard let json = message.withUnsafeBytes({ JSON.parseFromBrowser($0) }) else { continue }
            if let event = commands.receive(json) { onEvent(event) }
        }
        incoming.removeFirst(start)
        searched = incoming.count
    }

    private func closed() {
        guard !isClosed, !commands.hasEnded else { return }
        isClosed = true
        onEnd()
    }

    /// Closes the pipe, and fails all commands that have no result.
    func end(_ reason: String) {
        guard !commands.hasEnded else { return }
        reader?.stop()
        writer?.cancel()
        reader = nil
        writer = nil
        commands.end(reason)
    }
}
