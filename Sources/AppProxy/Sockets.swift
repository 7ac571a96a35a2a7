import BridgeProtocol
import Foundation

/// A socket of this process, closed when it is released.
final class Socket: Sendable {
    let descriptor: Int32

    private init?(_ domain: Int32, _ isDatagram: Bool) {
        descriptor = socket(domain, isDatagram ? SocketType.datagram : SocketType.stream, 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// A port on which nobody listens now.
    static func freePort() -> UInt16? {
        guard let socket = Socket(AF_INET, false) else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor, $0, size) == 0 && getsockname(socket.descriptor, $0, &size) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// A socket that receives datagrams at a path of at most 107 bytes.
    static func datagrams(at path: String) -> Socket? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8CString)
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path), let socket = Socket(AF_UNIX, true) else {
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            bytes.withUnsafeBytes { place.copyMemory(from: $0) }
        }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        return isBound && fcntl(socket.descriptor, F_SETFL, O_NONBLOCK) == 0 ? socket : nil
    }

    /// The next datagram that has arrived; nil if there is none.
    func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count >= 0 ? Data(buffer.prefix(count)) : nil
    }
}
