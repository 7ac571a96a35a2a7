import BridgeProtocol
public import Foundation

/// A message that a page posted. Tests can subclass it and override what they need.
@preconcurrency @MainActor open class WKScriptMessage: NSObject {
    /// The body, converted as in `ScriptValue.nativeValue`. For `undefined` it is an `Any` that holds nil: every `as?`
    /// fails.
    open var body: Any { boxed(nativeBody) }
    open private(set) weak var webView: WKWebView?
    open var frameInfo: WKFrameInfo { frame }
    open var name: String { context?.handler ?? "" }
    open var world: WKContentWorld { .of(key: context?.world) }

    /// The body as a script value; nil for a message that a test made.
    let value: ScriptValue?
    let context: ScriptMessageContext?
    private lazy var nativeBody = value?.nativeValue
    private let frame: WKFrameInfo

    /// Makes a message for a subclass in a test. WebKit has no initializer with values either.
    public override init() {
        value = nil
        context = nil
        frame = WKFrameInfo(FrameInfo(url: "about:blank", origin: "null", isMainFrame: true), page: nil, webView: nil)
    }

    init(_ value: ScriptValue, _ context: ScriptMessageContext, frame: WKFrameInfo) {
        self.value = value
        self.context = context
        self.frame = frame
        webView = frame.webView
    }

    /// Returns the original body if the handler hands it back as the reply, or a value equal to it; otherwise nil. The
    /// native body has lost object identity and lone surrogates, which Apple's objects keep. Neither keeps `undefined`,
    /// so a body with `undefined` in it is not returned.
    func handedBack(_ reply: Any?) -> ScriptValue? {
        guard let value, let types = value.types, types.contains(.ref) || types.contains(.utf16),
            !types.contains(.undefined), let reply = hashable(reply)
        else { return nil }
        return reply == hashable(nativeBody) ? value : nil
    }

    /// A container of `Any` is not hashable itself on Linux, but what it holds is.
    private func hashable(_ value: Any?) -> AnyHashable? {
        switch value {
        case let value as AnyHashable: value
        case let items as [AnyHashable]: items
        case let members as [String: AnyHashable]: members
        default: nil
        }
    }
}
