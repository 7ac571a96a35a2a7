import BridgeProtocol

/// A WebSocket message of a page or a tool: JSON, a frame of JSON-RPC, and the params of each method.
enum FrameTarget {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let json = try? JSON.parse(bytes) else { return -1 }
        let frame = RPCFrame(json)
        promise(!frame.messages.isEmpty, "a frame without messages")
        for message in frame.messages { read(message) }
        var writer = JSONWriter()
        writer.json(json)
        var again = JSONWriter()
        again.json((try? JSON.parse(writer.text)) ?? .null)
        promise(again.text == writer.text, "what is printed does not read as it was: \(writer.text)")
        return 0
    }

    private static func read(_ message: RPCMessage) {
        guard let params = params(of: message) else { return }
        _ = try? AttachPage(params: params)
        _ = try? UpdatePage(params: params)
        _ = try? ConsoleEntry(params: params)
        guard let post = try? PostMessage(params: params) else { return }
        _ = ScriptMessageDispatcher.messageName(of: post.body, discriminator: "name")
        promise(post.body.contains(subset: post.body), "a body that is no subset of itself")
        _ = post.body.summary
    }

    private static func params(of message: RPCMessage) -> JSON? {
        switch message {
        case .request(_, _, let params), .notification(_, let params): params
        case .success(_, let result): result
        case .failure(_, _, let data): data
        case .malformed: nil
        }
    }
}
