public import BridgeProtocol
import Foundation

/// Finds running daemons through their run files.
public struct DaemonFinder: Sendable {
    private let environment: [String: String]

    public init(environment: [String: String]) { self.environment = environment }

    /// The daemon to talk to.
    ///
    /// `BRIDGED_TOKEN` stands in for the run file's token, `BRIDGED_URL` for `url`.
    /// - Parameter url: of the daemon; nil for the one that runs, or of several the one on the usual port: the others are
    ///   most likely those of tests.
    /// - Throws: `ClientError`
    public func find(url: String?) throws(ClientError) -> DaemonEndpoint {
        let running = running
        guard let url = url ?? environment["BRIDGED_URL"] else {
            guard let first = running.first else { throw .noDaemon(url: nil) }
            let usual = running.first { URLComponents(string: $0.url)?.port == DaemonEndpoint.usualPort }
            guard let daemon = usual ?? (running.count == 1 ? first : nil) else { throw .severalDaemons(running) }
            return daemon.with(token: environment["BRIDGED_TOKEN"])
        }
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme),
            components.host?.isEmpty == false
        else { throw .notAnAddress(url) }
        if let token = environment["BRIDGED_TOKEN"] {
            return DaemonEndpoint(url: url, pid: 0, token: token, pageToken: nil, startedAt: "")
        }
        guard let known = running.first(where: { $0.isReached(by: components) }) else { throw .noDaemon(url: url) }
        return known
    }

    /// Where their run files are.
    public var folder: String { DaemonEndpoint.folder(environment, user: getuid()) }

    /// The daemons that run, by port. One that was killed left its run file behind: its process is gone.
    public var running: [DaemonEndpoint] {
        let folder = folder
        // In a temporary folder that is everybody's, somebody else could have put files there that lead to a daemon of his.
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR else {
            return []
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                let json = try? JSON.parse(String(decoding: bytes, as: UTF8.self)),
                let contact = DaemonEndpoint(json: json), kill(pid_t(clamping: contact.pid), 0) == 0
            else { return nil }
            return contact
        }
    }
}

extension DaemonEndpoint {
    /// Where `bridged serve` listens unless told otherwise.
    fileprivate static let usualPort = 2734

    /// Whether that address is this daemon's, by any of this machine's names. No other host ever gets the token.
    fileprivate func isReached(by components: URLComponents) -> Bool {
        guard let own = URLComponents(string: url), own.scheme == components.scheme,
            own.port == components.port ?? (own.scheme == "https" ? 443 : 80)
        else { return false }
        return ["localhost", "127.0.0.1", "::1", "[::1]", own.host].contains(components.host)
    }

    fileprivate func with(token: String?) -> DaemonEndpoint {
        guard let token else { return self }
        return DaemonEndpoint(url: url, pid: pid, token: token, pageToken: pageToken, startedAt: startedAt)
    }
}
