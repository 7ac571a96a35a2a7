import Foundation

/// A blocking or non-blocking TCP connection to this machine.
struct Socket {
    let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, connected == 0 else { throw LoadError("Can't connect to port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    func becomeNonBlocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Writes what the socket takes. Throws where the connection is broken.
    func write(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0, errno == EAGAIN { return 0 }
        guard count >= 0 else { throw LoadError("Can't write") }
        return count
    }

    /// Appends what there is to read.
    func read(into bytes: inout [UInt8], using scratch: UnsafeMutableRawBufferPointer) throws {
        while true {
            let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { throw LoadError("The peer closed a connection") }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
            if count < scratch.count { return }
        }
    }
}

struct LoadError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = "\(description): \(String(cString: strerror(errno)))." }
}
