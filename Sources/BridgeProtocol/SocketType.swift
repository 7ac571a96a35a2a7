import Foundation

/// The types of sockets, which the C libraries of Linux and of macOS declare differently.
package enum SocketType {
    #if canImport(Glibc)
        package static let stream = Int32(SOCK_STREAM.rawValue)
        package static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        package static let stream = SOCK_STREAM
        package static let datagram = SOCK_DGRAM
    #endif
}
