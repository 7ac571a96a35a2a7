import BridgeProtocol
import DequeModule

/// The requests of a window of Chromium, from the events of the DevTools domain `Network`.
struct ChromiumRequests {
    private struct Started {
        var request: FinishedRequest
        let frame: String
        /// Chromium's name of the document that has sent it.
        let loader: String
        /// When it began, in seconds since some time.
        let time: Double
        /// How many bytes the response's body has by its header; nil if unknown, as for a stream.
        var length: Int?
        /// How many of them have come.
        var received = 0
        var isPing = false
        /// When the driver has heard of it. The events of the domain `Fetch` have no time.
        let began = ContinuousClock.now
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
            started[id]?.request.fault = fault
        } else if faults[id] != nil || faults.count < ChromiumRequests.limit {
            faults[id] = fault
        }
    }

    /// Notes a response of which the domain `Network` tells only if the load goes on.
    mutating func answered(_ id: String, status: Int, mimeType: String?) {
        started[id]?.request.status = status
        started[id]?.request.mimeType = mimeType
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
            if let response = params["response"] {
                started[id]?.request.apply(response)
                started[id]?.length = response.contentLength
            }
            return endIfComplete(id, time)
        case "Network.dataReceived":
            let received = started[id]?.received.addingReportingOverflow(params["encodedDataLength"]?.wholeNumber ?? 0)
            if let received, !received.overflow { started[id]?.received = received.partialValue }
            return endIfComplete(id, time)
        case "Network.loadingFinished":
            faults[id] = nil
            return end(id, time).map { [$0] } ?? []
        case "Network.loadingFailed":
            faults[id] = nil
            // Chromium cancels the load of a body that is empty anyway, if the page does not read it.
            let isComplete = params["canceled"]?.bool == true && started[id]?.request.hasEmptyBody == true
            return end(id, time, failure: isComplete ? nil : params["errorText"]?.string ?? "").map { [$0] } ?? []
        default: return []
        }
    }

    /// Ends the request of a script whose whole body has come. If no script reads it, Chromium does not say that it has
    /// finished.
    private mutating func endIfComplete(_ id: String, _ time: Double) -> [(frame: String, FinishedRequest)] {
        guard let request = started[id], request.request.type == "fetch", let length = request.length,
            request.received >= length
        else { return [] }
        return end(id, time).map { [$0] } ?? []
    }

    /// Ends the requests of the documents that a frame has left. Chromium says no more about them.
    /// - Parameter loader: that of the document which the frame shows now; nil if the frame is gone.
    mutating func leave(_ frame: String, for loader: String?) -> [(frame: String, FinishedRequest)] {
        order.filter { started[$0]?.frame == frame && started[$0]?.loader != loader }.compactMap { id in
            guard let left = started[id], !left.isPing else { return nil }
            guard left.request.status == nil else { return endUnknown(id) }
            let seconds = (ContinuousClock.now - left.began) / .seconds(1)
            return end(id, left.time + seconds, failure: "The document left before the response came.")
        }
    }

    // MARK: Pings

    /// A ping (`navigator.sendBeacon`, `<a ping>`) is about to be sent. It may outlive its document, which then says nothing
    /// about it, so only the domain `Fetch` counts.
    /// - Parameter id: the name of the request in that domain.
    /// - Returns: the oldest request, if it gives way to this one.
    mutating func pingSent(_ id: String, _ request: JSON, _ frame: String) -> (frame: String, FinishedRequest)? {
        guard let url = request["url"]?.string, url.hasPrefix("http") else { return nil }
        let ping = Started(
            request: FinishedRequest(url: url, method: request["method"]?.string ?? "POST", type: "other"),
            frame: frame, loader: "", time: 0, isPing: true)
        return add(ping, id, isRedirect: started[id] != nil)
    }

    /// A ping was answered, or has failed.
    mutating func pingEnded(
        _ id: String, status: Int?, mimeType: String? = nil, failure: String? = nil
    ) -> (frame: String, FinishedRequest)? {
        guard let ping = started[id] else { return nil }
        if let status {
            started[id]?.request.status = status
            started[id]?.request.mimeType = mimeType
        }
        let seconds = (ContinuousClock.now - ping.began) / .seconds(1)
        return end(id, ping.time + seconds, failure: failure)
    }

    /// - Returns: the oldest request, if it gives way to this one.
    private mutating func begin(
        _ id: String, _ params: JSON, _ time: Double, isRedirect: Bool
    ) -> (frame: String, FinishedRequest)? {
        // Also of one that gets no record, such as a preflight.
        let fault = faults.removeValue(forKey: id)
        guard let request = params["request"], let url = request["url"]?.string, url.hasPrefix("http"),
            let frame = params["frameId"]?.string, !["Preflight", "Ping"].contains(params["type"]?.string),
            // Chromium's URL has no fragment.
            request["urlFragment"]?.string != FinishedRequest.doctorFragment
        else { return nil }
        let begun = Started(
            request: FinishedRequest(
                url: url, method: request["method"]?.string ?? "GET", type: Self.type(params["type"]?.string),
                fault: fault),
            frame: frame, loader: params["loaderId"]?.string ?? "", time: time)
        return add(begun, id, isRedirect: isRedirect)
    }

    private mutating func add(
        _ request: Started, _ id: String, isRedirect: Bool
    ) -> (frame: String, FinishedRequest)? {
        let oldest = started.count < ChromiumRequests.limit ? nil : endOldest()
        started[id] = request
        // A redirected request keeps its place.
        if !isRedirect { order.append(id) }
        if order.count > 2 * ChromiumRequests.limit { order.removeAll { [started] in started[$0] == nil } }
        return oldest
    }

    private mutating func endOldest() -> (frame: String, FinishedRequest)? {
        while let id = order.popFirst() {
            guard let oldest = started[id] else { continue }
            // The times of Chromium's events are not those of the domain `Fetch`.
            let seconds = (ContinuousClock.now - oldest.began) / .seconds(1)
            let failure = "It had not ended when \(ChromiumRequests.limit) others were under way."
            return end(id, oldest.time + seconds, failure: failure)
        }
        return nil
    }

    private mutating func end(
        _ id: String, _ time: Double, _ response: JSON? = nil, failure: String? = nil
    ) -> (frame: String, FinishedRequest)? {
        guard var ended = started.removeValue(forKey: id) else { return nil }
        if let response { ended.request.apply(response) }
        (ended.request.milliseconds, ended.request.failure) = ((time - ended.time) * 1_000, failure)
        return (frame: ended.frame, ended.request)
    }

    /// Ends an answered request without a duration, because Chromium did not say when its body ended.
    private mutating func endUnknown(_ id: String) -> (frame: String, FinishedRequest)? {
        started.removeValue(forKey: id).map { (frame: $0.frame, $0.request) }
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
        (status, mimeType) = (response["status"]?.wholeNumber, response["mimeType"]?.string)
    }
}

extension JSON {
    /// How long the body of a response of Chromium is by its header.
    fileprivate var contentLength: Int? {
        var length: Int?
        self["headers"]?.forEachMember { name, value in
            if name.lowercased() == "content-length" { length = value.string.flatMap { Int($0) } }
        }
        return length
    }
}
