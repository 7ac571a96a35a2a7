package import BridgeProtocol

extension DrivenWebView {
    /// Returns the newest fault for a request, and counts the request. There is none for those of `bridged doctor`.
    package func takeFault(for url: String) -> RequestFault? {
        guard !url.hasSuffix(FinishedRequest.doctorFragment) else { return nil }
        let found = settings.faults.last { fault in
            fault.fault.times.map { faultUses[fault.id, default: 0] < $0 } ?? true && fault.fault.url.matches(url)
        }
        if let found { faultUses[found.id, default: 0] += 1 }
        return found
    }
}
