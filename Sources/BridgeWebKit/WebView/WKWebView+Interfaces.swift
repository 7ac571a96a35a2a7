public import BridgeServer

extension WKWebView {
    /// Adds an object to the web view's pages from their next load on, as Android's `WebView.addJavascriptInterface`
    /// does. (Not in WebKit.)
    public func addJavascriptInterface(_ object: JavascriptInterface, name: String) {
        scope.javascriptInterfaces[name] = object
    }

    public func removeJavascriptInterface(_ name: String) {
        scope.javascriptInterfaces[name] = nil
    }
}
