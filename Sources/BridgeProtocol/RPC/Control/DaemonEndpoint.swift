/// How tools reach a running daemon: what its run file holds (protocol.md, "Security").
public struct DaemonEndpoint: Sendable, Equatable {
    /// `http://127.0.0.1:2734/`
    public let url: String
    public let pid: Int
    public let token: String
    /// What pages show, where the daemon listens beyond this machine.
    public let pageToken: String?
    /// RFC 3339.
    public let startedAt: String

    public init(url: String, pid: Int, token: String, pageToken: String?, startedAt: String) {
        self.url = url
        self.pid = pid
        self.token = token
        self.pageToken = pageToken
        self.startedAt = startedAt
    }

    /// Nil where the object is no run file's.
    public init?(json: JSON) {
        guard let url = json["url"]?.string, let pid = json["pid"]?.wholeNumber,
            let token = json["token"]?.string
        else { return nil }
        self.init(
            url: url, pid: pid, token: token, pageToken: json["pageToken"]?.string,
            startedAt: json["startedAt"]?.string ?? "")
    }

    /// The folder of the run files, each called `PORT.json`.
    public static func folder(_ environment: [String: String], user: UInt32) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/bridged" }
        let temporary = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return "\(temporary)/bridged-\(user)"
    }
}

extension DaemonEndpoint: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("url", url)
            writer.member("pid", pid)
            writer.member("token", token)
            writer.member("pageToken", ifPresent: pageToken)
            writer.member("startedAt", startedAt)
        }
    }
}
