import Testing

@testable import BridgeProtocol

@Test func janssonIsLinked() { #expect(JSON.version == 2) }
