import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// QR codes, as another encoder makes them (Python's `qrcode` 8, in byte mode).
@Suite(.timeLimit(.minutes(4))) struct QRCodeTests {
    /// The rows of a code in hexadecimal digits, a dark module being 1; the last digit is filled with 0.
    private func rows(_ code: QRCode) -> [String] {
        (0..<code.size).map { y in
            stride(from: 0, to: code.size, by: 4).map { x in
                let digit = (0..<4).reduce(0) { $0 << 1 | (code[x + $1, y] ? 1 : 0) }
                return String(digit, radix: 16)
            }.joined()
        }
    }

    /// Each line of the file has a mask, a text in quotes and the rows.
    @Test func areTheSameAsThoseOfAnotherEncoder() throws {
        let file = Repository.file("Tests/BridgeDaemonTests/qr-codes.txt")
        var sizes: Set<Int> = []
        var masks: Set<Int> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let (_, number, text, hex) = try #require(line.wholeMatch(of: /(\d) "(.*)" ([0-9a-f ]+)/)).output
            let mask = try #require(Int(number))
            let code = try #require(QRCode(String(text), mask: mask))
            #expect(rows(code) == hex.split(separator: " ").map(String.init), "\(text) with the mask \(mask)")
            sizes.insert(code.size)
            masks.insert(mask)
        }
        #expect(sizes == Set((1...10).map { 17 + 4 * $0 }))
        #expect(masks == Set(0...7))
    }

    @Test func takesTheMaskWithTheLowestPenalty() throws {
        let text = "http://192.168.1.5:2734/demo/?token=0123456789abcdef0123456789abcdef"
        let masked = (0...7).compactMap { QRCode(text, mask: $0) }
        let least = try #require(masked.map(\.penalty).min())
        #expect(QRCode(text) == masked.first { $0.penalty == least })
        #expect(Set(masked.map(\.penalty)).count > 1)
    }

    @Test func hasRoomFor271Bytes() {
        for (count, size) in [(0, 21), (17, 21), (18, 25), (32, 25), (33, 29), (230, 53), (231, 57), (271, 57)] {
            #expect(QRCode(String(repeating: "x", count: count))?.size == size, "\(count)")
        }
        #expect(QRCode(String(repeating: "x", count: 272)) == nil)
        #expect(QRCode(String(repeating: "é", count: 136)) == nil)
    }

    @Test func showsTwoRowsInALine_withAQuietZone() throws {
        let code = try #require(QRCode("x"))
        let lines = code.terminalLines.map { $0.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "") }
        #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
        #expect(lines[0].allSatisfy { $0 == " " } && lines[1].allSatisfy { $0 == " " })
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ ") && lines[2].hasSuffix(" █▀▀▀▀▀█    "))
        #expect(lines[5].hasPrefix("    ▀▀▀▀▀▀▀ "))
    }
}
