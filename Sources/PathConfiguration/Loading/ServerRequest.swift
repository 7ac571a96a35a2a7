import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A GET request for a path configuration, with a limit on the size of the answer. It follows redirects.
///
/// `@unchecked Sendable`: `received` is used only in delegate calls, which URLSession makes one at a time on its serial
/// queue, and `continuation` is protected by its mutex.
final class ServerRequest: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let url: URL
    private let options: PathConfiguration.ServerOptions
    private var received = Data()
    private let continuation = Mutex<CheckedContinuation<Data, any Error>?>(nil)

    private init(_ url: URL, _ options: PathConfiguration.ServerOptions) {
        self.url = url
        self.options = options
    }

    /// - Throws: ``PathConfigurationSourceError``.
    static func data(from url: URL, options: PathConfiguration.ServerOptions) async throws -> Data {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw PathConfigurationSourceError.unreachable(url, reason: "its scheme is neither http nor https")
        }
        let request = ServerRequest(url, options)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = options.timeout / .seconds(1)
        configuration.timeoutIntervalForRequest = options.timeout / .seconds(1)
        let session = URLSession(configuration: configuration, delegate: request, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                request.continuation.withLock { $0 = continuation }
                session.dataTask(with: url).resume()
            }
        } onCancel: {
            session.invalidateAndCancel()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 {
            finish(.failure(PathConfigurationSourceError.status(url, status)))
        } else if response.expectedContentLength > Int64(options.maximumSize) {
            finish(.failure(PathConfigurationSourceError.tooLarge(url, limit: options.maximumSize)))
        } else {
            return completionHandler(.allow)
        }
        completionHandler(.cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received += data
        guard received.count > options.maximumSize else { return }
        finish(.failure(PathConfigurationSourceError.tooLarge(url, limit: options.maximumSize)))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        switch error {
        case nil: finish(.success(received))
        case let error as URLError where error.code == .timedOut:
            finish(.failure(PathConfigurationSourceError.timedOut(url, options.timeout)))
        case let error?:
            finish(.failure(PathConfigurationSourceError.unreachable(url, reason: ServerRequest.reason(error))))
        }
    }

    /// Ends the request. Only the first result counts: an error that follows a cancellation is ignored.
    private func finish(_ result: Result<Data, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: result)
    }

    private static func reason(_ error: any Error) -> String {
        let text = error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
