public import BridgeProtocol
public import Foundation

/// The error domain of ``WKError``.
public let WKErrorDomain = "WKErrorDomain"

/// An error of a web view, with WebKit's codes, texts and user-info keys (`WKError.h`, `WKError.mm`).
///
/// `error as? WKError` and `error as NSError` both work. For a script that threw, `userInfo` has
/// `WKJavaScriptExceptionMessage`, `WKJavaScriptExceptionLineNumber`, `WKJavaScriptExceptionColumnNumber` (0 if the
/// page's engine does not report them) and `WKJavaScriptExceptionSourceURL`, if there is one.
public struct WKError: CustomNSError, LocalizedError, Hashable {
    public enum Code: Int, Sendable {
        case unknown = 1
        case webContentProcessTerminated = 2
        case webViewInvalidated = 3
        case javaScriptExceptionOccurred = 4
        case javaScriptResultTypeIsUnsupported = 5
        case contentRuleListStoreCompileFailed = 6
        case contentRuleListStoreLookUpFailed = 7
        case contentRuleListStoreRemoveFailed = 8
        case contentRuleListStoreVersionMismatch = 9
        case attributedStringContentFailedToLoad = 10
        case attributedStringContentLoadTimedOut = 11
        case javaScriptInvalidFrameTarget = 12
        case navigationAppBoundDomain = 13
        case javaScriptAppBoundDomain = 14
        case duplicateCredential = 15
        case malformedCredential = 16
        case credentialNotFound = 17
    }

    public static var errorDomain: String { WKErrorDomain }

    public let code: Code
    /// The text of `localizedDescription`.
    private let text: String
    private let exception: JavaScriptException?
    /// Whether the exception comes from a script, so that it has a line and a column.
    private let hasPosition: Bool

    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { text }
    public var userInfo: [String: Any] { errorUserInfo }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: text]
        guard let exception else { return info }
        info["WKJavaScriptExceptionMessage"] = exception.message
        guard hasPosition else { return info }
        info["WKJavaScriptExceptionLineNumber"] = exception.line ?? 0
        info["WKJavaScriptExceptionColumnNumber"] = exception.column ?? 0
        info["WKJavaScriptExceptionSourceURL"] = exception.sourceURL.flatMap { $0.isEmpty ? nil : URL(string: $0) }
        return info
    }

    /// - Parameter text: the text of `localizedDescription`; nil for WebKit's text of the code.
    public init(_ code: Code, text: String? = nil) {
        self.code = code
        self.text = text ?? code.text
        exception = nil
        hasPosition = false
    }

    /// Makes the error of a script that threw or that could not run.
    init(_ exception: JavaScriptException, hasPosition: Bool = true) {
        code = .javaScriptExceptionOccurred
        text = code.text
        self.exception = exception
        self.hasPosition = hasPosition
    }

    /// Makes the error of an evaluation that failed.
    public init(_ error: ScriptError) {
        switch error {
        case .exception(let exception): self.init(exception)
        case .resultTypeUnsupported: self.init(.javaScriptResultTypeIsUnsupported)
        case .pageGone: self.init(.webContentProcessTerminated)
        case .timedOut, .queueFull, .rejected: self.init(.unknown, text: error.description)
        }
    }

    /// The error if the arguments of a call have a value that has no JavaScript form.
    static let argumentTypes = WKError(
        JavaScriptException(
            message: """
                Function argument values must be one of the following types, or contain only the following types: \
                NSNumber, NSNull, NSDate, NSString, NSArray, and NSDictionary
                """), hasPosition: false)

    public static func == (left: WKError, right: WKError) -> Bool {
        left.code == right.code && left.text == right.text && left.exception == right.exception
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(text)
    }
}

extension WKError.Code {
    /// The text of the code, as in `localizedDescriptionForErrorCode` in `WKError.mm`.
    fileprivate var text: String {
        switch self {
        case .unknown: "An unknown error occurred"
        case .webContentProcessTerminated: "The Web Content process was terminated"
        case .webViewInvalidated: "The WKWebView was invalidated"
        case .javaScriptExceptionOccurred: "A JavaScript exception occurred"
        case .javaScriptResultTypeIsUnsupported: "JavaScript execution returned a result of an unsupported type"
        case .javaScriptInvalidFrameTarget:
            "JavaScript execution targeted an invalid frame. The frame may have already navigated or been removed."
        default: "An error occurred (\(WKErrorDomain) \(rawValue))"
        }
    }
}

extension WKError {
    public static var unknown: Code { .unknown }
    public static var webContentProcessTerminated: Code { .webContentProcessTerminated }
    public static var webViewInvalidated: Code { .webViewInvalidated }
    public static var javaScriptExceptionOccurred: Code { .javaScriptExceptionOccurred }
    public static var javaScriptResultTypeIsUnsupported: Code { .javaScriptResultTypeIsUnsupported }
    public static var javaScriptInvalidFrameTarget: Code { .javaScriptInvalidFrameTarget }
}

/// Lets `catch WKError.javaScriptExceptionOccurred` match, as for an imported error on Apple's systems.
public func ~= (code: WKError.Code, error: any Error) -> Bool { (error as? WKError)?.code == code }
