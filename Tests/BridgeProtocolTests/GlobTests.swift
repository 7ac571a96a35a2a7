import BridgeProtocol
import Testing

@Suite struct GlobTests {
    @Test(arguments: [
        ("http://localhost/", "http://localhost/"), ("*", "http://localhost/"),
        ("*/customers/*", "http://x/customers/"),
        ("http://*/a?b=*", "http://x/a?b=1"), ("*aab", "aaab"), ("a*b*c", "aXbYbZc"), ("a**c", "abc"),
    ])
    func matches(_ glob: String, _ url: String) {
        #expect(Glob(glob).matches(url))
    }

    @Test(arguments: [
        ("http://localhost", "http://localhost/"), ("*/customers/*", "http://x/customers"), ("a*a", "a"),
        ("http://*/a?b", "http://x/aXb"), ("", "x"), ("a*b*c", "aXcYb"),
    ])
    func doesNotMatch(_ glob: String, _ url: String) {
        #expect(!Glob(glob).matches(url))
    }
}
