import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A resource that is saved to a file and not shown. bridged fetches it itself: with the cookies and the user agent of the
/// page if a browser is driven, by the scheme's handler, or in the page if only that has it (`blob:` and `data:`).
@preconcurrency @MainActor open class WKDownload: NSObject {
    public enum RedirectPolicy: Int, Sendable {
        case cancel = 0
        case allow = 1
    }

    /// Without it, the download ends when it has a response.
    open weak var delegate: (any WKDownloadDelegate)?
    open var originalRequest: URLRequest? { request }
    open private(set) weak var webView: WKWebView?
    /// The bytes that have come, and how many there will be; -1 if the server has not said it.
    public let progress = Progress(totalUnitCount: -1)

    private let request: URLRequest
    private var transfer: (any DownloadTransfer)?
    private var file: DownloadFile?
    private var destination: URL?
    private var isComplete = false
    private var phase = Phase.waiting

    private enum Phase { case waiting, receiving, ended }

    init(_ request: URLRequest, in webView: WKWebView) {
        (self.request, self.webView) = (request, webView)
        super.init()
        progress.isCancellable = true
        progress.cancellationHandler = { [weak self] in Task { @MainActor in self?.end() } }
    }

    /// Ends the download. Its delegate is not called any more.
    /// - Parameter completionHandler: gets nil, because a download cannot be resumed here.
    open func cancel(_ completionHandler: (@MainActor @Sendable (Data?) -> Void)? = nil) {
        end()
        Task { completionHandler?(nil) }
    }

    @discardableResult
    open func cancel() async -> Data? {
        end()
        return nil
    }

    /// Begins in a later turn of the main actor, when the app has set the delegate. The transfer keeps this object until it
    /// has ended.
    func begin() {
        Task { self.start() }
    }

    private func start() {
        guard phase == .waiting else { return }
        guard let webView else { return fail(URLError(.cancelled)) }
        phase = .receiving
        do {
            file = try DownloadFile()
            transfer = webView.transfer(request, of: self) { self.take($0) }
            transfer?.start()
        } catch {
            fail(error)
        }
    }

    /// Asks the delegate whether to follow a redirect.
    func decide(
        _ response: HTTPURLResponse, _ request: URLRequest, decided: @escaping @MainActor @Sendable (Bool) -> Void
    ) {
        guard let delegate else { return decided(true) }
        delegate.download(self, willPerformHTTPRedirection: response, newRequest: request) { decided($0 == .allow) }
    }

    // MARK: What comes

    private func take(_ part: SchemeTask.Part) {
        guard phase == .receiving else { return }
        switch part {
        case .response(let response): received(response)
        case .data(let data):
            do {
                try file?.write(data)
                progress.completedUnitCount += Int64(data.count)
            } catch {
                fail(error)
            }
        case .finished:
            isComplete = true
            finishIfPossible()
        case .failed(let error, _): fail(error)
        }
    }

    private func received(_ response: URLResponse) {
        progress.totalUnitCount = max(-1, response.expectedContentLength)
        guard let delegate else {
            webView?.limitations.report(
                "A WKDownload was cancelled, because it had no delegate when its response came.",
                hint: "Set download.delegate in webView(_:navigationResponse:didBecome:), or where startDownload ends.")
            return end()
        }
        delegate.download(self, decideDestinationUsing: response, suggestedFilename: DownloadFile.name(for: response)) {
            self.decided($0)
        }
    }

    private func decided(_ destination: URL?) {
        guard phase == .receiving, self.destination == nil else { return }
        if let destination, let objection = DownloadFile.objection(to: destination) {
            webView?.limitations.report("A WKDownload was cancelled: \(objection)", hint: DownloadFile.hint)
            return fail(URLError(.cancelled))
        }
        guard let destination else { return fail(URLError(.cancelled)) }
        self.destination = destination
        finishIfPossible()
    }

    private func finishIfPossible() {
        guard isComplete, let destination, let file else { return }
        do {
            try file.move(to: destination)
        } catch {
            return fail(error)
        }
        progress.totalUnitCount = progress.completedUnitCount
        end()
        delegate?.downloadDidFinish(self)
    }

    private func fail(_ error: any Error) {
        guard phase != .ended else { return }
        end()
        delegate?.download(self, didFailWithError: error, resumeData: nil)
    }

    private func end() {
        phase = .ended
        transfer.take()?.stop()
        file = nil
    }
}

/// Fetches what a download saves.
@MainActor protocol DownloadTransfer: AnyObject {
    /// Begins. Everything comes in later turns of the main actor, or at once.
    func start()
    /// Ends it, if it has not ended.
    func stop()
}

extension SchemeTask: DownloadTransfer {}
