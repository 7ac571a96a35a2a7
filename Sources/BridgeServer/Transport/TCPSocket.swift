internal import CWebsockets
import Foundation

/// Asks the kernel about a TCP connection and its peer.
///
/// libwebsockets closes a connection that sends no valid HTTP request without reporting it. These counters distinguish
/// such a client, which is recorded, from a browser that opened a connection in advance and never used it.
struct TCPSocket {
    let descriptor: Int32

    init(wsi: OpaquePointer) { descriptor = lws_get_socket_fd(wsi) }

    /// The number of bytes that the peer has sent. The end of its stream counts as one byte. The result is 0 if the
    /// system does not report the number, as on a Mac.
    var receivedBytes: UInt64 {
        #if os(Linux)
            // `tcpi_bytes_received` in `struct tcp_info` of linux/tcp.h. Glibc's copy of that struct ends before it.
            let member = 128..<136
            var info = [UInt8](repeating: 0, count: member.upperBound)
            var size = socklen_t(info.count)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, Int(size) == info.count
            else { return 0 }
            return info[member].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        #else
            return 0
        #endif
    }

    /// How many of the received bytes have been read from the socket.
    var readBytes: UInt64 {
        let received = receivedBytes
        // Bytes may have arrived between the two calls.
        return received - min(received, UInt64(unreadBytes))
    }

    var hasUnreadBytes: Bool { unreadBytes > 0 }

    private var unreadBytes: Int32 { bridged_unread_bytes(descriptor) }

    /// Whether the peer has ended its stream.
    var peerHasHungUp: Bool {
        #if os(Linux)
            // POLLRDHUP, which the Glibc module lacks. POLLIN would also be set by TLS's close_notify alert.
            let hangUp: Int16 = 0x2000
        #else
            let hangUp = Int16(POLLHUP)
        #endif
        return isReady(hangUp)
    }

    /// Whether the kernel takes bytes to send.
    var isWritable: Bool { isReady(Int16(POLLOUT)) }

    private func isReady(_ events: Int16) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
