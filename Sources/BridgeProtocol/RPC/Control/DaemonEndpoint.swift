/// The address and token of a running daemon, as its discovery file holds them (docs/protocol.md, "Security").
public struct DaemonEndpoint: Sendable, Equatable {
    /// The daemon's URL, such as `http://127.0.0.1:2734/`.
    public let url: String
    public let pid: Int
    public let token: String
    /// The token that pages must send if the daemon also listens on addresses of other machines.
    public let pageToken: String?
    /// The time of the start, as RFC 3339.
    public let startedAt: String

    public init(url: String, pid: Int, token: String, pageToken: String?, startedAt: String) {
        self.url = url
        self.pid = pid
        self.token = token
        self.pageToken = pageToken
        self.startedAt = startedAt
    }

    /// The default port of `bridged serve`.
    public static let defaultPort: UInt16 = 2734

    /// Reads a discovery file. Returns `nil` if a required member is missing.
    public init?(json: JSON) {
        guard let url = json["url"]?.string, let pid = json["pid"]?.wholeNumber,
            let token = json["token"]?.string
        else { return nil }
        self.init(
            url: url, pid: pid, token: token, pageToken: json["pageToken"]?.string,
            startedAt: json["startedAt"]?.string ?? "")
    }

    /// The folder of the discovery files, which are named `PORT.json`.
    public static func folder(_ environment: [String: String], user: UInt32) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/bridged" }
        let temporary = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return "\(temporary)/bridged-\(user)"
    }
}

extension DaemonEndpoint: JSONObject {
    public var members: JSONMembers {
        ["url": url, "pid": pid, "token": token, "pageToken": pageToken, "startedAt": startedAt]
    }
}
