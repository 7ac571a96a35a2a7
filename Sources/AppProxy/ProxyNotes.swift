import BridgeProtocol
import BridgeTraffic
import Foundation

/// Makes problem records of what nginx reports: policies that it has relaxed, and documents that it could not change.
///
/// nginx writes one datagram for each such response, as to a system log.
@MainActor final class ProxyNotes {
    private let traffic: TrafficLog
    private let socket: Socket
    private var source: (any DispatchSourceRead)?
    /// The policies that have been reported, so that each is reported once.
    private var reported: Set<String> = []

    /// - Returns: nil if the socket cannot be made.
    init?(_ traffic: TrafficLog, at path: String) {
        guard let socket = Socket.datagrams(at: path) else { return nil }
        self.traffic = traffic
        self.socket = socket
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.read() }
        }
        // The source still watches the socket until then, and a socket that closes earlier crashes the process.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        source.resume()
        self.source = source
    }

    func stop() {
        source?.cancel()
        source = nil
    }

    private func read() {
        while let datagram = socket.receive() {
            guard let start = datagram.firstIndex(of: UInt8(ascii: "{")),
                let note = try? JSON.parse(String(decoding: datagram[start...], as: UTF8.self))
            else { continue }
            report(note)
        }
    }

    /// - Parameter note: `{url, encoding, type, policy, sent}`, of which all are strings.
    func report(_ note: JSON) {
        let url = note["url"]?.string ?? ""
        let (policy, sent) = (note["policy"]?.string ?? "", note["sent"]?.string ?? "")
        if policy != sent, reported.count < 1_000, reported.insert(policy).inserted {
            traffic.problem(
                "policyRelaxed",
                "The proxy has relaxed the Content-Security-Policy of \(url.shown) for bridge.js: \(policy.shown) became \(sent.shown)",
                hint: "The app's own server still sends the first one.")
        }
        let encoding = note["encoding"]?.string ?? ""
        if !encoding.isEmpty, note["type"]?.string?.hasPrefix("text/html") == true {
            traffic.problem(
                "scriptNotAdded",
                "The app compresses \(url.shown) with \(encoding.shown) although nobody asked for it, so that the proxy could not "
                    + "add bridge.js.",
                hint: "Switch compression off in the app's development settings, or put the script tag into its layout."
            )
        }
    }
}

extension String {
    /// The text without control characters, and not too long for a line.
    fileprivate var shown: String { TerminalText.escape(String(prefix(500))) }
}
