@testable import BridgeServer

/// Header fields, a line each: what a request says it is for, and where it comes from.
enum HeaderTarget {
    private static let access = AccessPolicy()

    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 6, omittingEmptySubsequences: false
        ).map(String.init)
        for line in lines { check(line) }
        func line(_ index: Int) -> String? { lines.indices.contains(index) ? lines[index] : nil }
        let headers = RequestHeaders(
            host: line(0), origin: line(1), authorization: line(2), subprotocols: line(3), webSocketVersion: "13")
        let refusal = access.refusal(ofUpgrade: line(4) ?? "websocket", path: line(5) ?? "/page", headers)
        if refusal == nil {
            promise(line(0).flatMap { Authority($0) }?.isLocal == true, "a foreign host came in: \(lines)")
            promise(line(1).map { Origin($0)?.authority.isLocal == true } ?? true, "a foreign page came in: \(lines)")
            promise(line(5) != "/control", "a tool came in without the token: \(lines)")
        }
        return 0
    }

    private static func check(_ text: String) {
        guard let authority = Authority(text) else { return }
        promise(!text.contains("@") && !text.contains("/"), "'\(text)' has more in it than a host and a port")
        let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
        let again = Authority(host + (authority.port.map { ":\($0)" } ?? ""))
        promise(again == authority, "'\(text)' is not what it says it is: \(authority)")
        let names = ["127.0.0.1", "::1", "localhost"]
        let isOurs =
            names.contains(authority.host) || [".localhost", ".test"].contains { authority.host.hasSuffix($0) }
        promise(!authority.isLocal || isOurs, "'\(text)' counts as local")
    }
}
