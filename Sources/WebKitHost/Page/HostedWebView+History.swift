import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// The back/forward list and the progress of loads.
extension HostedWebView {
    func connectHistory(_ data: UnsafeMutableRawPointer) {
        bridged_connect_notify(
            view.pointer, "notify::estimated-load-progress",
            { _, _, data in if let data { HostedWebView.of(data).progressed() } }, data)
    }

    private func progressed() {
        let value = webkit_web_view_get_estimated_load_progress(view.pointer)
        document?.tell("progress.changed") { $0.member("value", value) }
    }

    /// Tells the back/forward list if it is another one than before.
    func tellHistory() {
        let list = webkit_web_view_get_back_forward_list(view.pointer)
        // WebKit keeps 100 entries.
        let items = (-100...100).compactMap { step in
            webkit_back_forward_list_get_nth_item(list, Int32(step)).map { (step: step, item: $0) }
        }
        let entries = items.map { _, item in
            HistoryEntry(
                url: webkit_back_forward_list_item_get_uri(item).map { String(cString: $0) } ?? "",
                title: webkit_back_forward_list_item_get_title(item).map { String(cString: $0) } ?? "")
        }
        guard let index = items.firstIndex(where: { $0.step == 0 }) else { return }
        document?.tellHistory(BrowserHistory(entries: entries, index: index))
    }
}
