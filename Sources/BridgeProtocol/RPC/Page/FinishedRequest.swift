/// The params of `request.finished`: a request of a driven page, and how it ended.
public struct FinishedRequest: JSONObject, Decodable, Sendable, Equatable {
    public private(set) var url: String
    public private(set) var method: String
    /// What it was for: `document`, `stylesheet`, `script`, `image`, `font`, `media`, `fetch` or `other`.
    public let type: String?
    /// The status of the response; nil if none came.
    public package(set) var status: Int?
    public package(set) var mimeType: String?
    /// How long it took; nil if the browser did not say, as for a stream whose document has left.
    public package(set) var milliseconds: Double?
    /// Why the request failed, in the browser's words; nil if it did not.
    public package(set) var failure: String?
    /// The id of the fault that was applied to it.
    public package(set) var fault: String?

    public init(
        url: String, method: String, type: String? = nil, status: Int? = nil, mimeType: String? = nil,
        milliseconds: Double? = nil, failure: String? = nil, fault: String? = nil
    ) {
        self.url = url
        self.method = method
        self.type = type
        self.status = status
        self.mimeType = mimeType
        self.milliseconds = milliseconds
        self.failure = failure
        self.fault = fault
    }

    /// Reads the params, and cuts the texts that pages and servers choose; see ``PageText``. An error would count
    /// against the page's connection.
    /// - Throws: `invalidParams`.
    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(type ?? "", PageText.word, at: "/type")
        try PageText.check(fault ?? "", PageText.word, at: "/fault")
        url = PageText.cut(PageText.withoutUserInfo(url), to: PageText.url)
        method = PageText.cut(method, to: PageText.word)
        mimeType = mimeType.map { PageText.cut($0, to: PageText.handler) }
        failure = failure.map { PageText.cut($0, to: PageText.title) }
    }

    /// The fragment of the URLs that `bridged doctor` requests in a page. No server sees it, and the drivers of browsers
    /// do not tell about these requests, because they are not the page's.
    package static let doctorFragment = "#bridged-doctor"

    public var members: JSONMembers {
        [
            "url": url, "method": method, "type": type, "status": status, "mimeType": mimeType,
            "milliseconds": milliseconds, "failure": failure, "fault": fault,
        ]
    }
}
