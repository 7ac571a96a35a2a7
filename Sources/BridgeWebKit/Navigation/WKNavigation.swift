public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Identifies one load of a web view's main frame.
@preconcurrency @MainActor open class WKNavigation: NSObject {
    public override init() { super.init() }
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated = 0
    case formSubmitted = 1
    case backForward = 2
    case reload = 3
    case formResubmitted = 4
    case other = -1
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
    case download = 2
}

public enum WKNavigationResponsePolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
    case download = 2
}

/// A load that is about to happen. Tests can subclass it.
@preconcurrency @MainActor open class WKNavigationAction: NSObject {
    open var sourceFrame: WKFrameInfo { source }
    /// The frame that shows the result; nil if the load opens a window.
    open var targetFrame: WKFrameInfo? { target }
    open var navigationType: WKNavigationType { type }
    open var request: URLRequest { actionRequest }
    open var shouldPerformDownload: Bool { false }
    /// Whether the page itself has begun the load, as by `location.href`. (Not in WebKit, where no user can type an
    /// address.)
    package let isOfScript: Bool
    /// Whether the browser is driven, so that native code is also asked about redirects.
    final package let isOfDriver: Bool
    /// Whether a tool or a test has asked for the load, rather than the page or native code.
    final package let isAskedFor: Bool

    private let source: WKFrameInfo
    private let target: WKFrameInfo?
    private let type: WKNavigationType
    private let actionRequest: URLRequest

    init(
        _ request: URLRequest, type: WKNavigationType, source: WKFrameInfo, target: WKFrameInfo?,
        isOfScript: Bool = false, isOfDriver: Bool = false, isAskedFor: Bool = false
    ) {
        actionRequest = request
        self.isOfScript = isOfScript
        self.isOfDriver = isOfDriver
        self.isAskedFor = isAskedFor
        self.type = type
        self.source = source
        self.target = target
    }
}

/// A response to a load. It has only the URL and the HTTP status, because a page knows nothing else about its response; and
/// the MIME type and `Content-Disposition`, if a browser is driven.
@preconcurrency @MainActor open class WKNavigationResponse: NSObject {
    open var isForMainFrame: Bool { isOfMainFrame }
    open var response: URLResponse { urlResponse }
    /// False for types that Safari saves, such as `application/zip`.
    open var canShowMIMEType: Bool { urlResponse.mimeType.map(WKNavigationResponse.shows) ?? true }

    private let urlResponse: URLResponse
    private let isOfMainFrame: Bool

    private static func shows(_ type: String) -> Bool {
        let type = type.lowercased()
        let kinds = ["text/", "image/", "audio/", "video/", "font/"]
        guard !kinds.contains(where: type.hasPrefix) else { return !["text/calendar", "text/vcard"].contains(type) }
        let names = [
            "application/pdf", "application/json", "application/javascript", "application/x-javascript",
            "application/ecmascript", "application/xml", "multipart/x-mixed-replace",
        ]
        return names.contains(type) || type.hasSuffix("+xml") || type.hasSuffix("+json")
    }

    init(_ response: URLResponse, isForMainFrame: Bool = true) {
        urlResponse = response
        isOfMainFrame = isForMainFrame
    }
}

@preconcurrency @MainActor open class WKWindowFeatures: NSObject {
    open var menuBarVisibility: NSNumber? { nil }
    open var width: NSNumber? { nil }
    open var height: NSNumber? { nil }
}
