import BridgeProtocol

/// The handlers of messages, and their stubs. On the main actor.
@MainActor struct HandlerMethods {
    let webViews: WebViews

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(ListHandlers.self) { _, _ in
            let handlers = descriptions
            return ControlResult(members: { $0.member("handlers", handlers) })
        }
        dispatcher.on(StubHandler.self) { params, _ throws(RPCError) in
            guard !webViews.stubs.isFull else {
                throw .invalidRequest(
                    "there are \(ToolRules<Stub>.limit) stubs already. Remove some with handlers.unstub.")
            }
            let stub = Stub(handler: params.handler, match: params.match, reply: params.reply, delay: params.delay)
            let id = webViews.add(stub, webView: params.webView)
            return ControlResult(members: { $0.member("stub", id) })
        }
        dispatcher.on(UnstubHandler.self) { params, _ throws(RPCError) in
            guard webViews.removeStub(params.stub) else {
                throw .noSuch("stub", params.stub, webViews.stubs.all.map(\.id))
            }
            return .empty
        }
    }

    /// The handlers of web views without a scope or stubs of their own, followed by those of every other web view.
    private var descriptions: [HandlerDescription] {
        ([nil] + webViews.namedWebViews).flatMap { webView in
            let registered = webViews.handlers(of: webView)
            return webViews.handlerInfoForTools(of: webView).map { info in
                HandlerDescription(
                    info: info, webView: webView, isBuiltIn: registered[info.name] != nil,
                    messages: webViews.messageCounts[info.name],
                    stubs: webViews.stubs.applying(to: webView).filter { $0.rule.handler == info.name })
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
