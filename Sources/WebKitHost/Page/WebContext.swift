import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// What the web views of the process share: cookies, storage and caches, all in memory.
@MainActor final class WebContext {
    private let context = GObject(adopting: webkit_web_context_new_ephemeral())
    /// The screen of all windows, also of those that open later.
    private(set) var screen: WindowOptions
    var onResize: @MainActor (WindowOptions) -> Void = { _ in }
    let schemes = HostedSchemes()
    /// Where native code says that the device is.
    private var position = DevicePosition.standard

    var pointer: UnsafeMutablePointer<WebKitWebContext> { context.pointer }

    init(screen: WindowOptions) { self.screen = screen }

    func resize(to size: PageEmulation.Size) {
        (screen.width, screen.height) = (size.width, size.height)
        onResize(screen)
    }

    /// Gives WebKit the place of the device, in place of the system's service.
    func locate(at position: DevicePosition) {
        self.position = position
        disconnect()
        bridged_connect_location(
            manager, "start",
            { _, data in
                guard let data else { return 0 }
                MainActor.assumeIsolated { Unmanaged<WebContext>.fromOpaque(data).takeUnretainedValue().tell() }
                return 1
            }, data)
        tell()
    }

    /// The context owns it.
    private var manager: UnsafeMutablePointer<WebKitGeolocationManager>? {
        webkit_web_context_get_geolocation_manager(pointer)
    }

    /// The signal does not own this object, which disconnects it before it goes.
    private var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func disconnect() { bridged_disconnect(manager, data) }

    isolated deinit { disconnect() }

    private func tell() {
        guard let place = webkit_geolocation_position_new(position.latitude, position.longitude, position.accuracy)
        else { return }
        webkit_geolocation_manager_update_position(manager, place)
        webkit_geolocation_position_free(place)
    }
}

/// The size and the user agent of windows.
struct WindowOptions {
    var width = 390
    var height = 844
    /// Whether the windows are invisible.
    var isHeadless = false
    /// The user agent of the device that the windows imitate; nil for WebKitGTK's own.
    var userAgent: String?

    @MainActor func makeSettings(for webView: DrivenWebView) -> GObject<WebKitSettings> {
        let settings = GObject(adopting: webkit_settings_new())
        webkit_settings_set_javascript_can_open_windows_automatically(settings.pointer, 1)
        webkit_settings_set_enable_media_stream(settings.pointer, 1)
        // An invisible window has a camera that shows a test picture.
        webkit_settings_set_enable_mock_capture_devices(settings.pointer, isHeadless ? 1 : 0)
        // Without compositing, which needs a graphics card, WebKit's process ends at its first view transition. Pages, and
        // Turbo in them, render at once in browsers that have none.
        if isHeadless { WindowOptions.disable("ViewTransitions", in: settings) }
        if !webView.settings.allowsContentScripts { webkit_settings_set_enable_javascript_markup(settings.pointer, 0) }
        let own = webkit_settings_get_user_agent(settings.pointer).map { String(cString: $0) } ?? ""
        let wanted = webView.userAgent(of: userAgent ?? own) ?? own
        if wanted != own { webkit_settings_set_user_agent(settings.pointer, UserAgentText.forWebKitGTK(wanted)) }
        return settings
    }

    private static func disable(_ identifier: String, in settings: GObject<WebKitSettings>) {
        guard let features = webkit_settings_get_all_features() else { return }
        defer { webkit_feature_list_unref(features) }
        for index in 0..<webkit_feature_list_get_length(features) {
            guard let feature = webkit_feature_list_get(features, index),
                String(cString: webkit_feature_get_identifier(feature)) == identifier
            else { continue }
            webkit_settings_set_feature_enabled(settings.pointer, feature, 0)
        }
    }
}
