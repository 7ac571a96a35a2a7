import BridgeProtocol
import Foundation

/// The first line of `bridged serve --json`: where the daemon listens.
public struct Listening: Sendable {
    public let url: String
    public let port: UInt16
    public let pid: Int
    public let discoveryFile: String
}

extension RunningDaemon {
    /// Waits until a daemon that was started with `--json` listens. Consumes the first of its `lines`.
    public func listening() async throws -> Listening {
        var lines = lines.makeAsyncIterator()
        let json = try JSON.parse(await lines.next() ?? "")
        guard json["kind"]?.string == "daemon", json["event"]?.string == "listening", let url = json["url"]?.string,
            let port = URL(string: url)?.port.flatMap(UInt16.init(exactly:)), let pid = json["pid"]?.number,
            let discoveryFile = json["runFile"]?.string
        else { throw CocoaError(.formatting) }
        return Listening(url: url, port: port, pid: Int(pid), discoveryFile: discoveryFile)
    }
}
