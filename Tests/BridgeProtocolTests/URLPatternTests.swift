import BridgeProtocol
import Testing

@Suite struct URLPatternTests {
    @Test(arguments: [
        ("/posts", "http://localhost:3000/posts", true), ("/posts", "http://localhost:3000/posts?page=2#x", true),
        ("/posts", "http://localhost:3000/posts/1", false), ("/posts*", "https://example.com/posts/1", true),
        ("/posts?page=2", "http://localhost:3000/posts?page=2", true),
        ("/posts?page=2", "http://localhost:3000/posts?page=3", false),
        ("/", "http://localhost:3000", true), ("/", "http://localhost:3000?a", true), ("*", "http://x/y?z", true),
        ("http://localhost:3000/posts", "http://localhost:3000/posts?a=1", true),
        ("http://localhost:3000/posts", "http://localhost:4000/posts", false),
        ("*/turbo*.js", "http://localhost:3000/assets/turbo-1.js", true), ("/x", "about:blank", false),
    ])
    func matches(pattern: String, url: String, matches: Bool) {
        #expect(URLPattern(pattern).matches(url) == matches)
    }
}
