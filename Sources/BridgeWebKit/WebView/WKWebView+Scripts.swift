import BridgeProtocol
import BridgeServer
public import Foundation

/// The result of an evaluation.
typealias ScriptResult = Result<ScriptValue, WKError>

// The argument labels are those of Apple's Swift overlay: the forms with a completion handler have `in:` twice, and the
// async forms have `contentWorld:`.
extension WKWebView {
    /// Evaluates a script in a frame.
    ///
    /// - Parameters:
    ///   - frame: nil for the main frame.
    ///   - contentWorld: pages with the script tag have only `page`; the call fails there for another world.
    public func evaluateJavaScript(
        _ javaScript: String, in frame: WKFrameInfo? = nil, in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) {
        evaluate(javaScript, in: frame, contentWorld) { completionHandler?($0.boxingNil) }
    }

    @discardableResult
    public func evaluateJavaScript(
        _ javaScript: String, in frame: WKFrameInfo? = nil, contentWorld: WKContentWorld
    ) async throws -> Any? {
        try await result { evaluate(javaScript, in: frame, contentWorld, $0) }
    }

    /// Runs the body of an async function and waits until its promise settles.
    /// - Parameter arguments: the values of the body's variables with these names.
    public func callAsyncJavaScript(
        _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
        in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) {
        callAsync(functionBody, arguments, in: frame, contentWorld) { completionHandler?($0.boxingNil) }
    }

    @discardableResult
    public func callAsyncJavaScript(
        _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
        contentWorld: WKContentWorld
    ) async throws -> Any? {
        try await result { callAsync(functionBody, arguments, in: frame, contentWorld, $0) }
    }

    /// Evaluates a script that has a URL. (Private in WebKit.)
    /// - Parameter sourceURL: the script's URL in errors.
    public func _evaluateJavaScript(
        _ javaScript: String, withSourceURL sourceURL: URL?, in frame: WKFrameInfo?,
        in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) {
        evaluate(javaScript, sourceURL: sourceURL?.absoluteString, in: frame, contentWorld) {
            completionHandler?($0.boxingNil)
        }
    }

    private func result(_ start: (@escaping @MainActor (ScriptResult) -> Void) -> Void) async throws -> Any? {
        let result = await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
        return try result.get().nativeValue
    }

    // MARK: Calling the page

    func evaluate(
        _ source: String, sourceURL: String? = nil, in frame: WKFrameInfo?, _ world: WKContentWorld = .page,
        _ completion: @escaping @MainActor (ScriptResult) -> Void
    ) {
        withPage(frame, world, completion) { page in
            page.evaluate(source, sourceURL: sourceURL, world: world.key) { completion($0.mapError { WKError($0) }) }
        }
    }

    private func callAsync(
        _ body: String, _ arguments: [String: Any], in frame: WKFrameInfo?, _ world: WKContentWorld,
        _ completion: @escaping @MainActor (ScriptResult) -> Void
    ) {
        guard let arguments = try? ScriptValue(nativeValue: arguments) else {
            return fail(.argumentTypes, completion)
        }
        withPage(frame, world, completion) { [timeout = server.configuration.limits.evaluationTimeout] page in
            page.callAsync(body, arguments: arguments, world: world.key) { result in
                guard case .failure(.pageGone) = result, !page.isTerminated else {
                    return completion(result.mapError { WKError($0) })
                }
                // WebKit never calls back if the page navigates away. Here the call fails after a while, so that no
                // caller waits forever.
                Task {
                    try? await Task.sleep(for: timeout)
                    completion(.failure(WKError(.webContentProcessTerminated)))
                }
            }
        }
    }

    /// Runs `body` with the frame's page, or with the web view's page as soon as there is one.
    private func withPage(
        _ frame: WKFrameInfo?, _ world: WKContentWorld, _ completion: @escaping @MainActor (ScriptResult) -> Void,
        _ body: @escaping @MainActor (Page) -> Void
    ) {
        let body = { @MainActor (page: Page) in
            guard world.isPage || page.isDriven else {
                return self.fail(WKError(.unknown, text: world.refusal), completion)
            }
            body(page)
        }
        guard scope.allowedScripts() != .none else { return fail(.javaScriptDisabled, completion) }
        if let frame {
            guard let page = frame.page, server.page(page.id) === page else {
                return fail(WKError(.javaScriptInvalidFrameTarget), completion)
            }
            body(page)
        } else if let page = loader.attachedPage {
            body(page)
        } else if expectsPage {
            queue.add(run: body) { [name = bridgedName, timeout = queue.timeout] in
                completion(.failure(.noPage(webView: name, timeout: timeout)))
            }
            server.onPageMissing?(bridgedName)
        } else {
            fail(.emptyDocument(webView: bridgedName), completion)
        }
    }

    /// Whether a page will attach: the web view loads one, its page is just being replaced, or it gets a window with an
    /// empty document. A page that somebody opens by chance does not count: WebKit would have run the script before, in a
    /// document that such a page replaces.
    private var expectsPage: Bool {
        loader.isLoading || loader.hasShownPage || server.onPageMissing != nil
            || server.pages.contains { $0.isDriven }
    }

    /// Calls `completion` with an error, in a later turn of the main actor.
    private func fail(_ error: WKError, _ completion: @escaping @MainActor (ScriptResult) -> Void) {
        Task { completion(.failure(error)) }
    }
}

extension WKError {
    /// The error if `javaScriptEnabled` is false.
    fileprivate static let javaScriptDisabled = WKError(
        JavaScriptException(message: "Cannot execute JavaScript in this document"))

    fileprivate static func emptyDocument(webView: String) -> WKError {
        WKError(
            .unknown,
            text: """
                The web view '\(webView)' shows no page and loads none, so that no browser can run the script. WebKit would run it \
                in an empty document. Load a page first.
                """)
    }

    fileprivate static func noPage(webView: String, timeout: Duration) -> WKError {
        WKError(
            .unknown,
            text: """
                No page attached to the web view '\(webView)' within \(timeout). Open a page in a browser that loads bridge.js from \
                the daemon first in <head>\(webView == "main" ? "" : ", with data-web-view=\"\(webView)\" on the tag").
                """)
    }
}

extension ScriptResult {
    var nativeValue: Any? { (try? get())?.nativeValue }

    var error: WKError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The result for Apple's completion handlers. For a script without a value it is an `Any` that holds nil.
    fileprivate var boxingNil: Result<Any, any Error> { map { boxed($0.nativeValue) }.mapError { $0 } }
}
