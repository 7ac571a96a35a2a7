import BridgeProtocol

/// The members that all records of a page have in common: its id, its web view and its URL. They are printed once, and
/// the records share them.
public final class PageMembers: Sendable, Equatable {
    /// The document's id, such as `p7`.
    public let page: String?
    public let webView: String?
    public let url: String?
    /// The members as JSON, without braces.
    let json: [UInt8]

    package init(page: String?, webView: String?, url: String?) {
        (self.page, self.webView, self.url) = (page, webView, url)
        var writer = JSONWriter()
        writer.member("page", ifPresent: page)
        writer.member("webView", ifPresent: webView)
        writer.member("url", ifPresent: url)
        json = writer.bytes
    }

    func withURL(_ url: String) -> PageMembers {
        self.url == url ? self : PageMembers(page: page, webView: webView, url: url)
    }

    public static func == (left: PageMembers, right: PageMembers) -> Bool { left.json == right.json }
}
