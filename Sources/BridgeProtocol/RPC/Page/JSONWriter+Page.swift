/// The messages that the daemon sends to a page. Each method appends one complete JSON-RPC object.
extension JSONWriter {
    /// Writes the response to `page.attach`.
    ///
    /// - Parameters:
    ///   - run: differs for each run of the daemon.
    ///   - settings: the settings that only a driven page gets.
    ///   - limits: the limits of a message's values, for a driven page.
    public mutating func attachResult(
        id: RequestID, page: String, run: Int, otherWebView: String? = nil, resumed: Bool, lastSeq: Int,
        handlers: [HandlerInfo], settings: (any JSONObject)? = nil, maxMessageBytes: Int, limits: JSON.Limits? = nil
    ) {
        result(id: id) { writer in
            writer.member("page", page)
            writer.member("run", run)
            writer.member("webView", ifPresent: otherWebView)
            writer.member("resumed", resumed)
            writer.member("lastSeq", lastSeq)
            writer.member("handlers", handlers)
            if let settings { writer.members(of: settings) }
            writer.member("maxMessageBytes", maxMessageBytes)
            writer.member("maxValues", ifPresent: limits?.values)
            writer.member("maxNesting", ifPresent: limits?.nesting)
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

    /// - Parameter settings: the settings that only a driven page gets.
    public mutating func handlersChanged(_ handlers: [HandlerInfo], settings: (any JSONObject)? = nil) {
        notification("handlers.changed") { writer in
            writer.member("handlers", handlers)
            if let settings { writer.members(of: settings) }
        }
    }

    /// Writes `page.ack`, which acknowledges messages.
    ///
    /// - Parameter seq: the number of the last message. It and all messages before it have been handled and logged.
    public mutating func pageAck(seq: Int) {
        notification("page.ack") { $0.member("seq", seq) }
    }

    /// - Parameter world: a content world of a driven page; nil for the page's own.
    public mutating func scriptEvaluate(
        id: RequestID, source: String, sourceURL: String? = nil, world: String? = nil
    ) {
        request(id: id, "script.evaluate") { writer in
            writer.member("source", source)
            writer.member("sourceURL", ifPresent: sourceURL)
            writer.member("world", ifPresent: world)
        }
    }

    /// - Parameters:
    ///   - body: the body of an async function.
    ///   - arguments: an object. The body sees each member as a variable of that name.
    ///   - world: a content world of a driven page; nil for the page's own.
    public mutating func scriptCallAsync(
        id: RequestID, body: String, arguments: ScriptValue, world: String? = nil
    ) {
        request(id: id, "script.callAsync") { writer in
            writer.member("body", body)
            arguments.write(to: &writer, key: "arguments")
            writer.member("world", ifPresent: world)
        }
    }

    /// Writes a request to the driver of a page.
    public mutating func driverRequest(id: RequestID, _ method: String, _ params: [JSONValue.Member]) {
        request(id: id, method) { writer in
            for member in params { writer.member(named: member.key, member.value) }
        }
    }

    public mutating func pageNavigate(_ navigation: PageNavigation) {
        notification("page.navigate") { navigation.writeMembers(to: &$0) }
    }
}
