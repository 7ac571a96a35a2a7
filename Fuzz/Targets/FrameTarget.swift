import BridgeClient
import BridgeProtocol

@testable import BridgeServer

/// Reads bytes as WebSocket frames. Then reads them as a message of a page or a tool: as JSON, as a JSON-RPC frame, and
/// as the params of each method.
enum FrameTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        readFrames(bytes)
        let pageFrame = try? PageFrame(bytes)
        guard let json = try? JSON.parse(bytes) else {
            check(pageFrame == nil, "a text that is not JSON was read as a page's frame")
            return -1
        }
        checkAgainstJansson(json, bytes)
        let frame = RPCFrame(json)
        check(!frame.messages.isEmpty, "a frame without messages")
        for message in frame.messages { read(message) }
        var count = 0
        pageFrame?.forEach { message in
            check(
                isSame(message, PageMessage(frame.messages[count])), "the fast reader read message \(count) differently"
            )
            count += 1
        }
        check(count == frame.messages.count, "the fast reader read \(count) messages, not \(frame.messages.count)")
        var writer = JSONWriter()
        writer.json(json)
        var again = JSONWriter()
        again.json((try? JSON.parse(writer.text)) ?? .null)
        check(again.text == writer.text, "the printed text reads differently: \(writer.text)")
        check(JSON(JSONValue(json)).text == writer.text, "a copy prints differently: \(writer.text)")
        return 0
    }

    /// Reads the bytes as frames, as a client does, and as lengths that frames announce to the daemon.
    private static func readFrames(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while let frame = WebSocketFrame(bytes, at: start) {
            check(start < frame.payload.lowerBound && frame.payload.upperBound <= bytes.count, "a frame beyond its end")
            start = frame.payload.upperBound
        }
        var message = IncomingMessage()
        message.append(bytes)
        for offset in stride(from: 0, to: bytes.count - 7, by: 1) {
            let rest = Int(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int.self))
            check(message.size(with: offset, announced: rest) >= bytes.count, "a message smaller than its pieces")
        }
    }

    /// Checks that `JSONReader` and jansson read the same.
    private static func checkAgainstJansson(_ json: JSON, _ bytes: UnsafeRawBufferPointer) {
        do throws(JSONParseError) {
            let other = try JSON.decode(bytes)
            check(json.description == other.description, "read as \(json), and by jansson as \(other)")
        } catch {
            let isRead = [.numberTooLarge, .nulInKey].contains(error.cause)
            check(isRead, "read as \(json), but rejected by jansson: \(error)")
        }
    }

    /// Whether the two readers of `PageFrame` read the same message.
    private static func isSame(_ quick: PageMessage, _ whole: PageMessage) -> Bool {
        switch (quick, whole) {
        case (.post(let post, let id), .post(let other, let otherID)): id == otherID && text(post) == text(other)
        case (.result(let id, .success(let value)), .result(let otherID, .success(let other))):
            id == otherID && text(value) == text(other)
        // The fast reader reads no other messages.
        case (.attach, .attach), (.update, .update), (.console, .console), (.call, .call), (.driver, .driver),
            (.malformed, .malformed), (.result(_, .failure), .result(_, .failure)):
            true
        default: false
        }
    }

    private static func text(_ post: PostMessage) -> String {
        "\(post.seq) \(post.handler) \(post.world ?? "") \(text(post.body))"
    }

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
        check(post.body.contains(subset: post.body), "a body that is not a subset of itself")
        _ = post.body.summary
    }

    private static func params(of message: RPCMessage) -> JSON? {
        switch message {
        case .request(_, _, let params), .notification(_, let params): params
        case .success(_, let result): result
        case .failure, .malformed: nil
        }
    }
}
