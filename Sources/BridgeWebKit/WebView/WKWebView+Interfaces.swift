public import BridgeServer

extension WKWebView {
    /// Ours, for apps that stand for Android's: gives an object to the web view's pages, from their next load on, as
    /// Android's `WebView.addJavascriptInterface`.
    public func addJavascriptInterface(_ object: JavascriptInterface, name: String) {
        scope.javascriptInterfaces[name] = object
    }

    public func removeJavascriptInterface(_ name: String) {
        scope.javascriptInterfaces[name] = nil
    }
}
