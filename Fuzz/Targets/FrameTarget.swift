import BridgeProtocol

/// A WebSocket message of a page or a tool: JSON, a frame of JSON-RPC, and the params of each method.
enum FrameTarget {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let pageFrame = try? PageFrame(bytes)
        guard let json = try? JSON.parse(bytes) else {
            promise(pageFrame == nil, "what is no JSON was read as a page's frame")
            return -1
        }
        let frame = RPCFrame(json)
        promise(!frame.messages.isEmpty, "a frame without messages")
        for message in frame.messages { read(message) }
        var count = 0
        pageFrame?.forEach { message in
            promise(isSame(message, frame.messages[count]), "the quick way read message \(count) otherwise")
            count += 1
        }
        promise(count == frame.messages.count, "the quick way read \(count) messages, not \(frame.messages.count)")
        var writer = JSONWriter()
        writer.json(json)
        var again = JSONWriter()
        again.json((try? JSON.parse(writer.text)) ?? .null)
        promise(again.text == writer.text, "what is printed does not read as it was: \(writer.text)")
        return 0
    }

    /// The two ways of `PageFrame` differ in speed alone.
    private static func isSame(_ quick: PageFrame.Message, _ whole: RPCMessage) -> Bool {
        switch (quick, whole) {
        case (.other, _): true
        case (.post(let post, let id), .request(let other, "message.post", let params)):
            id == other && text(post) == (try? PostMessage(params: params)).map(text)
        case (.post(let post, nil), .notification("message.post", let params)):
            text(post) == (try? PostMessage(params: params)).map(text)
        case (.result(let id, let value), .success(let other, let result)):
            id == other && text(value) == (try? ScriptValue(params: result, key: "value")).map(text)
        default: false
        }
    }

    private static func text(_ post: PostMessage) -> String { "\(post.seq) \(post.handler) \(text(post.body))" }

    private static func text(_ value: ScriptValue) -> String {
        var writer = JSONWriter()
        writer.object { value.write(to: &$0, key: "value") }
        return writer.text
    }

    private static func read(_ message: RPCMessage) {
        guard let params = params(of: message) else { return }
        _ = try? AttachPage(params: params)
        _ = try? UpdatePage(params: params)
        _ = try? ConsoleEntry(params: params)
        _ = (try? CallInterface(params: params))?.arguments
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
