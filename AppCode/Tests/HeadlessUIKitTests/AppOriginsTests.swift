import Testing

@testable import AppHost

struct AppOriginsTests {
    @Test(arguments: [
        ("https://example.com", "http://localhost:3000"), ("https://example.com/a?b", "http://localhost:3000/a?b"),
        ("https://example.com#c", "http://localhost:3000#c"),
        ("https://example.community/", "https://example.community/"),
        ("https://example.com:8443/", "https://example.com:8443/"), ("/relative", "/relative"),
    ])
    func originsOfTheAppsSource_becomeTheServerAtHand(_ text: String, _ expected: String) {
        let origins = AppHost.read("https://example.com http://localhost:3000\nhttp://other x y\n")
        #expect(AppHost.replace(in: text, origins) == expected)
    }
}
