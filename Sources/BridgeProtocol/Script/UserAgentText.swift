/// The user agent of a web view that belongs to an app.
public enum UserAgentText {
    /// - Parameters:
    ///   - browser: the browser's own user agent.
    ///   - name: what the app adds. hotwire-native-android puts it first (`HotwireConfig.kt`), and WKWebView last.
    public static func of(_ browser: String, with name: String) -> String {
        name.contains("Native Android") ? "\(name) \(browser)" : "\(browser) \(name)"
    }
}
