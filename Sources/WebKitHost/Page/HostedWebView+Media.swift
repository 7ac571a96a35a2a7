import BridgeProtocol
import CWebKitGTK

/// Pages that ask for the camera or the microphone, or where the device is.
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
        let asksForLocation = bridged_asks_for_location(request) != 0
        guard !devices.isEmpty || asksForLocation, options.isHeadless || webView.settings.answersDialogs else {
            return false
        }
        let kept = KeptRequest(request)
        guard !asksForLocation else {
            decideLocation(kept)
            return true
        }
        current.decideMediaCapture(devices) { decision in
            if decision == .grant {
                webkit_permission_request_allow(kept.request)
            } else {
                webkit_permission_request_deny(kept.request)
            }
        }
        return true
    }

    private func decideLocation(_ kept: KeptRequest) {
        current.decideLocation { [context] decision in
            guard case .grant(let position) = decision else {
                return webkit_permission_request_deny(kept.request)
            }
            context.locate(at: position)
            webkit_permission_request_allow(kept.request)
        }
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
