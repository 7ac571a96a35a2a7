/// The messages that the daemon sends to a page. Each method appends one complete JSON-RPC object.
extension JSONWriter {
    /// Writes the response to `page.attach`.
    ///
    /// - Parameter run: differs for each run of the daemon.
    public mutating func attachResult(
        id: RequestID, page: String, run: Int, otherWebView: String? = nil, resumed: Bool, lastSeq: Int,
        handlers: [HandlerInfo],
        maxMessageBytes: Int
    ) {
        result(id: id) { writer in
            writer.member("page", page)
            writer.member("run", run)
            writer.member("webView", ifPresent: otherWebView)
            writer.member("resumed", resumed)
            writer.member("lastSeq", lastSeq)
            writer.member("handlers", handlers)
            writer.member("maxMessageBytes", maxMessageBytes)
        }
    }

    /// Writes a response whose result is a script value, such as the one to `message.post`.
    public mutating func valueResult(id: RequestID, _ value: ScriptValue) {
        result(id: id) { value.write(to: &$0, key: "value") }
    }

    /// Writes `handlers.changed` for a document that is still loading.
    ///
    /// - Parameter userScripts: the user scripts that the document runs when it has been parsed.
    public mutating func handlersChanged(_ handlers: [HandlerInfo], userScripts: [some JSONWritable]) {
        notification("handlers.changed") { writer in
            writer.member("handlers", handlers)
            writer.member("userScripts", userScripts)
        }
    }

    public mutating func handlersChanged(_ handlers: [HandlerInfo]) {
        notification("handlers.changed") { $0.member("handlers", handlers) }
    }

    /// Writes `page.ack`, which acknowledges messages.
    ///
    /// - Parameter seq: the number of the last message. It and all messages before it have been handled and logged.
    public mutating func pageAck(seq: Int) {
        notification("page.ack") { $0.member("seq", seq) }
    }

    public mutating func scriptEvaluate(id: RequestID, source: String, sourceURL: String? = nil) {
        request(id: id, "script.evaluate") { writer in
            writer.member("source", source)
            writer.member("sourceURL", ifPresent: sourceURL)
        }
    }

    /// - Parameters:
    ///   - body: the body of an async function.
    ///   - arguments: an object. The body sees each member as a variable of that name.
    public mutating func scriptCallAsync(id: RequestID, body: String, arguments: ScriptValue) {
        request(id: id, "script.callAsync") { writer in
            writer.member("body", body)
            arguments.write(to: &writer, key: "arguments")
        }
    }

    public mutating func pageNavigate(_ navigation: PageNavigation) {
        notification("page.navigate") { navigation.writeMembers(to: &$0) }
    }
}
