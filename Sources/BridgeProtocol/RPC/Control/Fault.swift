/// A failure, delay or replaced response for those requests of a driven browser whose URL matches a pattern.
public struct Fault: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The device has no connection to the network.
        case offline
        /// The request is sent after this delay.
        case slow(Duration)
        /// The response has this status, and the server gets no request.
        case status(Int)
        /// The server gets the request, but the connection breaks before its response arrives.
        case cut
        /// The response is an empty one with the status 404, and the server gets no request.
        case missing

        public var name: Name {
            switch self {
            case .offline: .offline
            case .slow: .slow
            case .status: .status
            case .cut: .cut
            case .missing: .missing
            }
        }
    }

    public enum Name: String, Sendable, CaseIterable {
        case offline, slow, status, cut, missing
    }

    /// See ``URLPattern``.
    public let url: URLPattern
    public let kind: Kind
    /// The number of requests that the fault applies to; nil for any number.
    public let times: Int?

    public init(url: URLPattern, kind: Kind, times: Int? = nil) {
        self.url = url
        self.kind = kind
        self.times = times
    }

    /// Makes a fault from the members with which tools, flows and drivers describe it.
    /// - Throws: a sentence that says which member is missing or superfluous.
    public init(
        url: String, _ name: Name, delay: Duration?, status: Int?, times: Int?
    ) throws(Mistake) {
        switch (name, delay, status) {
        case (.slow, let delay?, nil): kind = .slow(delay)
        case (.status, nil, let status?): kind = .status(status)
        case (.offline, nil, nil): kind = .offline
        case (.cut, nil, nil): kind = .cut
        case (.missing, nil, nil): kind = .missing
        default:
            let needed =
                switch name {
                case .slow: "slow needs a delay, and no status."
                case .status: "status needs a status from 200 to 599, and no delay."
                case .offline, .cut, .missing: "\(name.rawValue) takes neither a delay nor a status."
                }
            throw Mistake(description: needed)
        }
        self.url = URLPattern(url)
        self.times = times
        if let mistake { throw mistake }
    }

    /// What is wrong with the fault; nil if nothing is.
    public var mistake: Mistake? {
        if case .status(let status) = kind, !(200...599).contains(status) {
            return Mistake(description: "status is from 200 to 599, not \(status).")
        }
        if let times, times < 1 { return Mistake(description: "times is 1 or more, not \(times).") }
        guard (1...PageText.url).contains(url.description.utf8.count) else {
            return Mistake(description: "url is a path such as /posts, or a URL, of at most \(PageText.url) bytes.")
        }
        return nil
    }

    public struct Mistake: Error, CustomStringConvertible {
        public let description: String
    }

    /// Writes the members that tools and drivers read.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("url", url.description)
        writer.member("kind", kind.name.rawValue)
        if case .slow(let delay) = kind { writer.member("delayMs", delay / .milliseconds(1)) }
        if case .status(let status) = kind { writer.member("status", status) }
        writer.member("times", ifPresent: times)
    }

    /// Reads what ``writeMembers(to:)`` has written.
    public init?(_ json: JSON) {
        guard let name = json["kind"]?.string.flatMap(Name.init) else { return nil }
        let delay = json["delayMs"]?.number.map { Duration(clampingMilliseconds: $0) }
        guard
            let fault = try? Fault(
                url: json["url"]?.string ?? "", name, delay: delay, status: json["status"]?.wholeNumber,
                times: json["times"]?.wholeNumber)
        else { return nil }
        self = fault
    }
}
