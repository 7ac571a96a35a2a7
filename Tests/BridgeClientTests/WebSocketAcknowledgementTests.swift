import Foundation
import TestSupport
import Testing

@testable import BridgeClient

/// Firefox sends the header of a frame and its payload apart, and without TCP_NODELAY: its kernel holds the payload back
/// until ours has acknowledged the header, which ours delays by up to 40 ms on a connection with answers.
@Suite(.timeLimit(.minutes(1))) struct WebSocketAcknowledgementTests {
    @Test(arguments: [true, false]) func delaysAcknowledgements_onlyIfNotAskedOtherwise(atOnce: Bool) throws {
        let listener = try ListeningSocket()
        listener.accept { connection in
            _ = connection.read()
            connection.write(Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8))
            while let bytes = connection.read(), !bytes.isEmpty { connection.write([0x81, 1, UInt8(ascii: "a")]) }
        }
        let socket = try WebSocket(
            host: "127.0.0.1", port: Int(listener.port), path: "/", acknowledgesAtOnce: atOnce)
        for _ in 0..<5 {
            try socket.send("question")
            #expect(try socket.receive(within: .seconds(30)) == "a")
        }
        #if os(Linux)
            // The kernel's state: 0 if it waits for an answer that can carry the acknowledgement (tcp(7)).
            var isAtOnce: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &isAtOnce, &size)
            #expect(isAtOnce == (atOnce ? 1 : 0))
        #endif
    }
}
