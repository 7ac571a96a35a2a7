import Testing

@testable import BridgeServer

/// What a handshake makes of OpenSSL's reports. `TLSTests` uses real ones.
@Suite struct TLSHandshakeTests {
    private func failure(_ events: TLSHandshake.Event...) -> String? {
        var handshake = TLSHandshake()
        for event in events { handshake.handle(event, bytesRead: 100) }
        return handshake.failure(of: PeerAddress(text: "192.0.2.7"))?.text
    }

    @Test func saysWhyTheHandshakeFailed() {
        #expect(failure() == nil && failure(.paused, .done) == nil && failure(.done, .alert(80, byPeer: true)) == nil)
        #expect(failure(.paused)?.contains("did not use TLS") == true)
        #expect(failure(.alert(46, byPeer: true), .paused)?.contains("does not trust") == true)
        #expect(failure(.alert(40, byPeer: true))?.contains("broke off the TLS handshake with alert 40") == true)
        #expect(failure(.alert(70, byPeer: false))?.hasPrefix("The daemon broke off") == true)
    }

    @Test func remembersHowManyBytesTheHandshakeHad() {
        var handshake = TLSHandshake()
        handshake.handle(.paused, bytesRead: 300)
        #expect(handshake.bytesWhenDone == nil)
        handshake.handle(.done, bytesRead: 500)
        handshake.handle(.paused, bytesRead: 600)
        #expect(handshake.bytesWhenDone == 500)
    }

    /// The arguments `where` and `ret`, with the values of OpenSSL 3.
    @Test(arguments: [
        (0x20, 1, TLSHandshake.Event.done), (0x2002, -1, .paused), (0x2002, 1, nil),
        (0x4004, 560, .alert(48, byPeer: true)), (0x4008, 582, .alert(70, byPeer: false)),
        (0x4004, 256, nil), (0x4008, 256, nil),
    ])
    func readsReportsOfOpenSSL(_ place: Int32, _ value: Int32, _ event: TLSHandshake.Event?) {
        #expect(TLSHandshake.Event(place: place, value: value) == event)
    }
}
