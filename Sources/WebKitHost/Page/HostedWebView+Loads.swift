import BridgeProtocol
import CWebKitGTK

/// How loads proceed and fail.
extension HostedWebView {
    func connectLoads(_ data: UnsafeMutableRawPointer) {
        bridged_connect_load(
            view.pointer, "load-changed",
            { _, event, data in if let data { HostedWebView.of(data).loadChanged(event) } }, data)
        bridged_connect_load_failed(
            view.pointer, "load-failed",
            { _, event, url, error, data in
                guard let data, let url, let error else { return 0 }
                HostedWebView.of(data).loadFailed(
                    String(cString: url), LoadError(error.pointee), isProvisional: event != WEBKIT_LOAD_COMMITTED)
                return 1  // Without WebKitGTK's error page, which iOS does not show either.
            }, data)
        bridged_connect_certificate(
            view.pointer, "load-failed-with-tls-errors",
            { _, url, _, errors, data in
                guard let data, let url else { return 0 }
                HostedWebView.of(data).loadFailed(String(cString: url), LoadError(errors), isProvisional: true)
                return 1
            }, data)
        bridged_connect_terminated(
            view.pointer, "web-process-terminated",
            { _, _, data in if let data { HostedWebView.of(data).processTerminated() } }, data)
    }

    private func loadChanged(_ event: WebKitLoadEvent) {
        switch event {
        case WEBKIT_LOAD_STARTED:
            (isProvisional, isExpectingLoad) = (true, false)
            passwordQuestions.start()
            let url = allowedURL.take() ?? url
            document?.tell("navigation.started") { $0.member("url", url) }
        case WEBKIT_LOAD_REDIRECTED: document?.tell("navigation.redirected") { $0.member("url", url) }
        case WEBKIT_LOAD_COMMITTED: committed()
        case WEBKIT_LOAD_FINISHED:
            isProvisional = false
            document?.changed(readyState: "complete")
        default: break
        }
    }

    /// The first load may fail: then the web view shows the empty document that every web view begins with.
    func loadFailed(_ url: String, _ error: LoadError, isProvisional: Bool) {
        (self.isProvisional, isExpectingLoad) = (false, false)
        if passwordQuestions.fail(url, error) {
            // Not while WebKit emits the signal.
            return MainLoop.afterRound { [weak self] in self?.startLoad(url) }
        }
        current.tell("navigation.failed") { writer in
            writer.member("url", url)
            error.writeMembers(to: &writer)
            writer.member("isProvisional", isProvisional)
        }
    }

    private func processTerminated() {
        isProvisional = false
        endPrints("The web process has ended.")
        document?.tell("process.terminated") { _ in }
    }
}
