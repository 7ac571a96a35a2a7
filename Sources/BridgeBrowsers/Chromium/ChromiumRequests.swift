import BridgeProtocol
import DequeModule

/// The requests of a window of Chromium, from the events of the DevTools domain `Network`.
struct ChromiumRequests {
    private struct Started {
        var request: FinishedRequest
        let frame: String
        /// Chromium's name of the document that has sent it.
        let loader: String
        /// When it began and when something was last heard of it, in seconds since some time.
        let time: Double
        var lastTime: Double
        /// How many events have told about it.
        var eventCount = 0
        var isPing = false
        /// When the driver has heard of it. The events of the domain `Fetch` have no time.
        let began = ContinuousClock.now

        mutating func heard(_ time: Double) {
            eventCount += 1
            lastTime = time
        }
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
            started[id]?.heard(time)
            return []
        case "Network.dataReceived":
            started[id]?.heard(time)
            return []
        case "Network.loadingFinished": return end(id, time).map { [$0] } ?? []
        case "Network.loadingFailed":
            // Chromium cancels the load of a body that is empty anyway, if the page does not read it.
            let isComplete = params["canceled"]?.bool == true && started[id]?.request.hasEmptyBody == true
            return end(id, time, failure: isComplete ? nil : params["errorText"]?.string ?? "").map { [$0] } ?? []
        default: return []
        }
    }

    /// How many events have told about a request, if it has been answered and has not ended.
    func eventCount(of id: String) -> Int? {
        started[id].flatMap { $0.request.status == nil ? nil : $0.eventCount }
    }

    /// Ends a request whose body the page does not read. Chromium does not say that such a body has arrived.
    mutating func endUnread(_ id: String) -> (frame: String, FinishedRequest)? {
        started[id].flatMap { end(id, $0.lastTime) }
    }

    /// Ends the requests of the documents that a frame has left. Chromium says no more about them.
    /// - Parameter loader: that of the document which the frame shows now; nil if the frame is gone.
    mutating func leave(_ frame: String, for loader: String?) -> [(frame: String, FinishedRequest)] {
        order.filter { started[$0]?.frame == frame && started[$0]?.loader != loader }.compactMap { id in
            guard let left = started[id], !left.isPing else { return nil }
            let failure = left.request.status == nil ? "The document left before the response came." : nil
            return end(id, left.lastTime, failure: failure)
        }
    }

    // MARK: Pings

    /// A ping (`navigator.sendBeacon`, `<a ping>`) is about to be sent. It may outlive its document, which then says nothing
    /// about it, so only the domain `Fetch` counts.
    /// - Parameter id: the name of the request in that domain.
    mutating func pingSent(_ id: String, _ request: JSON, _ frame: String) {
        guard let url = request["url"]?.string, url.hasPrefix("http") else { return }
        started[id] = Started(
            request: FinishedRequest(url: url, method: request["method"]?.string ?? "POST", type: "other"),
            frame: frame, loader: "", time: 0, lastTime: 0, isPing: true)
        order.append(id)
    }

    /// A ping was answered, or has failed.
    mutating func pingEnded(
        _ id: String, status: Int?, mimeType: String? = nil, failure: String? = nil
    ) -> (frame: String, FinishedRequest)? {
        guard let ping = started[id] else { return nil }
        if let status { started[id]?.request.apply(status: status, mimeType: mimeType) }
        let seconds = (ContinuousClock.now - ping.began) / .seconds(1)
        return end(id, ping.time + seconds, failure: failure)
    }

    /// - Returns: the oldest request, if it gives way to this one.
    private mutating func begin(
        _ id: String, _ params: JSON, _ time: Double, isRedirect: Bool
    ) -> (frame: String, FinishedRequest)? {
        guard let request = params["request"], let url = request["url"]?.string, url.hasPrefix("http"),
            let frame = params["frameId"]?.string, !["Preflight", "Ping"].contains(params["type"]?.string)
        else { return nil }
        let oldest = started.count < ChromiumRequests.limit ? nil : endOldest(time)
        started[id] = Started(
            request: FinishedRequest(
                url: url, method: request["method"]?.string ?? "GET", type: Self.type(params["type"]?.string),
                fault: faults.removeValue(forKey: id)),
            frame: frame, loader: params["loaderId"]?.string ?? "", time: time, lastTime: time)
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
    /// Whether the response has no body, whatever its headers say (RFC 9110, sections 6.4.1 and 9.3.2).
    fileprivate var hasEmptyBody: Bool {
        guard let status else { return false }
        return method == "HEAD" || [204, 205, 304].contains(status)
    }

    fileprivate mutating func apply(_ response: JSON) {
        apply(status: response["status"]?.wholeNumber, mimeType: response["mimeType"]?.string)
    }

    fileprivate mutating func apply(status: Int?, mimeType: String?) {
        self = FinishedRequest(url: url, method: method, type: type, status: status, mimeType: mimeType, fault: fault)
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
