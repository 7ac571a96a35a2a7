import Embassy
import Foundation
import OHHTTPStubs
import OHHTTPStubsSwift
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.serialized) struct AppTestSupportTests {
    private func get(_ url: String) async throws -> (String, HTTPURLResponse) {
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: url)))
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    @Test func stubs_answerInPlaceOfServers_andFollowRedirects() async throws {
        defer { HTTPStubs.removeAllStubs() }
        stub(condition: isHost("a.test")) { _ in
            HTTPStubsResponse(data: Data(), statusCode: 301, headers: ["Location": "https://b.test/x"])
        }
        stub(condition: isHost("b.test") && isPath("/x")) { _ in
            HTTPStubsResponse(jsonObject: ["n": 1], statusCode: 401, headers: nil)
        }
        let (body, response) = try await get("https://a.test/")
        #expect(body == "{\"n\":1}" && response.statusCode == 401)
        #expect(response.url?.absoluteString == "https://b.test/x")
    }

    @Test func stubs_fail_andTheLastOneCounts() async throws {
        defer { HTTPStubs.removeAllStubs() }
        stub(condition: isHost("a.test")) { _ in HTTPStubsResponse(data: Data(), statusCode: 200, headers: nil) }
        let last = stub(condition: { _ in true }) { _ in HTTPStubsResponse(error: URLError(.notConnectedToInternet)) }
        await #expect(throws: (any Error).self) { try await get("https://a.test/") }
        #expect(HTTPStubs.removeStub(last))
        #expect(try await get("https://a.test/").1.statusCode == 200)
    }

    @Test func server_answersFromItsClosure_andStops() async throws {
        let loop = try SelectorEventLoop(selector: KqueueSelector())
        let port = Int.random(in: 20_000..<32_000)
        let server = DefaultHTTPServer(eventLoop: loop, port: port) { environ, startResponse, sendBody in
            startResponse("404 Not Found", [("Content-Type", "text/plain")])
            sendBody(Data("\(environ["PATH_INFO"] ?? "")|\(environ["QUERY_STRING"] ?? "")".utf8))
            sendBody(Data())
        }
        try server.start()
        let (body, response) = try await get("http://localhost:\(port)/a%20b?c=d")
        #expect(body == "/a b|c=d" && response.statusCode == 404)
        server.stopAndWait()
        try server.start()
        server.stopAndWait()
        await #expect(throws: (any Error).self) { try await get("http://localhost:\(port)/") }
    }
}
