import BridgeInput
import Foundation
import TestSupport
import Testing

/// Requests to servers that answer as badly as they can.
@Suite(.timeLimit(.minutes(4))) struct HTTPRequestTests {
    private let server: ConfigurationServer
    private let other: ConfigurationServer

    init() throws {
        server = try ConfigurationServer(.body(Array("hello".utf8)), at: "/")
        other = try ConfigurationServer(.body(Array("secret".utf8)), at: "/")
    }

    private func request(_ path: String = "/", size: Int = 1_000) throws -> HTTPRequest {
        var request = HTTPRequest(try server.url(path), maximumBodySize: size)
        request.timeout = .seconds(30)
        return request
    }

    private func redirect(_ status: Int, to location: String) -> ConfigurationServer.Answer {
        .body([], status: status, headers: ["Location: \(location)"])
    }

    @Test func readsTheBodyUpToTheLimit() async throws {
        let whole = try await request().send()
        #expect(whole.status == 200 && whole.body == Array("hello".utf8) && !whole.isCut)
        let cut = try await request(size: 4).send()
        #expect(cut.body == Array("hell".utf8) && cut.isCut)
        server.set(.flood, at: "/")
        let flood = try await request().send()
        #expect(flood.body.count == 1_000 && flood.isCut)
    }

    @Test func readsOnlyTheHeader() async throws {
        server.set(.flood, at: "/")
        let answer = try await request(size: 0).send()
        #expect(answer.status == 200 && answer.body.isEmpty)
    }

    @Test func endsAHeaderWithoutEnd() async throws {
        let starts = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", ""]
        for (start, part) in zip(starts, ["X-Field: x\r\n", starts[1], "no HTTP at all"]) {
            server.set(.endless(head: start, repeating: part), at: "/")
            let request = try request()
            await #expect(throws: HTTPRequestError.self) { try await request.send() }
        }
    }

    // MARK: Redirects

    @Test func followsRedirectsWithinTheOrigin_withoutTheirBodies() async throws {
        server.set(.endless(head: "HTTP/1.1 302 -\r\nLocation: b/../\r\n\r\n", repeating: "more"), at: "/a")
        let answer = try await request("/a").send()
        #expect(answer.status == 200 && answer.body == Array("hello".utf8) && answer.redirect == nil)
    }

    @Test func stopsAtAnotherOrigin() async throws {
        let locations = [
            "\(try other.url("/"))?code=1", "http://localhost:\(try server.url().port ?? 0)/", "file:///etc/passwd",
            "ftp://127.0.0.1/", "//127.0.0.2/", "https://127.0.0.1:\(try server.url().port ?? 0)/",
        ]
        for location in locations {
            server.set(redirect(302, to: location), at: "/")
            let answer = try await request().send()
            #expect(answer.status == 302 && answer.body.isEmpty)
            #expect(answer.redirect?.absoluteString.hasSuffix(location) == true)
        }
        #expect(other.requests == [] && server.requests.count == locations.count)
    }

    @Test func ignoresALocationThatIsNoURL() async throws {
        for location in ["http://[", "", "http://a:99999999/"] {
            server.set(redirect(302, to: location), at: "/")
            let request = try request()
            _ = try? await request.send()
        }
    }

    @Test func endsACircleOfRedirects() async throws {
        server.set(redirect(302, to: "/"), at: "/")
        let request = try request()
        await #expect(throws: HTTPRequestError.tooManyRedirects) { try await request.send() }
        #expect(server.requests.count == 11)
    }

    @Test func credentialsStayOnTheirOrigin() async throws {
        server.set(redirect(307, to: "\(try other.url("/"))"), at: "/session")
        var request = try request("/session")
        request.json = Array(#"{"password":"s3cret"}"#.utf8)
        #expect(try await request.send().status == 307)
        #expect(other.requests == [])
        server.set(redirect(308, to: "/again"), at: "/session")
        server.set(
            .body([], status: 303, headers: ["Location: /", "Set-Cookie: a=1; HttpOnly", "Set-Cookie: b=2; Path=/x"]),
            at: "/again")
        let answer = try await request.send()
        let methods = server.requests.compactMap { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(methods == ["POST /session", "POST /session", "POST /again", "GET /"])
        #expect(answer.status == 200 && server.requests.last?.contains("s3cret") == false)
        #expect(
            Set(answer.cookies.map { "\($0.name)=\($0.value) \($0.path) \($0.isHTTPOnly)" })
                == ["a=1 / true", "b=2 /x false"])
    }

    // MARK: The end

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:text/plain,x", "/path"])
    func refusesOtherSchemes(_ text: String) async throws {
        let request = HTTPRequest(try #require(URL(string: text)), maximumBodySize: 1_000)
        await #expect(throws: HTTPRequestError.wrongScheme) { try await request.send() }
    }

    @Test(arguments: [
        ConfigurationServer.Answer.silence, .endless(head: "HTTP/1.1 200 OK\r\n\r\n", repeating: "x"),
    ])
    func endsASlowServer(_ answer: ConfigurationServer.Answer) async throws {
        server.set(answer, at: "/")
        var request = try request(size: .max)
        request.timeout = .milliseconds(300)
        let slow = request
        await #expect(throws: HTTPRequestError.timedOut(.milliseconds(300))) { try await slow.send() }
    }

    @Test func endsWhenItIsCancelled() async throws {
        server.set(.silence, at: "/")
        let request = try request()
        let task = Task { try await request.send() }
        task.cancel()
        await #expect(throws: HTTPRequestError.cancelled) { try await task.value }
    }

    @Test func namesTheServerThatCannotBeReached() async throws {
        let request = HTTPRequest(try #require(URL(string: "http://127.0.0.1:1/")), maximumBodySize: 1_000)
        let error = await #expect(throws: HTTPRequestError.self) { try await request.send() }
        // These are libcurl's words, before version 8.10 and since.
        let texts = ["Couldn't connect to server", "Could not connect to server"]
        #expect(texts.contains { error == .failed($0) })
    }
}
