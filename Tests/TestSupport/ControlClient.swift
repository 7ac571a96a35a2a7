public import BridgeProtocol
public import BridgeServer
import Foundation

/// A tool that calls the control methods over HTTP. Each call uses its own connection.
public struct ControlClient: Sendable {
    public let port: UInt16
    public let token: String

    public init(_ address: BridgeServer.Address) throws {
        try self.init(port: address.port, discoveryFile: address.discoveryFile)
    }

    public init(port: UInt16, discoveryFile: String) throws {
        self.port = port
        token = try DiscoveryFileContents(path: discoveryFile).token
    }

    /// Calls a method and returns its result.
    /// - Throws: the `RPCError` of the response, without its data.
    public func call(_ method: String, _ params: String = "{}") async throws -> JSON {
        let response = try await response(method, params)
        if let error = response["error"] {
            throw RPCError(
                RPCError.Code(rawValue: Int(error["code"]?.number ?? 0)), error["message"]?.string ?? "")
        }
        return response["result"] ?? .null
    }

    /// Calls a method and returns the error object of the response, or null if the call succeeded.
    public func error(_ method: String, _ params: String = "{}") async throws -> JSON {
        try await response(method, params)["error"] ?? .null
    }

    public func response(_ method: String, _ params: String = "{}") async throws -> JSON {
        let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":\(params)}"
        return try JSON.parse(try await post(text).body)
    }

    public func post(
        _ body: String, token: String? = nil, contentType: String = "application/json"
    ) async throws -> HTTPClient.Response {
        try await HTTPClient.request(
            "POST", path: "/rpc", port: port,
            headers: ["Authorization: Bearer \(token ?? self.token)", "Content-Type: \(contentType)"], body: body)
    }

    public func get(_ path: String) async throws -> HTTPClient.Response {
        try await HTTPClient.request(path: path, port: port, headers: ["Authorization: Bearer \(token)"])
    }

    /// Opens a WebSocket to `/control`, for JSON-RPC messages in both directions.
    public func connect() async throws -> PageClient {
        PageClient(
            try await WebSocketClient.connect(
                port: port, path: "/control", origin: nil,
                subprotocols: "bridge.control.v1, bridge.token.\(token)"))
    }
}
