import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Presents user interface for a web view's pages. The methods of a dialog come in two forms, with a handler and async;
/// implement one. The page's script waits for the answer.
///
/// As in WebKit, a dialog whose method is missing is dismissed. `createWebViewWith` is called if a browser is driven;
/// otherwise the browser opens the window. `webViewDidClose` is not called.
@preconcurrency @MainActor public protocol WKUIDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView?
    func webViewDidClose(_ webView: WKWebView)
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo
    ) async
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo
    ) async -> Bool
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo
    ) async -> String?
    /// Asks for the files of an `<input type="file">`. Only a driven browser asks.
    func webView(
        _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable ([URL]?) -> Void)
    func webView(
        _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters, initiatedByFrame frame: WKFrameInfo
    ) async -> [URL]?
    /// Decides whether a page may use the camera or the microphone (`getUserMedia`). Only a driven browser asks. If the
    /// method is missing, the browser asks its user; one without a window has none, so it denies.
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
    func webView(
        _ webView: WKWebView, decideMediaCapturePermissionsFor origin: WKSecurityOrigin,
        initiatedBy frame: WKFrameInfo, type: WKMediaCaptureType
    ) async -> WKPermissionDecision
}

/// What a page wants to record with.
public enum WKMediaCaptureType: Int, Sendable {
    case camera
    case microphone
    case cameraAndMicrophone
}

public enum WKPermissionDecision: Int, Sendable {
    /// The browser asks its user.
    case prompt
    case grant
    case deny
}

/// What the user may choose in an open panel.
@preconcurrency @MainActor open class WKOpenPanelParameters: NSObject {
    open private(set) var allowsMultipleSelection: Bool
    /// Always false: browsers do not say whether folders may be chosen.
    open var allowsDirectories: Bool { false }

    init(allowsMultipleSelection: Bool) { self.allowsMultipleSelection = allowsMultipleSelection }
}

extension WKUIDelegate {
    public func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        nil
    }
    public func webViewDidClose(_ webView: WKWebView) {}
    public func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) {
        startImmediately {
            await self.webView(webView, runJavaScriptAlertPanelWithMessage: message, initiatedByFrame: frame)
            completionHandler()
        }
    }
    public func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo
    ) async {}
    public func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
    ) {
        startImmediately {
            completionHandler(
                await self.webView(webView, runJavaScriptConfirmPanelWithMessage: message, initiatedByFrame: frame))
        }
    }
    public func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo
    ) async -> Bool {
        false
    }
    public func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
    ) {
        startImmediately {
            completionHandler(
                await self.webView(
                    webView, runJavaScriptTextInputPanelWithPrompt: prompt, defaultText: defaultText,
                    initiatedByFrame: frame))
        }
    }
    public func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo
    ) async -> String? {
        nil
    }
    public func webView(
        _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable ([URL]?) -> Void
    ) {
        startImmediately {
            completionHandler(
                await self.webView(webView, runOpenPanelWith: parameters, initiatedByFrame: frame))
        }
    }
    public func webView(
        _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters, initiatedByFrame frame: WKFrameInfo
    ) async -> [URL]? {
        nil
    }
    public func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) {
        startImmediately {
            decisionHandler(
                await self.webView(
                    webView, decideMediaCapturePermissionsFor: origin, initiatedBy: frame, type: type))
        }
    }
    public func webView(
        _ webView: WKWebView, decideMediaCapturePermissionsFor origin: WKSecurityOrigin,
        initiatedBy frame: WKFrameInfo, type: WKMediaCaptureType
    ) async -> WKPermissionDecision {
        .prompt
    }
}

extension Dialog {
    /// Lets the web view's delegate answer. If the delegate has gone, the dialog is released, and thereby dismissed.
    func show(in webView: WKWebView) {
        let frame = WKFrameInfo(webView.shown(page.frame), page: page, webView: webView)
        let delegate = webView.uiDelegate
        switch kind {
        case .alert:
            delegate?.webView(webView, runJavaScriptAlertPanelWithMessage: message, initiatedByFrame: frame) {
                self.answer(.accept)
            }
        case .confirm:
            delegate?.webView(webView, runJavaScriptConfirmPanelWithMessage: message, initiatedByFrame: frame) {
                self.answer($0 ? .accept : .dismiss)
            }
        case .prompt:
            delegate?.webView(
                webView, runJavaScriptTextInputPanelWithPrompt: message, defaultText: defaultText,
                initiatedByFrame: frame
            ) { self.answer($0.map(DialogAnswer.accept(_:)) ?? .dismiss) }
        case .openPanel:
            let parameters = WKOpenPanelParameters(allowsMultipleSelection: allowsMultipleSelection)
            delegate?.webView(webView, runOpenPanelWith: parameters, initiatedByFrame: frame) {
                self.answer($0.map(DialogAnswer.files(_:)) ?? .dismiss)
            }
        case .mediaCapture:
            delegate?.webView(
                webView, requestMediaCapturePermissionFor: frame.securityOrigin, initiatedByFrame: frame,
                type: WKMediaCaptureType(devices)
            ) { self.answer(DialogAnswer($0)) }
        // WebKit asks its user itself: a delegate has no method for it.
        case .geolocation: answer(.prompt)
        case .authentication: answerChallenge(webView)
        }
    }

    /// Lets the navigation delegate answer a server's question for a user name and a password.
    private func answerChallenge(_ webView: WKWebView) {
        guard let delegate = webView.navigationDelegate, let challenge else { return answer(.dismiss) }
        delegate.webView(webView, didReceive: URLAuthenticationChallenge(challenge)) { disposition, credential in
            guard disposition == .useCredential, let user = credential?.user, let password = credential?.password
            else { return self.answer(.dismiss) }
            self.answer(.credentials(user: user, password: password))
        }
    }
}

/// Delegates answer a challenge by their completion handler.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

extension URLAuthenticationChallenge {
    fileprivate convenience init(_ challenge: BridgeProtocol.AuthenticationChallenge) {
        let method =
            challenge.scheme == "digest" ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        let space = URLProtectionSpace(
            host: challenge.host, port: challenge.port ?? 0, protocol: "http", realm: challenge.realm,
            authenticationMethod: method)
        self.init(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: ChallengeSender())
    }
}

extension WKMediaCaptureType {
    fileprivate init(_ devices: [CaptureDevice]) {
        switch (devices.contains(.camera), devices.contains(.microphone)) {
        case (true, true): self = .cameraAndMicrophone
        case (false, true): self = .microphone
        default: self = .camera
        }
    }
}

extension DialogAnswer {
    fileprivate init(_ decision: WKPermissionDecision) {
        self =
            switch decision {
            case .prompt: .prompt
            case .grant: .accept
            case .deny: .dismiss
            }
    }
}
