import BridgeClient
import BridgeProtocol
import Foundation

/// A client of WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). On the main actor.
///
/// Firefox listens on the loopback, and refuses a WebSocket that has an Origin, as every one of a page has. It takes one
/// session: once this one has begun, no other program gets one.
@MainActor final class BiDiConnection: BrowserConnection {
    var onEvent: (BrowserEvent) -> Void = { _ in }
    /// Called once if Firefox has closed the connection. The commands fail when `end` says why.
    var onEnd: () -> Void = {}

    let commands = BrowserCommands(.firefox)
    private var socket: MainQueueSocket?

    func connect(port: Int) async throws {
        socket = try await MainQueueSocket.connect(
            {
                try WebSocket(
                    host: "127.0.0.1", port: port, path: "/session", mask: 0x5A5A_5A5A, acknowledgesAtOnce: true)
            },
            onMessage: { [weak self] in self?.receive($0) },
            onClose: { [weak self] in self?.onEnd() })
        if commands.hasEnded { socket?.leave() }
    }

    func write(_ message: [UInt8]) {
        socket?.queue(message)
        socket?.write()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let json = JSON.parseFromBrowser(bytes), let event = commands.receive(json) else { return }
        onEvent(event)
    }

    /// Closes the connection, and fails all commands that have no result.
    func end(_ reason: String) {
        guard !commands.hasEnded else { return }
        socket?.leave()
        commands.end(reason)
    }
}
