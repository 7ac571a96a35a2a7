import BridgeBrowsers
import CWebKitGTK

/// What the web views of the process share: cookies, storage and caches, all in memory.
@MainActor final class WebContext {
    private let context = GObject(adopting: webkit_web_context_new_ephemeral())

    var pointer: UnsafeMutablePointer<WebKitWebContext> { context.pointer }
}

/// The size and the user agent of windows.
struct WindowOptions {
    var width = 390
    var height = 844
    /// Whether nobody sees the windows.
    var isHeadless = false
    /// The user agent of the device that the windows imitate; nil for WebKitGTK's own.
    var userAgent: String?

    @MainActor func makeSettings(for webView: DrivenWebView) -> GObject<WebKitSettings> {
        let settings = GObject(adopting: webkit_settings_new())
        webkit_settings_set_javascript_can_open_windows_automatically(settings.pointer, 1)
        webkit_settings_set_enable_media_stream(settings.pointer, 1)
        // A window that nobody sees has a camera that shows a test picture.
        webkit_settings_set_enable_mock_capture_devices(settings.pointer, isHeadless ? 1 : 0)
        if !webView.settings.allowsContentScripts { webkit_settings_set_enable_javascript_markup(settings.pointer, 0) }
        let own = webkit_settings_get_user_agent(settings.pointer).map { String(cString: $0) } ?? ""
        let wanted = webView.userAgent(of: userAgent ?? own) ?? own
        if wanted != own { webkit_settings_set_user_agent(settings.pointer, WindowOptions.valid(wanted)) }
        return settings
    }

    /// The user agent as WebKitGTK takes it: without semicolons and brackets outside a comment (RFC 9110, section
    /// 10.1.5).
    static func valid(_ userAgent: String) -> String {
        userAgent.replacing(/Hotwire Native.*/) { "(\($0.output))" }
    }
}
