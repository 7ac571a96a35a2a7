import BridgeProtocol

/// A WebSocket message of a page or a tool: JSON, a frame of JSON-RPC, and the params of each method.
enum FrameTarget {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let pageFrame = try? PageFrame(bytes)
        guard let json = try? JSON.parse(bytes) else {
            promise(pageFrame == nil, "what is no JSON was read as a page's frame")
            return -1
        }
        checkAgainstJansson(json, bytes)
        let frame = RPCFrame(json)
        promise(!frame.messages.isEmpty, "a frame without messages")
        for message in frame.messages { read(message) }
        var count = 0
        pageFrame?.forEach { message in
            promise(
                isSame(message, PageMessage(frame.messages[count])), "the quick way read message \(count) otherwise")
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

    /// The two readers of JSON differ in speed alone.
    private static func checkAgainstJansson(_ json: JSON, _ bytes: UnsafeRawBufferPointer) {
        do throws(JSONParseError) {
            let other = try JSON.decode(bytes)
            promise(json.description == other.description, "read as \(json), and by jansson as \(other)")
        } catch {
            promise(error.cause == .numberTooLarge, "read as \(json), and not by jansson: \(error)")
        }
    }

    /// Whether the two ways of `PageFrame` read the same. They differ only in speed.
    private static func isSame(_ quick: PageMessage, _ whole: PageMessage) -> Bool {
        switch (quick, whole) {
        case (.post(let post, let id), .post(let other, let otherID)): id == otherID && text(post) == text(other)
        case (.result(let id, .success(let value)), .result(let otherID, .success(let other))):
            id == otherID && text(value) == text(other)
        // The quick way reads nothing else.
        default: "\(quick)".prefix { $0 != "(" } == "\(whole)".prefix { $0 != "(" }
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
