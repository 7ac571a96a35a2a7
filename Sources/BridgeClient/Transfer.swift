import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP request in progress. If the status is 200, it passes each complete line of the body on, and keeps only the
/// rest.
final class Transfer: NSObject, URLSessionDataDelegate, Sendable {
    struct Answer: Sendable {
        var status = 0
        /// The body without the lines that were passed on.
        var body: [UInt8] = []
    }

    private struct State {
        var answer = Answer()
        var error: (any Error)?
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    private let onLine: @Sendable ([UInt8]) -> Void

    init(_ onLine: @escaping @Sendable ([UInt8]) -> Void) { self.onLine = onLine }

    /// Waits for the end of the response.
    func wait() throws -> Answer {
        ended.wait()
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.answer
        }
    }

    /// Follows no redirect: a daemon sends none, and another server must not get the token.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.answer.status = (response as? HTTPURLResponse)?.statusCode ?? 0 }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let lines = state.withLock { state in
            state.answer.body += data
            return state.answer.takeLines()
        }
        for line in lines { onLine(line) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.error = error }
        ended.signal()
    }
}

extension Transfer.Answer {
    /// Removes and returns the complete lines. Keeps the whole body if the status is not 200.
    fileprivate mutating func takeLines() -> [[UInt8]] {
        guard status == 200, let end = body.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { body.removeFirst(end + 1) }
        return body[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init)
    }
}
