import BridgeProtocol
import DequeModule

/// The requests of a window of Chromium, from the events of the DevTools domain `Network`.
struct ChromiumRequests {
    private struct Started {
        var request: FinishedRequest
        let frame: String
        /// Seconds since some time.
        let time: Double
    }

    /// How many requests may be under way. Streams may never end.
    private static let limit = 4_096
    private var started: [String: Started] = [:]
    /// The ids of the requests in the order in which they began, also of some that have ended.
    private(set) var order: Deque<String> = []
    /// The faults of requests that Chromium has not announced yet.
    private var faults: [String: String] = [:]

    /// Notes that a fault was applied to a request.
    mutating func mark(_ id: String, fault: String) {
        if started[id] != nil {
            started[id]?.request.apply(fault: fault)
        } else if faults.count < ChromiumRequests.limit {
            faults[id] = fault
        }
    }

    /// - Returns: the requests that have ended, and their frames.
    mutating func handle(_ method: String, _ params: JSON) -> [(frame: String, FinishedRequest)] {
        guard let id = params["requestId"]?.string else { return [] }
        let time = params["timestamp"]?.number ?? 0
        switch method {
        case "Network.requestWillBeSent":
            // A redirect is announced as a request with the same id.
            let redirected = params["redirectResponse"].flatMap { end(id, time, $0) }
            return [redirected, begin(id, params, time, isRedirect: redirected != nil)].compactMap(\.self)
        case "Network.responseReceived":
            if let response = params["response"] { started[id]?.request.apply(response) }
            return []
        case "Network.loadingFinished": return end(id, time).map { [$0] } ?? []
        case "Network.loadingFailed":
            return end(id, time, failure: params["errorText"]?.string ?? "").map { [$0] } ?? []
        default: return []
        }
    }

    /// - Returns: the oldest request, if it gives way to this one.
    private mutating func begin(
        _ id: String, _ params: JSON, _ time: Double, isRedirect: Bool
    ) -> (frame: String, FinishedRequest)? {
        guard let request = params["request"], let url = request["url"]?.string, url.hasPrefix("http"),
            let frame = params["frameId"]?.string, params["type"]?.string != "Preflight"
        else { return nil }
        let oldest = started.count < ChromiumRequests.limit ? nil : endOldest(time)
        started[id] = Started(
            request: FinishedRequest(
                url: url, method: request["method"]?.string ?? "GET", type: Self.type(params["type"]?.string),
                fault: faults.removeValue(forKey: id)),
            frame: frame, time: time)
        // A redirected request keeps its place.
        if !isRedirect { order.append(id) }
        if order.count > 2 * ChromiumRequests.limit { order.removeAll { [started] in started[$0] == nil } }
        return oldest
    }

    private mutating func endOldest(_ time: Double) -> (frame: String, FinishedRequest)? {
        while let id = order.popFirst() {
            let failure = "It had not ended when \(ChromiumRequests.limit) others were under way."
            if let ended = end(id, time, failure: failure) { return ended }
        }
        return nil
    }

    private mutating func end(
        _ id: String, _ time: Double, _ response: JSON? = nil, failure: String? = nil
    ) -> (frame: String, FinishedRequest)? {
        guard var ended = started.removeValue(forKey: id) else { return nil }
        if let response { ended.request.apply(response) }
        ended.request.end(after: (time - ended.time) * 1_000, failure: failure)
        return (frame: ended.frame, ended.request)
    }

    private static func type(_ name: String?) -> String {
        switch name {
        case "Document", "Stylesheet", "Script", "Image", "Font", "Media": name?.lowercased() ?? ""
        case "XHR", "Fetch": "fetch"
        default: "other"
        }
    }
}

extension FinishedRequest {
    fileprivate mutating func apply(_ response: JSON) {
        self = FinishedRequest(
            url: url, method: method, type: type, status: response["status"]?.wholeNumber,
            mimeType: response["mimeType"]?.string, fault: fault)
    }

    fileprivate mutating func apply(fault: String) {
        self = FinishedRequest(url: url, method: method, type: type, fault: fault)
    }

    fileprivate mutating func end(after milliseconds: Double, failure: String?) {
        self = FinishedRequest(
            url: url, method: method, type: type, status: status, mimeType: mimeType, milliseconds: milliseconds,
            failure: failure, fault: fault)
    }
}
