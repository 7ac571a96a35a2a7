import BridgeClient
import TestSupport
import Testing

@Suite struct WebSocketFrameTests {
    /// The header as a server sends it, without a mask.
    private func header(_ length: UInt64) -> [UInt8] {
        var header = WebSocketClient.header(.text, length: length)
        header[1] &= 0x7F
        return header.dropLast(4)
    }

    @Test(arguments: WebSocketClient.awkwardLengths)
    func findsAFrameOnlyIfItIsComplete(_ length: UInt64) throws {
        let header = header(length)
        let bytes = header + [UInt8](repeating: 0x61, count: 200)
        let payload = bytes.withUnsafeBytes { WebSocketFrame($0, at: 0)?.payload }
        #expect(payload == (length <= 200 ? header.count..<header.count + Int(length) : nil))
    }
}
