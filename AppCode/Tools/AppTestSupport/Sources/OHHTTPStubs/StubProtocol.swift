import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers the requests that have a stub.
///
/// Foundation on Linux follows no redirect of such a protocol, so that this one does.
final class StubProtocol: URLProtocol {
    private static let redirectLimit = 20

    override class func canInit(with request: URLRequest) -> Bool { HTTPStubs.stub(for: request) != nil }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        var request = request
        for _ in 0...StubProtocol.redirectLimit {
            guard let answer = HTTPStubs.stub(for: request)?.response(request) else {
                return fail(URLError(.cannotConnectToHost))
            }
            Thread.sleep(forTimeInterval: max(0, answer.requestTime))
            if let error = answer.error { return fail(error) }
            guard let next = StubProtocol.redirect(answer, from: request) else { return respond(answer, to: request) }
            request = next
        }
        fail(URLError(.httpTooManyRedirects))
    }

    override func stopLoading() {}

    private static func redirect(_ answer: HTTPStubsResponse, from request: URLRequest) -> URLRequest? {
        let location = answer.httpHeaders.first { $0.key.lowercased() == "location" }?.value
        guard (300..<400).contains(answer.statusCode), let location,
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL
        else { return nil }
        var next = request
        next.url = url
        return next
    }

    private func respond(_ answer: HTTPStubsResponse, to request: URLRequest) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: Int(answer.statusCode), httpVersion: "HTTP/1.1", headerFields: answer.httpHeaders)
        else { return fail(URLError(.badServerResponse)) }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        Thread.sleep(forTimeInterval: max(0, answer.responseTime))
        client?.urlProtocol(self, didLoad: answer.data)
        client?.urlProtocolDidFinishLoading(self)
    }

    private func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }
}
