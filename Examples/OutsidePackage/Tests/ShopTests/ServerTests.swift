import BridgeServer
import Foundation
import Shop
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server embedded in a program.
@MainActor @Test(.timeLimit(.minutes(1))) func servesUntilItStops() async throws {
    let server = try BridgeServer()
    Shop().register(with: server)
    let address = try await server.start()
    #expect(try await server.start().port == address.port)
    let url = try #require(URL(string: "\(address.url)bridge.js"))
    let (script, _) = try await URLSession.shared.data(from: url)
    #expect(String(decoding: script, as: UTF8.self).contains(#""name":"shop""#))
    await server.stop()
    #expect(server.address == nil)
}
