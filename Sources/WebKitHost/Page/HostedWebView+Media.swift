import BridgeProtocol
import CWebKitGTK

/// Pages that ask for the camera or the microphone.
extension HostedWebView {
    func connectMedia(_ data: UnsafeMutableRawPointer) {
        bridged_connect_permission(
            view.pointer, "permission-request",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).decide(request) ? 1 : 0
            }, data)
    }

    /// - Returns: whether native code decides; otherwise WebKitGTK, which shows no question of its own, refuses.
    private func decide(_ request: OpaquePointer) -> Bool {
        let devices = CaptureDevice.allCases.filter { bridged_asks_for(request, $0 == .camera ? 1 : 0) != 0 }
        guard !devices.isEmpty, options.isHeadless || webView.settings.answersDialogs else { return false }
        let kept = KeptRequest(request)
        current.decideMediaCapture(devices) { decision in
            if decision == .grant {
                webkit_permission_request_allow(kept.request)
            } else {
                webkit_permission_request_deny(kept.request)
            }
        }
        return true
    }
}

/// A request that waits for its answer.
@MainActor private final class KeptRequest {
    let request: OpaquePointer

    init(_ request: OpaquePointer) {
        g_object_ref(UnsafeMutableRawPointer(request))
        self.request = request
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(request)) }
}
