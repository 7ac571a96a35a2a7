import Foundation
import Synchronization

/// Carries out one ``HTTPRequest`` on the thread that calls ``run(onLine:)``.
final class Transfer: Sendable {
    private let request: HTTPRequest
    private let deadline: ContinuousClock.Instant
    private let wasCancelled = Atomic(false)

    init(_ request: HTTPRequest) {
        self.request = request
        deadline = .now + request.timeout
    }

    /// Ends the request within a second.
    func cancel() { wasCancelled.store(true, ordering: .relaxed) }

    private var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) || request.isCancelled() }

    func run(onLine: (([UInt8]) -> Void)? = nil) throws(HTTPRequestError) -> HTTPAnswer {
        guard let handle = CurlHandle() else { throw .failed("libcurl.so.4 is missing. Install the package libcurl4") }
        var url = request.url
        var json = request.json
        for _ in 0...HTTPRequest.maximumRedirects {
            guard ["http", "https"].contains(url.scheme?.lowercased()) else { throw .wrongScheme }
            let headerDeadline = request.headerTimeout.map { ContinuousClock.now + $0 }
            let response = CurlResponse(
                maximumBodySize: request.maximumBodySize, lineType: request.accept, onLine: onLine
            ) { response in
                let isAnswering = response.hasHeader && (onLine == nil || response.hasLines)
                let isLate = headerDeadline.map { !isAnswering && ContinuousClock.now > $0 } ?? false
                return isLate || self.isCancelled
            }
            try exchange(url, json, handle, response)
            guard response.isRedirect, let location = response.location,
                let target = URL(string: location, relativeTo: url)?.absoluteURL
            else { return answer(response, nil, handle) }
            guard target.hasSameOrigin(as: url) else { return answer(response, target, handle) }
            // As browsers do: after 307 and 308 a POST stays a POST (RFC 9110, section 15.4).
            if response.status < 307 { json = nil }
            url = target
        }
        throw .tooManyRedirects
    }

    private func exchange(
        _ url: URL, _ json: [UInt8]?, _ handle: CurlHandle, _ response: CurlResponse
    ) throws(HTTPRequestError) {
        let rest = deadline - .now
        if isCancelled { throw .cancelled }
        guard rest > .zero else { throw .timedOut(request.timeout) }
        switch handle.perform(
            url, json, header: ["Accept: \(request.accept)"] + request.headers, within: rest, response)
        {
        case .complete: return
        case .timedOut: throw .timedOut(request.timeout)
        case .failed where isCancelled: throw .cancelled
        case .failed where response.isAborted: throw .timedOut(request.headerTimeout ?? request.timeout)
        case .failed where response.isHeaderTooLarge: throw .headerTooLarge
        case .failed where response.hasHeader: throw .cutOff
        case .failed(let reason): throw .failed(reason)
        }
    }

    private func answer(_ response: CurlResponse, _ redirect: URL?, _ handle: CurlHandle) -> HTTPAnswer {
        HTTPAnswer(
            status: response.status, redirect: redirect, mediaType: response.mediaType, body: response.body,
            isCut: response.isCut, cookies: handle.cookies)
    }
}
