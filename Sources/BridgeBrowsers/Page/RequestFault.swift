package import BridgeProtocol

/// A fault that the driver applies to the requests of a web view.
package struct RequestFault: Sendable, Equatable {
    package let id: String
    package let fault: Fault

    init?(_ json: JSON) {
        guard let id = json["fault"]?.string, let fault = Fault(json) else { return nil }
        (self.id, self.fault) = (id, fault)
    }
}

extension DrivenWebView {
    /// Returns the newest fault for a request, and counts the request.
    package func takeFault(for url: String) -> RequestFault? {
        let found = settings.faults.last { fault in
            fault.fault.times.map { faultUses[fault.id, default: 0] < $0 } ?? true && fault.fault.url.matches(url)
        }
        if let found { faultUses[found.id, default: 0] += 1 }
        return found
    }
}
