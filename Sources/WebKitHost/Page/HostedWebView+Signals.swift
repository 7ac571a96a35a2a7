import BridgeProtocol
import CWebKitGTK
import Foundation

extension HostedWebView {
    /// Listens to the signals of the view.
    func connectSignals() {
        let data = Unmanaged.passUnretained(self).toOpaque()
        connectLoads(data)
        connectPolicy(data)
        connectDialogs(data)
        connectOpenPanel(data)
        connectMedia(data)
        connectAuthentication(data)
        connectHistory(data)
        connectRequests(data)
        bridged_connect_notify(
            view.pointer, "notify::title", { _, _, data in if let data { HostedWebView.of(data).changed() } }, data)
        bridged_connect_notify(
            view.pointer, "notify::uri", { _, _, data in if let data { HostedWebView.of(data).changed() } }, data)
        bridged_connect_simple(
            view.pointer, "close", { _, data in if let data { HostedWebView.of(data).closedByPage() } }, data)
        bridged_connect_simple(
            window, "destroy", { _, data in if let data { HostedWebView.of(data).destroyed() } }, data)
    }

    static func of(_ data: UnsafeMutableRawPointer) -> HostedWebView {
        Unmanaged<HostedWebView>.fromOpaque(data).takeUnretainedValue()
    }

    /// Says what the document's URL and title are as soon as WebKit has finished what it is doing: the URL changes
    /// before WebKit says that a load begins.
    private func changed() {
        gtk_window_set_title(bridged_window(window), title.isEmpty ? url : title)
        MainLoop.afterRound { [weak self] in
            guard let self, !isOfDocumentToCome else { return }
            document?.changed()
            tellHistory()
        }
    }

    /// Whether WebKit's URL and title are those of a document to come.
    var isOfDocumentToCome: Bool {
        isExpectingLoad || isProvisional && webkit_web_view_is_loading(view.pointer) != 0
    }

    /// Native code begins to load a document. WebKit says its URL at once, before it asks whether the load may begin.
    func expectLoad(of url: String) {
        isProvisional = true
        // Nothing begins if only the fragment is another one.
        isExpectingLoad = document.map { !$0.url.isSameDocument(as: url) } ?? false
    }

    /// On iOS, native code decides what happens to a web view whose page closes itself. Without it, one that the user or
    /// native code has opened stays.
    private func closedByPage() {
        guard isPopup else { return }
        // Not while WebKit emits the signal.
        DispatchQueue.main.async { [weak self] in self?.close() }
    }
}
