import Foundation

/// Sends raw bytes to a server.
public enum RawConversation {
    /// Connects, sends the pieces one after the other, reads until the server hangs up or is silent for `patience`
    /// seconds, and disconnects without a closing handshake. Blocks the thread.
    ///
    /// - Returns: the received bytes.
    @discardableResult
    public static func hold(_ pieces: [[UInt8]], port: UInt16, patience: Double = 0.02) throws -> [UInt8] {
        let socket = try TCPSocket(port: port)
        for piece in pieces { socket.write(piece) }
        var answer: [UInt8] = []
        while socket.hasBytes(within: patience), let bytes = socket.read(upTo: 65_536) { answer += bytes }
        return answer
    }
}

/// Changes bytes as a fuzzer does: flips, removes, repeats, and inserts bytes that parsers often mishandle.
public struct Mutator: Sendable {
    private static let awkward: [[UInt8]] = [
        [0], [0xff], [0x7f], [0x80], [0x81, 0xfe, 0xff, 0xff], [0x89, 0x80, 0, 0, 0, 0], Array("\r\n".utf8),
        Array("\r\n\r\n".utf8), Array("%00".utf8), Array("Content-Length: 18446744073709551616\r\n".utf8),
        Array(String(repeating: "[", count: 4_000).utf8), Array(repeating: UInt8(ascii: "A"), count: 20_000),
    ]

    private var generator: SeededGenerator

    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    public mutating func pick<Element>(_ elements: [Element]) -> Element { generator.pick(elements) }

    /// Makes between one and eight changes.
    public mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &generator) { change(&bytes) }
        return bytes
    }

    /// Splits the bytes into up to three pieces, as a network may deliver them.
    public mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let cuts = (0..<Int.random(in: 0...2, using: &generator)).map { _ in place(in: bytes) }.sorted()
        return zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }.filter { !$0.isEmpty }
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let start = place(in: bytes)
        let end = min(bytes.count, start + Int.random(in: 1...64, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where start < bytes.count: bytes[start] = .random(in: 0...255, using: &generator)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: place(in: bytes))
        case 4: bytes.removeSubrange(start...)
        default: bytes.insert(contentsOf: generator.pick(Mutator.awkward), at: start)
        }
    }

    private mutating func place(in bytes: [UInt8]) -> Int { .random(in: 0...bytes.count, using: &generator) }
}
