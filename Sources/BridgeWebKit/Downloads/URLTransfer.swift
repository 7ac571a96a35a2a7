import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches the URL of a download over http or https, as the browser of a page would.
@MainActor final class URLTransfer: DownloadTransfer {
    /// How long Foundation waits for the server, in seconds. It crashes if a redirect is answered after that time, and the
    /// app may take long to answer. So this class itself counts the time that the app's request names.
    private static let idleTimeout: TimeInterval = 7 * 24 * 3_600
    private let request: URLRequest
    private let cookies: @MainActor (URL) async -> String?
    private let decide: @MainActor (HTTPURLResponse, URLRequest, @escaping @MainActor @Sendable (Bool) -> Void) -> Void
    private let take: @MainActor (SchemeTask.Part) -> Void
    private var session: URLSession?
    private var hasEnded = false
    private var hasResponse = false
    /// When the server was last heard of; nil before the request, and while the app decides about a redirect.
    private var heardAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - cookies: gives the value of the field `Cookie` for a URL.
    ///   - decide: says whether to follow a redirect.
    init(
        _ request: URLRequest, cookies: @escaping @MainActor (URL) async -> String?,
        decide:
            @escaping @MainActor (HTTPURLResponse, URLRequest, @escaping @MainActor @Sendable (Bool) -> Void) -> Void,
        take: @escaping @MainActor (SchemeTask.Part) -> Void
    ) {
        (self.request, self.cookies, self.decide, self.take) = (request, cookies, decide, take)
    }

    func start() {
        Task {
            let request = await withCookies(request)
            guard !hasEnded else { return }
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpShouldSetCookies = false
            let session = URLSession(
                configuration: settings, delegate: Listener { self.handle($0) }, delegateQueue: .main)
            self.session = session
            heardAt = .now
            endIfSilent()
            session.dataTask(with: request).resume()
        }
    }

    /// Ends the transfer when the server has been silent for as long as it may, as on iOS.
    private func endIfSilent() {
        // 60 s is the default, also for 0.
        let seconds = request.timeoutInterval > 0 ? request.timeoutInterval : 60
        let limit = Duration(clampingMilliseconds: seconds * 1_000)
        Task { [weak self] in
            while let left = self?.timeLeft(of: limit) { try? await Task.sleep(for: left) }
        }
    }

    /// How long the server may still be silent; nil if the transfer has ended.
    private func timeLeft(of limit: Duration) -> Duration? {
        guard !hasEnded else { return nil }
        guard let heardAt else { return limit }
        let left = limit - (.now - heardAt)
        guard left <= .zero else { return left }
        stop()
        take(.failed(URLError(.timedOut), isWithinResponse: hasResponse))
        return nil
    }

    func stop() {
        guard !hasEnded else { return }
        hasEnded = true
        session?.invalidateAndCancel()
    }

    /// Adds the browser's cookies. A field that the app has set itself stays if the browser has none.
    private func withCookies(_ request: URLRequest) async -> URLRequest {
        var request = request
        request.timeoutInterval = URLTransfer.idleTimeout
        if let url = request.url, let cookies = await cookies(url) {
            request.setValue(cookies, forHTTPHeaderField: "Cookie")
        }
        return request
    }

    /// Leaves out of a redirected request what was meant for another server, as WebKit does. Foundation on Linux keeps it.
    private static func redirected(_ request: URLRequest, from url: URL?) -> URLRequest {
        guard url?.origin != request.url?.origin else { return request }
        var request = request
        for name in ["Authorization", "Proxy-Authorization", "Origin", "Cookie"] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        if url?.scheme == "https", request.url?.scheme == "http" {
            request.setValue(nil, forHTTPHeaderField: "Referer")
        }
        return request
    }

    private func handle(_ event: Event) {
        guard !hasEnded else { return }
        heardAt = .now
        switch event {
        case .response(let response):
            guard !hasResponse else { return }
            hasResponse = true
            take(.response(response))
        case .data(let data): take(.data(data))
        case .redirect(let response, let request, let follow):
            heardAt = nil
            let once = Once<Bool> { self.decided($0, URLTransfer.redirected(request, from: response.url), follow) }
            decide(response, request) { once($0) }
        case .ended(let error):
            hasEnded = true
            // It retains what listens.
            session?.finishTasksAndInvalidate()
            take(error.map { .failed($0, isWithinResponse: hasResponse) } ?? .finished)
        }
    }

    /// Foundation would take the response of a redirect that is not followed for the file. It must not be answered after the
    /// task has ended.
    private func decided(_ isAllowed: Bool, _ request: URLRequest, _ follow: @escaping @Sendable (URLRequest?) -> Void)
    {
        guard !hasEnded else { return }
        guard isAllowed else {
            stop()
            return take(.failed(URLError(.cancelled), isWithinResponse: false))
        }
        Task {
            let request = await withCookies(request)
            guard !hasEnded else { return }
            heardAt = .now
            follow(request)
        }
    }

    private enum Event: Sendable {
        case response(URLResponse)
        case data(Data)
        case redirect(HTTPURLResponse, URLRequest, follow: @Sendable (URLRequest?) -> Void)
        case ended((any Error)?)
    }

    /// Hands the events of a session, which come on the main queue, to the main actor.
    private final class Listener: NSObject, URLSessionDataDelegate {
        private let handle: @MainActor @Sendable (Event) -> Void

        init(_ handle: @escaping @MainActor @Sendable (Event) -> Void) { self.handle = handle }

        private func tell(_ event: Event) { MainActor.assumeIsolated { handle(event) } }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            tell(.response(response))
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            tell(.data(data))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            tell(.redirect(response, request, follow: completionHandler))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            tell(.ended(error))
        }
    }
}

/// Fetches the URL of a download that only its page has, such as `blob:`, by a script in the page.
@MainActor final class PageTransfer: DownloadTransfer {
    private let url: URL
    private weak var page: Page?
    private let take: @MainActor (SchemeTask.Part) -> Void

    init(_ url: URL, in page: Page?, take: @escaping @MainActor (SchemeTask.Part) -> Void) {
        (self.url, self.page, self.take) = (url, page, take)
    }

    private static let script = """
        const blob = await (await fetch(url)).blob()
        const reader = new FileReader()
        return await new Promise((resolve, reject) => {
          reader.onload = () => {
            // A type may have a comma, and the URL of an empty blob may have none.
            const begin = reader.result.lastIndexOf(",") + 1
            resolve([blob.type, begin ? reader.result.slice(begin) : ""])
          }
          reader.onerror = () => reject(reader.error)
          reader.readAsDataURL(blob)
        })
        """

    func start() {
        guard let page else { return take(.failed(WKError(.webContentProcessTerminated), isWithinResponse: false)) }
        let arguments = ScriptValue(["url": .string(url.absoluteString)] as JSONValue)
        page.callAsync(PageTransfer.script, arguments: arguments, world: nil) { [take, url] result in
            do {
                let value = try result.get()
                guard let data = value.child(index: 1)?.string.flatMap({ Data(base64Encoded: $0) }) else {
                    throw WKError(
                        .unknown, text: "The page gave no bytes of \(PageText.cut(url.absoluteString, to: 200)).")
                }
                let type = value.child(index: 0)?.string ?? ""
                take(
                    .response(
                        URLResponse(
                            url: url, mimeType: type.isEmpty ? nil : type, expectedContentLength: data.count,
                            textEncodingName: nil)))
                take(.data(data))
                take(.finished)
            } catch {
                take(.failed((error as? ScriptError).map { WKError($0) } ?? error, isWithinResponse: false))
            }
        }
    }

    func stop() {}
}

/// Fails a download that bridged cannot fetch.
@MainActor final class FailedTransfer: DownloadTransfer {
    private let fail: @MainActor () -> Void

    init(_ fail: @escaping @MainActor () -> Void) { self.fail = fail }

    func start() { fail() }
    func stop() {}
}
