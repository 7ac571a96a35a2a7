import BridgeServer
import Foundation
import Shop
import Testing

/// The server embedded in a program.
@MainActor @Test(.timeLimit(.minutes(1))) func servesUntilItStops() async throws {
    let server = try BridgeServer()
    Shop().register(with: server)
    let address = try await server.start()
    #expect(try await server.start().port == address.port)
    let script = try String(contentsOf: #require(URL(string: "\(address.url)bridge.js")), encoding: .utf8)
    #expect(script.contains("\"name\":\"shop\""))
    await server.stop()
    #expect(server.address == nil)
}
