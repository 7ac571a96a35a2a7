public import BridgeProtocol
import Foundation

/// Finds running daemons by their discovery files.
public struct DaemonFinder: Sendable {
    private let environment: [String: String]

    public init(environment: [String: String]) { self.environment = environment }

    /// Finds the daemon to call.
    ///
    /// `BRIDGED_TOKEN` replaces the token in the discovery file, and `BRIDGED_URL` is used if `url` is nil. If no URL
    /// is given, the daemon on the default port is found, because daemons on other ports are probably those of tests;
    /// if none runs there, the only running daemon is found.
    /// - Parameter url: the daemon's URL, or nil.
    public func find(url: String?) throws(ClientError) -> DaemonEndpoint {
        let (running, others) = read()
        guard let url = url ?? environment["BRIDGED_URL"] else {
            guard let first = running.first else { throw .noDaemon(url: nil, others: others) }
            let usual = running.first { URLComponents(string: $0.url)?.port == Int(DaemonEndpoint.defaultPort) }
            guard let daemon = usual ?? (running.count == 1 ? first : nil) else { throw .severalDaemons(running) }
            return daemon.with(token: environment["BRIDGED_TOKEN"])
        }
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme),
            components.host?.isEmpty == false
        else { throw .notAnAddress(url) }
        if let token = environment["BRIDGED_TOKEN"] {
            return DaemonEndpoint(url: url, pid: 0, token: token, pageToken: nil, startedAt: "")
        }
        guard let known = running.first(where: { $0.isReached(by: components) }) else {
            throw .noDaemon(url: url, others: others)
        }
        return known
    }

    /// The folder of the discovery files.
    public var folder: String { DaemonEndpoint.folder(environment, user: getuid()) }

    /// The running daemons, in the order of the names of their discovery files.
    public var running: [DaemonEndpoint] { read().running }

    /// Reads the discovery files.
    /// - Returns: the running daemons, and a sentence about the files that are not discovery files.
    private func read() -> (running: [DaemonEndpoint], others: String) {
        let folder = folder
        // If the temporary folder is shared, another user could create this folder, with files that lead to a daemon of
        // that user.
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR else {
            return ([], "")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            return ([], " Other users can write to \(folder), so it is not read. Correct it with: chmod 700 \(folder)")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (running, others): ([DaemonEndpoint], [String]) = ([], [])
        for name in names.sorted() where name.hasSuffix(".json") {
            switch DiscoveryFile(path: "\(folder)/\(name)") {
            case .running(let daemon): running.append(daemon)
            case .abandoned: break
            case .other: others.append(name)
            }
        }
        guard !others.isEmpty else { return (running, "") }
        let shown = others.prefix(10).joined(separator: ", ") + (others.count > 10 ? ", …" : "")
        return (running, " These files in \(folder) are not those of daemons: \(shown)")
    }
}

/// What a file in the folder of discovery files is.
private enum DiscoveryFile {
    case running(DaemonEndpoint)
    /// No process has locked it: its daemon was killed, and another program may have its port, or its process id.
    case abandoned
    case other

    /// The largest discovery file, in bytes. One has some hundred.
    private static let limit = 64 << 10

    init(path: String) {
        self = .other
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            // The daemon has just ended.
            if errno == ENOENT { self = .abandoned }
            return
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else {
            self = .abandoned
            return
        }
        guard let bytes = try? file.read(upToCount: DiscoveryFile.limit + 1), bytes.count <= DiscoveryFile.limit,
            let json = try? JSON.parse(Array(bytes)), let daemon = DaemonEndpoint(json: json),
            let url = URLComponents(string: daemon.url), url.host?.isEmpty == false
        else { return }
        self = .running(daemon)
    }
}

extension DaemonEndpoint {
    /// Whether the URL leads to this daemon, by any name of this machine. The token must never be sent to another host.
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
