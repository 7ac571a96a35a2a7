import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import PathConfiguration

@Suite struct PatternTests {
    /// Patterns that ICU rejects, with the place of the mistake.
    static let invalid: [(pattern: String, offset: Int, reason: String)] = [
        ("", 0, "it is empty"), ("/new(", 4, "this ( is never closed"), ("/new)", 4, "this ) has no matching ("),
        ("/[ab", 1, "this [ is never closed"), ("*/new", 0, "there is nothing before this * to repeat"),
        ("/(+a)", 2, "there is nothing before this + to repeat"),
        ("/posts/{id}", 7, "{ must begin a count such as {2,3}"),
        ("a{3,1}", 1, "{ must begin a count such as {2,3}"), ("/a}", 2, "this } has no matching {"),
        ("/a\\", 2, "it ends with a backslash"), ("[z-a]", 0, "ICU rejects it"),
    ]

    @Test(arguments: invalid)
    func reportsPlaceAndReasonOfMistake(_ wrong: (pattern: String, offset: Int, reason: String)) throws {
        let error = try #require(throws: InvalidPattern.self) { try PathPattern(wrong.pattern) }
        #expect(error.offset == wrong.offset && error.reason == wrong.reason)
    }

    /// Patterns that take seconds or longer for a path that they do not match.
    @Test(arguments: [
        ("^(/.+)+/edit$", "/a"), ("^/(a+)+$", "a"), ("^/(\\w+\\s?)*$", "a"), ("^/(a|a)*$", "a"), ("(.*)*x", "a"),
        ("(x+x+)+y", "x"), ("^(/[^/]*)*(/[^/]*)*(/[^/]*)*(/[^/]*)*(/[^/]*)*x$", "/a"),
    ])
    func givesUpOnASlowPattern(_ text: String, _ unit: String) throws {
        let path = "/\(String(repeating: unit, count: 400))!"
        var budget = PatternBudget()
        #expect(try PathPattern(text).search(path, &budget) == .gaveUp)
        let start = ContinuousClock.now
        #expect(try PathPattern(text).firstMatch(in: path) == nil)
        // The limit is 20 ms of the processor's time. A busy machine takes longer.
        #expect(.now - start < .seconds(5))
    }

    @Test func rejectsEndlessPatterns_andTooMany() throws {
        let long = String(repeating: "(a)", count: 2_000)
        let error = try #require(throws: InvalidPattern.self) { try PathPattern(long) }
        #expect(error.description.count < 200 && error.reason == "it has more than 4096 characters")
        let patterns = Array(repeating: #"".*""#, count: 10_001).joined(separator: ",")
        #expect(throws: PathConfigurationError.self) {
            try PathConfigurationDocument("{\"rules\": [{\"patterns\": [\(patterns)], \"properties\": {}}]}".utf8)
        }
    }

    @Test func matchesTheSamePartsAsICU() throws {
        let parts = [
            "/", "/posts", "new", "^", "$", "\\d+", "[a-c]", "(b|c)?", "(ab)", ".*", "a+", "a?", "b{2}", "\\.", "|",
            "(?i)", "(?:ab|/)", "(?!new)", "(?#|)", "(?<=/)", ")", "(?<n>a)",
            "\\x41", "%20", "=", "\\Qa\\E", "[^/]+", "\\?", "-", "#", "[[:digit:]]", " ", "\\1", "\\w", "(", "{", "]",
        ]
        let paths = [
            "", "/", "/posts", "/posts/1/new", "/POSTS/new?a=1", "/aa/bb.c", "/ab-%20", "/A#", "posts", "/abc/abc",
        ]
        var generator = SeededGenerator(seed: 7)
        var (compiled, matches) = (0, 0)
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(parts) }.joined()
            let expression = try? NSRegularExpression(pattern: text)
            let pattern = try? PathPattern(text)
            #expect((expression == nil) == (pattern == nil), "\(text)")
            guard let expression, let pattern else { continue }
            compiled += 1
            for path in paths {
                let whole = NSRange(location: 0, length: path.utf16.count)
                let found = expression.firstMatch(in: path, range: whole).flatMap { Range($0.range, in: path) }
                let part = pattern.firstMatch(in: path)
                #expect(part.map { $0.startIndex..<$0.endIndex } == found, "\(text) in \(path)")
                matches += found == nil ? 0 : 1
            }
        }
        #expect(compiled > 700 && matches > 2_000)
    }
}
