import BridgeProtocol

/// The texts that pages send, as `web/bridge/wire.js` writes them.
enum Wire {
    @MainActor static func attach(_ page: SimulatedPage) -> [UInt8] {
        var writer = JSONWriter()
        writer.call(introduction(page), id: .string("attach"))
        return writer.bytes
    }

    /// The params of `page.attach`.
    @MainActor private static func introduction(_ page: SimulatedPage) -> AttachPage {
        AttachPage(
            document: page.document, webView: page.webView,
            frame: FrameInfo(
                url: "http://localhost:3000/", origin: "http://localhost:3000", isMainFrame: page.parent == nil),
            userAgent: "", resume: page.isKnown,
            previous: page.isKnown || page.mistake == .forgetsPredecessor ? nil : page.previous,
            waiting: page.mistake == .forgetsReplies ? nil : page.waiting.map(\.seq))
    }

    static func post(_ message: SimulatedPage.Message, asNotification: Bool = false) -> [UInt8] {
        post(
            seq: "\(message.seq)", handler: message.handler.rawValue, body: "\(message.number)",
            id: message.handler.replies && !asNotification ? "\"id\":\(message.seq)," : "")
    }

    static func post(seq: String, handler: String, body: String, id: String = "") -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(128 + handler.utf8.count + body.utf8.count)
        for part in [
            #"{"jsonrpc":"2.0","#, id, #""method":"message.post","params":{"seq":"#, seq, #","handler":""#, handler,
            #"","body":"#, body, "}}",
        ] { text += part.utf8 }
        return text
    }

    static func result(id: Int, value: Int) -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":\#(id),"result":{"value":\#(value)}}"#.utf8)
    }

    static func batch(_ frames: some Collection<[UInt8]>) -> [UInt8] {
        if frames.count == 1, let frame = frames.first { return frame }
        return list("[", frames, "]")
    }

    /// Writes texts with commas between them.
    private static func list(_ start: String, _ texts: some Collection<[UInt8]>, _ end: String) -> [UInt8] {
        var list = Array(start.utf8)
        list.reserveCapacity(texts.reduce(start.utf8.count + end.utf8.count) { $0 + $1.count + 1 })
        var isFirst = true
        for text in texts {
            if !isFirst { list.append(UInt8(ascii: ",")) }
            isFirst = false
            list += text
        }
        list += end.utf8
        return list
    }

    /// The bodies of the requests with which a page calls. Each has few messages, so that there are often several.
    @MainActor static func call(_ page: SimulatedPage, _ message: SimulatedPage.Message) -> [[UInt8]] {
        let call = """
            {"jsonrpc":"2.0","id":\(message.seq),"method":"interface.call","params":{"seq":\(message.seq),\
            "handler":"\(message.handler)","method":"take","body":[\(message.number)]}}
            """
        let messages = page.kept.map { Wire.post($0) } + [Array(call.utf8)]
        return stride(from: 0, to: messages.count, by: 16).map { start in
            let part = messages[start..<min(start + 16, messages.count)]
            return list(#"{"attach":\#(introduction(page).text),"messages":["#, part, "]}")
        }
    }

    @MainActor static func beacon(_ page: SimulatedPage, _ frames: [[UInt8]]) -> [UInt8] {
        let run = page.run.map { "\($0)" } ?? "null"
        return list(
            #"{"document":"\#(page.document)","run":\#(run),"attach":\#(introduction(page).text),"messages":["#, frames,
            "]}"
        )
    }
}
