public import BridgeProtocol

/// The members that all records of a page have in common: its id, its web view and its URL. They are printed once, and
/// the records share them.
public final class PageMembers: Sendable, Equatable {
    /// The document's id, such as `p7`.
    public let page: String?
    public let webView: String?
    public let url: String?
    /// What is known of the device that shows the page, in a record about the page itself.
    public let device: DeviceInfo?
    /// The members as JSON, without braces.
    let json: [UInt8]

    package init(page: String?, webView: String?, url: String?, device: DeviceInfo? = nil) {
        (self.page, self.webView, self.url, self.device) = (page, webView, url, device)
        var writer = JSONWriter()
        writer.member("page", ifPresent: page)
        writer.member("webView", ifPresent: webView)
        writer.member("url", ifPresent: url)
        if let device {
            writer.member("device", true)
            writer.member("model", ifPresent: device.model)
            writer.member("system", ifPresent: device.system)
            writer.member("framework", ifPresent: device.framework)
            writer.member("deviceId", ifPresent: device.id)
        }
        json = writer.bytes
    }

    /// The members of a record about the page itself, which has the whole URL.
    func with(_ url: String, _ device: DeviceInfo?) -> PageMembers {
        self.url == url && device == nil ? self : PageMembers(page: page, webView: webView, url: url, device: device)
    }

    public static func == (left: PageMembers, right: PageMembers) -> Bool { left.json == right.json }
}
