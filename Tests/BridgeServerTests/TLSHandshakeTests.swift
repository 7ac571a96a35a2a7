import Testing

@testable import BridgeServer

/// What is made of what OpenSSL tells of a handshake. Real ones are in `TLSTests`.
@Suite struct TLSHandshakeTests {
    private func failure(_ events: TLSHandshake.Event...) -> String? {
        var handshake = TLSHandshake()
        for event in events { handshake.take(event, bytes: 100) }
        return handshake.failure(of: PeerAddress(text: "192.0.2.7"))?.text
    }

    @Test func tellsWhyItFailed() {
        #expect(failure() == nil && failure(.paused, .done) == nil && failure(.done, .alert(80, byPeer: true)) == nil)
        #expect(failure(.paused)?.contains("came without TLS") == true)
        #expect(failure(.alert(46, byPeer: true), .paused)?.contains("does not trust") == true)
        #expect(failure(.alert(40, byPeer: true))?.contains("broke off the TLS handshake with alert 40") == true)
        #expect(failure(.alert(70, byPeer: false))?.hasPrefix("The daemon broke off") == true)
    }

    @Test func keepsWhoSaidGoodbyeFirst() {
        var handshake = TLSHandshake()
        handshake.take(.done, bytes: 500)
        #expect(handshake.isEndedByPeer == nil && handshake.bytesWhenDone == 500)
        handshake.take(.goodbye(byPeer: false), bytes: 600)
        handshake.take(.goodbye(byPeer: true), bytes: 624)
        #expect(handshake.isEndedByPeer == false && handshake.bytesWhenDone == 500)
    }

    /// `where` and `ret` as OpenSSL 3 gives them.
    @Test(arguments: [
        (0x20, 1, TLSHandshake.Event.done), (0x2002, -1, .paused), (0x2002, 1, nil),
        (0x4004, 560, .alert(48, byPeer: true)), (0x4008, 582, .alert(70, byPeer: false)),
        (0x4004, 256, .goodbye(byPeer: true)), (0x4008, 256, .goodbye(byPeer: false)),
    ])
    func readsWhatOpenSSLTells(_ place: Int32, _ value: Int32, _ event: TLSHandshake.Event?) {
        #expect(TLSHandshake.Event(place: place, value: value) == event)
    }
}
