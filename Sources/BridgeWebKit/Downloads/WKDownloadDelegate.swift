import BridgeProtocol
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Says where a download is saved, and tracks it. A decision can be made in either form, with a handler or async.
@preconcurrency @MainActor public protocol WKDownloadDelegate: NSObjectProtocol {
    /// - Parameter completionHandler: gets the URL of a file that does not exist, in a folder that does; nil cancels the
    ///   download. As in WebKit, the download fails with `URLError.cancelled` otherwise.
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
        completionHandler: @escaping @MainActor @Sendable (URL?) -> Void)
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
    ) async -> URL?

    func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        decisionHandler: @escaping @MainActor @Sendable (WKDownload.RedirectPolicy) -> Void)
    func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> WKDownload.RedirectPolicy

    func downloadDidFinish(_ download: WKDownload)
    /// - Parameter resumeData: always nil here.
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?)
}

extension WKDownloadDelegate {
    public func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
        completionHandler: @escaping @MainActor @Sendable (URL?) -> Void
    ) {
        startImmediately {
            completionHandler(
                await self.download(
                    download, decideDestinationUsing: response, suggestedFilename: suggestedFilename))
        }
    }

    public func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
    ) async -> URL? {
        nil
    }

    public func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        decisionHandler: @escaping @MainActor @Sendable (WKDownload.RedirectPolicy) -> Void
    ) {
        startImmediately {
            decisionHandler(
                await self.download(download, willPerformHTTPRedirection: response, newRequest: request))
        }
    }

    public func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> WKDownload.RedirectPolicy {
        .allow
    }

    public func downloadDidFinish(_ download: WKDownload) {}
    public func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {}
}
