import TestSupport
import Testing

@testable import BridgeCluster

@Suite struct RedisReaderTests {
    @Test func readsAnswers_inPiecesOfAnySize() throws {
        let text = "+OK\r\n:-7\r\n$-1\r\n$5\r\na\r\nbc\r\n*2\r\n*0\r\n-ERR x\r\n*-1\r\n"
        let expected: [RedisReply] = [
            .text(Array("OK".utf8)), .number(-7), .none, .text(Array("a\r\nbc".utf8)),
            .list([.list([]), .failure("ERR x")]), .none,
        ]
        for size in 1...text.utf8.count {
            let reader = try #require(RedisReader())
            var found: [RedisReply] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
                while let reply = try reader.next() { found.append(reply) }
            }
            #expect(found == expected)
        }
    }

    @Test(arguments: [
        ("*2\r\n$1\r\na\r\n*5000000\r\n", "more than 4194304 elements"),
        ("*3000000\r\n*3000000\r\n", "more than 4194304 elements"),
        ("*1\r\n$600000000\r\n", "a text of 600000000 bytes"),
        ("$99999999999999999999\r\n", "Bad bulk string length"), ("$-2\r\n", "out of range"),
        ("*-2\r\n", "out of range"), (":x\r\n", "Bad integer value"), ("?\r\n", "as reply type byte"),
        ("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "nested"),
    ])
    func saysWhatIsWrong(_ text: String, _ expected: String) throws {
        let reader = try #require(RedisReader())
        reader.feed(Array(text.utf8))
        #expect {
            _ = try reader.next()
        } throws: {
            ($0 as? RedisReader.Mistake)?.description.contains(expected) == true
        }
        // It stays broken.
        reader.feed(Array("+OK\r\n".utf8))
        #expect(throws: RedisReader.Mistake.self) { try reader.next() }
    }

    @Test func countsTheElementsOfEachAnswerAnew() throws {
        let reader = try #require(RedisReader())
        for _ in 0..<5 {
            reader.feed(Array(("*1000000\r\n" + String(repeating: ":1\r\n", count: 1_000_000)).utf8))
            #expect(try reader.next()?.list.count == 1_000_000)
        }
    }

    /// hiredis ends the process if it finds itself in a state that it does not expect.
    @Test func survivesAnyBytes() throws {
        var generator = SeededGenerator(seed: 7)
        let parts = [
            "*0\r\n", "*1\r\n", "*3\r\n", "*-1\r\n", "*-2\r\n", "*2147483648\r\n", "*4000000\r\n", "$0\r\n\r\n",
            "$2\r\nab\r\n",
            "$-1\r\n", "$5\r\n", "+OK\r\n", "-ERR x\r\n", ":1\r\n", ":x\r\n", "\r\n", "\r", "\n", "*", "$", "+",
            "\u{0}", ">1\r\n",
        ]
        for _ in 0..<2_000 {
            let reader = try #require(RedisReader())
            var isWhole = true
            for _ in 0..<Int.random(in: 1...30, using: &generator) where isWhole {
                reader.feed(Array((parts.randomElement(using: &generator) ?? "").utf8))
                do { while try reader.next() != nil {} } catch { isWhole = false }
            }
        }
    }

    @Test func limitsWhatAnAnswerNeeds() throws {
        let reader = try #require(RedisReader())
        reader.feed(Array(repeating: UInt8(ascii: "+"), count: 65_536 + 1))
        #expect { _ = try reader.next() } throws: { "\($0)".contains("a line of more than 64 KiB") }
    }
}

extension RedisReader {
    fileprivate func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { feed($0) } }
}
