import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Information about a frame, as it was when the object was made.
@preconcurrency @MainActor open class WKFrameInfo: NSObject {
    open var isMainFrame: Bool { frame.isMainFrame }
    open var request: URLRequest { URLRequest(url: URL(string: frame.url) ?? .blank) }
    open var securityOrigin: WKSecurityOrigin { WKSecurityOrigin(frame.origin) }
    open private(set) weak var webView: WKWebView?

    private let frame: FrameInfo
    /// The document in the frame; nil after it has gone.
    weak var page: Page?

    init(_ frame: FrameInfo, page: Page?, webView: WKWebView?) {
        self.frame = frame
        self.page = page
        self.webView = webView
    }
}

/// The origin of a frame's document: scheme, host and port.
@preconcurrency @MainActor open class WKSecurityOrigin: NSObject {
    open var `protocol`: String { components?.scheme ?? "" }
    open var host: String { components?.host ?? "" }
    /// 0 if the origin has its scheme's default port, as in WebKit.
    open var port: Int { components?.port ?? 0 }

    private let components: URLComponents?

    /// - Parameter origin: the serialized origin, such as `http://localhost:3000`; `null` if it is opaque.
    init(_ origin: String) { components = URLComponents(string: origin) }
}

extension URL {
    static let blank = URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
}
