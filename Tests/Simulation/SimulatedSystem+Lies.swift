import BridgeProtocol

extension SimulatedSystem {
    /// Sends what `bridge.js` never sends. From then on nothing is promised to this page.
    func tell(_ lie: Lie, _ page: SimulatedPage) {
        page.isLiar = true
        if let body = beacon(lie) { return beacons.append(Beacon(body: body, messages: [], namesPrevious: false)) }
        page.connection?.send(.text(text(lie, page)))
    }

    private func beacon(_ lie: Lie) -> [UInt8]? {
        switch lie {
        case .foreignBeacon: Array(#"{"document":"nobody","messages":[{"jsonrpc":"2.0"}]}"#.utf8)
        case .badBeacon: Array(#"{"document":7,"messages":[1,[],{}],"attach":[]}"#.utf8)
        default: nil
        }
    }

    private func text(_ lie: Lie, _ page: SimulatedPage) -> [UInt8] {
        let post = { (seq: String) in Wire.post(seq: seq, handler: HandlerName.plain.rawValue, body: "-1") }
        return switch lie {
        case .halfAFrame: Array(post("1").dropLast(9))
        case .notUTF8: [0x22, 0xFF, 0x22]
        case .emptyBatch: Array("[]".utf8)
        case .junkBatch: Array("[1,null,{},[],\"x\",{\"jsonrpc\":\"2.0\"}]".utf8)
        case .badParams: Wire.post(seq: "\"x\"", handler: "plain", body: "1e999")
        case .unknownMethod: Array(#"{"jsonrpc":"2.0","id":1,"method":"page.destroy","params":{}}"#.utf8)
        case .hugeSeq: post("9007199254740992")
        case .negativeSeq: post("-5")
        case .fractionalSeq: post("1.5")
        case .unknownResult: Wire.result(id: 1 << 40, value: 1)
        case .secondAttach: Wire.attach(page)
        case .attachWithoutParams: Array(#"{"jsonrpc":"2.0","id":"attach","method":"page.attach"}"#.utf8)
        case .otherWebView:
            Array(
                String(decoding: Wire.attach(page), as: UTF8.self)
                    .replacing("\"webView\":\"\(page.webView)\"", with: "\"webView\":\"other\"").utf8)
        case .longStrings: Wire.post(seq: "1", handler: String(repeating: "h", count: 3_000), body: "-1")
        case .deepNesting: Array(String(repeating: "[", count: 3_000).utf8)
        case .foreignBeacon, .badBeacon: []
        }
    }
}
