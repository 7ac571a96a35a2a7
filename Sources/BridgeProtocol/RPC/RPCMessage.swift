/// One JSON-RPC 2.0 message from a peer.
///
/// A method's name is a `String`, which holds up to 15 bytes (`message.post`) without an allocation.
public enum RPCMessage: Sendable {
    /// `params` is an object or an array.
    case request(id: RequestID, method: String, params: JSON?)
    /// `params` is an object or an array.
    case notification(method: String, params: JSON?)
    case success(id: RequestID, result: JSON)
    case failure(id: RequestID, error: RPCError)
    /// A value that is not a JSON-RPC message. `error` (-32600) gives the reason and is the error to respond with. The
    /// id is null if none could be read.
    case malformed(id: RequestID, error: RPCError)

    /// Reads one message. Anything that is not a message becomes `malformed`.
    public init(_ json: JSON) {
        do throws(RPCError) {
            self = try Self.read(json)
        } catch {
            self = .malformed(id: json["id"].flatMap(RequestID.init) ?? .null, error: error)
        }
    }

    private static func read(_ json: JSON) throws(RPCError) -> RPCMessage {
        guard json.kind == .object else { throw .invalidRequest("expected an object, found \(json.summary)") }
        let version = json["jsonrpc"]
        guard version?.stringEquals("2.0") == true else {
            throw .invalidRequest("jsonrpc must be \"2.0\", found \(version.summary)")
        }
        let id = try id(json["id"])
        let result = json["result"]
        let error = json["error"]
        guard let method = json["method"] else { return try response(id: id, result: result, error: error) }
        guard result == nil, error == nil else { throw .invalidRequest("there is a method with a result or an error") }
        return try call(method, params: json["params"], id: id)
    }

    private static func id(_ json: JSON?) throws(RPCError) -> RequestID? {
        guard let json else { return nil }
        guard let id = RequestID(json) else {
            switch json.kind {
            case .string: throw .invalidRequest("id has more than \(PageText.requestID) bytes")
            case .number:
                throw .invalidRequest(
                    "id must be a string, null, or a whole number of 64 bits, which this is not: \(json)")
            default: throw .invalidRequest("id must be a string, a number or null, found \(json.summary)")
            }
        }
        return id
    }

    private static func response(id: RequestID?, result: JSON?, error: JSON?) throws(RPCError) -> RPCMessage {
        guard result != nil || error != nil else {
            throw .invalidRequest("there is no method, result or error")
        }
        guard let id else { throw .invalidRequest("a response needs an id") }
        switch (result, error) {
        case (let result?, nil): return .success(id: id, result: result)
        case (nil, let error?): return try failure(error, id: id)
        default: throw .invalidRequest("there are both a result and an error")
        }
    }

    private static func call(_ method: JSON, params: JSON?, id: RequestID?) throws(RPCError) -> RPCMessage {
        guard let name = method.string else {
            throw .invalidRequest("method must be a string, found \(method.summary)")
        }
        if let params, params.kind != .object, params.kind != .array {
            throw .invalidRequest("params must be an object or an array, found \(params.summary)")
        }
        guard let id else { return .notification(method: name, params: params) }
        return .request(id: id, method: name, params: params)
    }

    private static func failure(_ error: JSON, id: RequestID) throws(RPCError) -> RPCMessage {
        guard error["code"]?.wholeNumber != nil else {
            throw .invalidRequest("error must be an object with a whole number as code, found \(error.summary)")
        }
        return .failure(id: id, error: RPCError(json: error))
    }
}
