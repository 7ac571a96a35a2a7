/// A client that sends bytes and never reads. The daemon's kernel soon takes nothing more for it.
public final class SilentClient: Sendable {
    private let socket: TCPSocket

    public init(port: UInt16) throws { socket = try TCPSocket(port: port, receiveBuffer: 4_096) }

    public func write(_ text: String) { socket.write(Array(text.utf8)) }
}
