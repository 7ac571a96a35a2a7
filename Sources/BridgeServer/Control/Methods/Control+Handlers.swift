import BridgeProtocol

extension Control {
    func addHandlerMethods() {
        dispatcher.on(ListHandlers.self) { [unowned self] _, _ in
            let handlers = handlerDescriptions
            return ControlResult(members: { $0.member("handlers", handlers) })
        }
        dispatcher.on(StubHandler.self) { [parts] params, _ throws(RPCError) in
            guard !parts.webViews.stubs.isFull else {
                throw .invalidRequest(
                    "there are \(ToolRules<Stub>.limit) stubs already. Remove some with handlers.unstub.")
            }
            let stub = Stub(
                handler: params.handler, match: params.match, reply: params.reply, delay: params.delay)
            let id = parts.webViews.add(stub, webView: params.webView)
            return ControlResult(members: { $0.member("stub", id) })
        }
        dispatcher.on(UnstubHandler.self) { [parts] params, _ throws(RPCError) in
            guard parts.webViews.removeStub(params.stub) else {
                throw .noSuch("stub", params.stub, parts.webViews.stubs.all.map(\.id))
            }
            return .empty
        }
    }

    /// The handlers of web views without a scope or stubs of their own, followed by those of every other web view.
    private var handlerDescriptions: [HandlerDescription] {
        ([nil] + parts.webViews.namedWebViews).flatMap { webView in
            let registered = parts.webViews.handlers(of: webView)
            return parts.webViews.handlerInfoForTools(of: webView).map { info in
                HandlerDescription(
                    info: info, webView: webView, isBuiltIn: registered[info.name] != nil,
                    messages: parts.webViews.messageCounts[info.name, default: 0],
                    stubs: parts.webViews.stubs.applying(to: webView).filter { $0.rule.handler == info.name })
            }
        }
    }
}

/// A handler as `handlers.list` returns it.
private struct HandlerDescription: Sendable, JSONObject {
    let info: HandlerInfo
    let webView: String?
    let isBuiltIn: Bool
    let messages: Int
    let stubs: [ToolRules<Stub>.Entry]

    var members: JSONMembers {
        [
            "handler": info.name, "webView": webView, "kind": isBuiltIn ? "builtIn" : "stub",
            "replies": info.replies, "messages": messages, "stubs": stubs,
        ]
    }
}

extension RPCError {
    /// An error for an id that does not exist.
    /// - Parameter what: `stub` or `subscription`.
    static func noSuch(_ what: String, _ id: String, _ known: [String]) -> RPCError {
        let rest = known.isEmpty ? "There are no \(what)s." : "The \(what)s are: \(known.joined(separator: ", "))."
        return RPCError(
            .invalidParams, "Invalid params: /\(what): there is no \(what) '\(id.forText)'. \(rest)",
            data: .object([.init("\(what)s", .array(known.map(JSONValue.string)))]))
    }
}
