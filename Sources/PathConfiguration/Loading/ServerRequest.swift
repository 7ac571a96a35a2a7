import BridgeInput
import Foundation

/// A GET request for a path configuration.
enum ServerRequest {
    static func data(
        from url: URL, options: PathConfiguration.ServerOptions
    ) async throws(PathConfigurationSourceError) -> Data {
        var request = HTTPRequest(url, maximumBodySize: options.maximumSize)
        request.timeout = options.timeout
        let answer: HTTPAnswer
        do throws(HTTPRequestError) { answer = try await request.send() } catch {
            if case .timedOut(let limit) = error { throw .timedOut(url, limit) }
            throw .unreachable(url, reason: error.description)
        }
        if let redirect = answer.redirect { throw .redirected(url, to: redirect.originText) }
        guard answer.status == 200 else { throw .status(url, answer.status) }
        guard !answer.isCut else { throw .tooLarge(url, limit: options.maximumSize) }
        return Data(answer.body)
    }
}
