import Testing

@testable import BridgeServer

/// What `--allow-origin` and `--app-origin` take.
@Suite struct OriginPatternTests {
    @Test(
        arguments: [
            ("https://staging.example.com", ["https://staging.example.com", "https://staging.example.com:443"]),
            ("https://*.example.com", ["https://a.example.com", "https://a.b.example.com:443"]),
            (
                "http://localhost:*",
                ["http://localhost", "http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:2"]
            ),
            ("http://127.0.0.1:3000", ["http://localhost:3000", "http://[::1]:3000"]),
            ("http://*.test:*", ["http://app.test", "http://a.app.test:8080"]),
            ("http://[::1]:80", ["http://localhost"]), ("http://192.168.1.5:*", ["http://192.168.1.5:8080"]),
        ])
    func matches(_ pattern: String, origins: [String]) throws {
        let pattern = try #require(OriginPattern(pattern))
        for origin in origins { #expect(pattern.matches(try #require(Origin(origin))), Comment(rawValue: origin)) }
    }

    @Test(
        arguments: [
            ("https://staging.example.com", ["http://staging.example.com", "https://staging.example.com:444"]),
            (
                "https://*.example.com",
                ["https://example.com", "https://evilexample.com", "https://a.example.com.evil.com"]
            ),
            (
                "http://localhost:3000",
                ["http://localhost:3001", "https://localhost:3000", "http://app.localhost:3000"]
            ),
            ("http://*.localhost:*", ["http://localhost:3000", "http://127.0.0.1:3000"]),
            ("http://192.168.1.5:*", ["http://192.168.1.50", "http://localhost"]),
        ])
    func matchesNothingElse(_ pattern: String, origins: [String]) throws {
        let pattern = try #require(OriginPattern(pattern))
        for origin in origins { #expect(!pattern.matches(try #require(Origin(origin))), Comment(rawValue: origin)) }
    }

    @Test(arguments: [
        "", "*", "http://*", "http://*:*", "https://*.com", "*.example.com", "http://a.*.com", "http://*example.com",
        "http://*.*.com", "http://localhost:30*", "http://localhost:3000:*", "http://localhost/", "ftp://localhost",
        "null",
        "http://*.127.0.0.1", "http://*.[::1]", "http://localhost:*:*", "file://", "http://user@localhost",
    ])
    func refusesOtherForms(_ text: String) { #expect(OriginPattern(text) == nil) }
}
