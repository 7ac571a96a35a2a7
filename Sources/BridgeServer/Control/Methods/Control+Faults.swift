import BridgeProtocol

extension Control {
    func addFaultMethods() {
        dispatcher.on(AddFault.self) { [parts] params, _ throws(RPCError) in
            let id = try parts.documents.add(params.fault, webView: params.webView)
            return ControlResult(members: { $0.member("fault", id) })
        }
        dispatcher.on(RemoveFault.self) { [parts] params, _ throws(RPCError) in
            guard parts.webViews.removeFault(params.fault) else {
                throw .noSuch("fault", params.fault, parts.webViews.faults.all.map(\.id))
            }
            return .empty
        }
        dispatcher.on(ListFaults.self) { [parts] _, _ in
            let faults = parts.webViews.faults.all
            return ControlResult(members: { $0.member("faults", faults) })
        }
    }
}
