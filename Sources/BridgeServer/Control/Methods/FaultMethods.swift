import BridgeProtocol

/// The faults that tools inject into requests. On the main actor.
@MainActor struct FaultMethods {
    let documents: Documents
    let webViews: WebViews

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(AddFault.self) { params, _ throws(RPCError) in
            let id = try documents.add(params.fault, webView: params.webView)
            return ControlResult(members: { $0.member("fault", id) })
        }
        dispatcher.on(RemoveFault.self) { params, _ throws(RPCError) in
            guard webViews.removeFault(params.fault) else {
                throw .noSuch("fault", params.fault, webViews.faults.all.map(\.id))
            }
            return .empty
        }
        dispatcher.on(ListFaults.self) { _, _ in
            let faults = webViews.faults.all
            return ControlResult(members: { $0.member("faults", faults) })
        }
    }
}
