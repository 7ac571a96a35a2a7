import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A frame as it was when it was asked about.
@preconcurrency @MainActor open class WKFrameInfo: NSObject {
    open var isMainFrame: Bool { frame.isMainFrame }
    open var request: URLRequest { URLRequest(url: URL(string: frame.url) ?? .blank) }
    open var securityOrigin: WKSecurityOrigin { WKSecurityOrigin(frame.origin) }
    open private(set) weak var webView: WKWebView?

    private let frame: FrameInfo
    /// The document in it, unless that is gone.
    weak var page: Page?

    init(_ frame: FrameInfo, page: Page?, webView: WKWebView?) {
        self.frame = frame
        self.page = page
        self.webView = webView
    }
}

/// Scheme, host and port of a frame's document.
@preconcurrency @MainActor open class WKSecurityOrigin: NSObject {
    open var `protocol`: String { components?.scheme ?? "" }
    open var host: String { components?.host ?? "" }
    /// 0 where the origin has its scheme's own port, as on Apple.
    open var port: Int { components?.port ?? 0 }

    private let components: URLComponents?

    /// - Parameter origin: as a browser writes it, such as `http://localhost:3000`; `null` is an opaque one.
    init(_ origin: String) { components = URLComponents(string: origin) }
}

extension URL {
    /// `about:blank`
    static let blank = URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
}
