import BridgeServer
import TestSupport
import Testing

@testable import BridgeServer

/// Which requests and connections are accepted (docs/protocol.md, "Security").
@MainActor @Suite(.timeLimit(.minutes(4))) struct AccessPolicyTests {
    nonisolated static let goodHosts = [
        "localhost", "localhost:2734", "LOCALHOST:1", "app.localhost:3000", "my-app.test", "127.0.0.1:80", "[::1]:2734",
    ]
    nonisolated static let badHosts = [
        "", "evil.com", "localhost.evil.com", "localhost.", "test", ".test", "127.0.0.2", "127.1", "0x7f.0.0.1",
        "user@localhost",
        "localhost:port", "localhost:", "localhost:123456", "localhost:-1", "[::1", "::1", "[::ffff:127.0.0.1]",
        "local host",
        "localhost, localhost", "localhost\u{0}", "a..test", String(repeating: "a", count: 300) + ".test",
        "2130706433", "0x7f000001", "017700000001", "127.0.1", "127.00.0.1", "127.0.0.1.", "0.0.0.0", "[::]",
        "[0:0:0:0:0:0:0:1]", "[::ffff:7f00:1]", "[::1]evil", "[::1]:", "[::1%25lo]", "localhost:2734:80",
        "localhost:+80",
        "localhost: 80", "localhost:65536", "localhost:0x50", "foo.test.", "localhost/", "localhost#", "localhost?",
        "löcalhost", "lo\u{200b}calhost", "*.test", "%6cocalhost", "nottest", "xlocalhost", "localhost@evil.com",
    ]

    @Test(arguments: goodHosts) func acceptsLocalHost(_ host: String) {
        #expect(AccessPolicy().refusal(ofRequest: RequestHeaders(host: host)) == nil)
    }

    @Test(arguments: badHosts) func refusesForeignOrOddHost(_ host: String) {
        #expect(AccessPolicy().refusal(ofRequest: RequestHeaders(host: host))?.code == .hostNotAllowed)
    }

    @Test func refusesRequestWithoutHost() {
        #expect(AccessPolicy().refusal(ofRequest: RequestHeaders())?.code == .hostNotAllowed)
    }

    @Test(arguments: goodHosts) func acceptsLocalOrigin(_ host: String) {
        #expect(AccessPolicy().refusal(ofRequest: RequestHeaders(host: "localhost", origin: "http://\(host)")) == nil)
    }

    @Test(
        arguments: badHosts.map { "http://\($0)" } + [
            "null", "", "file://", "ftp://localhost", "http://localhost/", "localhost",
        ])
    func refusesForeignOrOddOrigin(_ origin: String) {
        #expect(
            AccessPolicy().refusal(ofRequest: RequestHeaders(host: "localhost", origin: origin))?.code
                == .originNotAllowed)
    }

    /// The fields that browsers send in place of an origin: for a script, an image, a style sheet.
    @Test(
        arguments: [
            (site: "cross-site", referer: "http://evil.com/page", isRefused: true),
            (site: "cross-site", referer: "http://localhost.evil.com/", isRefused: true),
            (site: "cross-site", referer: "http://evil.com/http://localhost/", isRefused: true),
            (site: "cross-site", referer: "about:client", isRefused: true),
            (site: "cross-site", referer: nil, isRefused: true),
            (site: nil, referer: "http://evil.com/", isRefused: true),
            (site: "cross-site", referer: "http://app.test:3000/cart?x#y", isRefused: false),
            (site: "same-site", referer: nil, isRefused: false), (site: "same-origin", referer: nil, isRefused: false),
            (site: "none", referer: nil, isRefused: false),
            (site: nil, referer: "http://[::1]:3000/", isRefused: false),
            (site: nil, referer: nil, isRefused: false),
        ] as [(site: String?, referer: String?, isRefused: Bool)])
    func refusesEmbeddingByOtherSites(page: (site: String?, referer: String?, isRefused: Bool)) {
        let headers = RequestHeaders(
            host: "localhost", referer: page.referer, fetchSite: page.site, fetchMode: page.site.map { _ in "no-cors" })
        let refusal = AccessPolicy().refusal(ofRequest: headers)
        #expect((refusal?.code == .originNotAllowed) == page.isRefused)
    }

    @Test(
        arguments: [
            (site: "cross-site", referer: "https://example.com/", isRefused: true),
            (site: "cross-site", referer: nil, isRefused: true),
            (site: nil, referer: "https://example.com/", isRefused: true),
            (site: "cross-site", referer: "http://localhost:3000/", isRefused: false),
            (site: "same-site", referer: nil, isRefused: false), (site: "same-origin", referer: nil, isRefused: false),
            (site: "none", referer: nil, isRefused: false), (site: nil, referer: nil, isRefused: false),
        ] as [(site: String?, referer: String?, isRefused: Bool)])
    func refusesNavigationThatAnotherSiteBegan(link: (site: String?, referer: String?, isRefused: Bool)) {
        let headers = RequestHeaders(
            host: "localhost", referer: link.referer, accept: "text/html", fetchSite: link.site,
            fetchMode: link.site.map { _ in "navigate" })
        #expect((AccessPolicy().refusal(ofRequest: headers)?.code == .navigationNotAllowed) == link.isRefused)
    }

    @Test func asksAPersonWhoCameFromAnotherSite() async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(
                path: "/demo/", port: address.port,
                headers: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Referer: http://<b>evil.com/"])
            #expect(response.status == 403 && response.fields["content-type"] == "text/html; charset=utf-8")
            #expect(response.body.contains(#"<a href="">"#) && !response.body.contains("evil"))
        }
    }

    @Test(arguments: ["/", "/health", "/bridge.js", "/demo/", "/demo/demo.js", "/openrpc.json", "/traffic", "/nowhere"])
    func allowsNoPageToFrameIt(path: String) async throws {
        try await withServer { _, address in
            let policy = try await HTTPClient.request(path: path, port: address.port).fields["content-security-policy"]
            #expect(policy?.contains("frame-ancestors 'none'") == true)
        }
    }

    @Test func servesDocumentsOnlyAtAddressesThatNativeCodeMakes() async throws {
        try await withServer { server, address in
            let url = try #require(server.url(for: "main"))
            let path = String(url.dropFirst(address.url.count - 1))
            #expect(try await HTTPClient.request(path: path, port: address.port).status == 200)
            for number in ["0", "-1", "9223372036854775807", "9223372036854775808", "1e308", "NaN", ""] {
                let response = try await HTTPClient.request(path: "\(path)&document=\(number)", port: address.port)
                #expect(response.status == 404)
            }
            for path in ["/document", "/document?web-view=main", path.replacing("key=", with: "key=0")] {
                #expect(try await HTTPClient.request(path: path, port: address.port).status == 401)
            }
        }
    }

    @Test func hintsAtReferrerPolicyIfThePageHidesItsSite() {
        let refusal = AccessPolicy().refusal(
            ofRequest: RequestHeaders(host: "localhost", fetchSite: "cross-site", fetchMode: "no-cors"))
        #expect(refusal?.hint.contains("referrerpolicy=\"origin\"") == true)
    }

    @Test func acceptsTheDaemonsOwnPagesAtItsAddresses() {
        let access = AccessPolicy(allowedHosts: ["192.168.1.5"])
        func refusal(_ origin: String) -> Refusal? {
            access.refusal(ofRequest: RequestHeaders(host: "192.168.1.5:2734", origin: origin))
        }
        #expect(refusal("http://192.168.1.5:2734") == nil)
        #expect(refusal("http://192.168.1.5:3000")?.code == .originNotAllowed)
        #expect(refusal("http://192.168.1.6:2734")?.code == .originNotAllowed)
    }

    /// The servers of http://localhost and https://localhost are different ones.
    @Test func ownOriginHasTheDaemonsSchemeAndPort() throws {
        for scheme in ["http", "https"] {
            let access = AccessPolicy(isStrict: true, scheme: scheme)
            for other in ["http", "https"] {
                let refusal = access.refusal(
                    ofRequest: RequestHeaders(host: "localhost", origin: "\(other)://localhost"))
                #expect((refusal == nil) == (other == scheme))
                let headers = RequestHeaders(host: "localhost", origin: "\(other)://localhost")
                #expect(PageSender(headers, access).isOwn == (other == scheme))
            }
            let otherPort = try #require(Origin("\(scheme)://localhost:2734"))
            #expect(!access.isOwn(otherPort, at: "localhost"))
        }
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func acceptsAnyIPAddressIfItListensOnAll(_ address: String) throws {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = [address]
        let access = try TransportConfiguration(configuration).access
        func refusal(_ host: String) -> Refusal? { access.refusal(ofRequest: RequestHeaders(host: host)) }
        #expect(refusal("192.168.1.5:2734") == nil && refusal("[fe80::1]") == nil)
        #expect(refusal("evil.com")?.code == .hostNotAllowed && refusal("1.2.3")?.code == .hostNotAllowed)
    }

    @Test func recognizesEveryFormOfAnAddress() throws {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = ["2001:DB8:0:0::1"]
        let access = try TransportConfiguration(configuration).access
        #expect(access.refusal(ofRequest: RequestHeaders(host: "[2001:db8::1]:2734")) == nil)
    }

    @Test func acceptsHostOfAnAllowedOrigin() throws {
        let access = AccessPolicy(allowedOrigins: [try #require(OriginPattern("https://dev.example.com"))])
        #expect(access.refusal(ofRequest: RequestHeaders(host: "dev.example.com:2734")) == nil)
        #expect(access.refusal(ofRequest: RequestHeaders(host: "example.com"))?.code == .hostNotAllowed)
    }

    @Test func acceptsAllowedOriginWithOrWithoutDefaultPort() throws {
        let access = AccessPolicy(allowedOrigins: [try #require(OriginPattern("https://staging.example.com"))])
        func refusal(_ origin: String) -> Refusal? {
            access.refusal(ofRequest: RequestHeaders(host: "localhost", origin: origin))
        }
        #expect(refusal("https://staging.example.com:443") == nil)
        #expect(refusal("http://staging.example.com") != nil)
        #expect(refusal("https://staging.example.com:444") != nil)
    }

    @Test func hintsAtTheOptionThatAllowsAnOrigin() {
        let refusal = AccessPolicy().refusal(
            ofRequest: RequestHeaders(host: "localhost", origin: "https://app.example"))
        #expect(refusal?.hint.contains("\"https://app.example\" in Configuration.allowedOrigins") == true)
    }

    @Test func tokenMatchesOnlyItself() {
        let token = AccessToken()
        #expect(token.text.count == 32)
        #expect(token.matches(token.text))
        #expect(!token.matches(AccessToken().text) && !token.matches("") && !token.matches(token.text + "0"))
    }
}
