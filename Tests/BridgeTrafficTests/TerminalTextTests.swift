import BridgeProtocol
import Testing

@testable import BridgeTraffic

/// What is printed for people cannot control their terminal, or look like something else.
@Suite struct TerminalTextTests {
    /// C0, DEL, C1, and every character that Unicode calls a format character or a separator of lines.
    private static let invisible = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
    }

    @Test func escapesWhatIsInvisible() {
        #expect(Self.invisible.count > 200)
        for scalar in Self.invisible {
            let escaped = TerminalText.escape("a\(scalar)b")
            #expect(escaped.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F })
        }
        #expect(TerminalText.escape("a\n\t\u{1b}[2J\u{9b}\u{202e}\u{feff}") == #"a\n\t\u{1b}[2J\u{9b}\u{202e}\u{feff}"#)
    }

    @Test(arguments: ["plain", "Tür", "日本語", "❤️ 👍🏽", ""]) func keepsWhatIsVisible(text: String) {
        #expect(TerminalText.escape(text) == text && TerminalText.escapeJSON(text) == text)
    }

    @Test func escapesJSON_withoutChangingItsMeaning() throws {
        for scalar in Self.invisible {
            var writer = JSONWriter()
            writer.string("a\(scalar)b")
            let escaped = TerminalText.escapeJSON(writer.bytes)
            #expect(escaped.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            guard scalar != "\0" else { continue }
            #expect(try JSON.parse("[\(String(decoding: escaped, as: UTF8.self))]")[0]?.string == "a\(scalar)b")
        }
    }

    @Test func escapesControlCharactersOfWhatIsNoJSON() {
        #expect(TerminalText.escapeJSON("{}\t\u{1b}[2J\u{7}\r\n") == "{}\t\\u001b[2J\\u0007\\u000d\n")
    }

    // MARK: Tokens

    private let tokens = ["0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"]

    @Test func findsTokens_whereverTheyAre() {
        let redaction = TokenRedaction(tokens)
        for token in tokens {
            for length in 0...70 {
                let padding = String(repeating: "e", count: length)
                #expect(redaction.appear(in: Array((padding + token).utf8)))
                #expect(redaction.appear(in: Array((token + padding).utf8)))
                #expect(!redaction.appear(in: Array((padding + token.dropLast()).utf8)))
            }
        }
        #expect(redaction.removed(from: "a \(tokens[0])\(tokens[1]) b") == "a [redacted][redacted] b")
        #expect(!TokenRedaction([]).appear(in: [1, 2, 3]))
    }

    @MainActor @Test func removesTokensFromRecords() throws {
        let log = try TrafficLog(path: nil, kept: .none, tokens: tokens, logger: .init(label: "test"))
        log.append(
            .message(handler: tokens[0], name: tokens[1], body: .null, seq: 1, verdict: .handled), .toNative, nil)
        let line = try #require(log.query(limit: 1).records.first?.line)
        #expect(!TokenRedaction(tokens).appear(in: line))
    }
}
