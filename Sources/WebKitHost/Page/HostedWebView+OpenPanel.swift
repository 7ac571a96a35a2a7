import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// The open panels of `<input type="file">`.
extension HostedWebView {
    func connectOpenPanel(_ data: UnsafeMutableRawPointer) {
        bridged_connect_file_chooser(
            view.pointer, "run-file-chooser",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).runOpenPanel(request) ? 1 : 0
            }, data)
    }

    /// - Returns: whether native code answers; otherwise WebKitGTK shows a panel of its own.
    private func runOpenPanel(_ request: UnsafeMutablePointer<WebKitFileChooserRequest>) -> Bool {
        guard options.isHeadless || webView.settings.answersDialogs else { return false }
        let request = GObject(request)
        let allowsMultiple = webkit_file_chooser_request_get_select_multiple(request.pointer) != 0
        current.openPanel(multiple: allowsMultiple) { files in
            guard !files.isEmpty else { return webkit_file_chooser_request_cancel(request.pointer) }
            // The array ends with nil, as GTK expects it. WebKit copies the paths.
            var paths: [UnsafePointer<CChar>?] = files.map { UnsafePointer(g_strdup($0)) } + [nil]
            webkit_file_chooser_request_select_files(request.pointer, &paths)
            for path in paths { g_free(UnsafeMutableRawPointer(mutating: path)) }
        }
        return true
    }
}
