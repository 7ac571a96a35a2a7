@testable import BridgeServer

/// Reads header fields, one in each line, and checks which requests are accepted.
enum HeaderTarget {
    private static let access = AccessPolicy()

    static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 6, omittingEmptySubsequences: false
        ).map(String.init)
        for line in lines { checkAuthority(line) }
        func line(_ index: Int) -> String? { lines.indices.contains(index) ? lines[index] : nil }
        let headers = RequestHeaders(
            host: line(0), origin: line(1), authorization: line(2), subprotocols: line(3), webSocketVersion: "13")
        let refusal = access.refusal(ofUpgrade: line(4) ?? "websocket", path: line(5) ?? "/page", headers)
        if refusal == nil {
            // The system's resolver decides about names under `.test` later.
            let uncertain = access.uncertainNames(in: headers)
            func isOurs(_ authority: Authority?) -> Bool {
                authority.map { $0.isLocal || uncertain.contains($0.host) } ?? false
            }
            check(isOurs(line(0).flatMap { Authority($0) }), "a request to a foreign host was accepted: \(lines)")
            check(
                line(1).map { isOurs(Origin($0)?.authority) } ?? true,
                "a request of a foreign page was accepted: \(lines)")
            check(line(5) != "/control", "a tool without the token was accepted: \(lines)")
        }
        return 0
    }

    private static func checkAuthority(_ text: String) {
        guard let authority = Authority(text) else { return }
        check(!text.contains("@") && !text.contains("/"), "'\(text)' has more than a host and a port")
        let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
        let again = Authority(host + (authority.port.map { ":\($0)" } ?? ""))
        check(again == authority, "'\(text)' does not survive printing: \(authority)")
        let names = ["127.0.0.1", "::1", "localhost"]
        let isOurs = names.contains(authority.host) || authority.host.hasSuffix(".localhost")
        check(!authority.isLocal || isOurs, "'\(text)' counts as local")
    }
}
