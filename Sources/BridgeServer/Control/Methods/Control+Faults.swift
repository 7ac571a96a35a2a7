import BridgeProtocol

extension Control {
    func addFaultMethods() {
        dispatcher.on(AddFault.self) { [hub] params, _ throws(RPCError) in
            let id = try hub.add(params.fault, webView: params.webView)
            return ControlResult(members: { $0.member("fault", id) })
        }
        dispatcher.on(RemoveFault.self) { [hub] params, _ throws(RPCError) in
            guard hub.webViews.removeFault(params.fault) else {
                throw .noSuch("fault", params.fault, hub.webViews.faults.all.map(\.id))
            }
            return .empty
        }
        dispatcher.on(ListFaults.self) { [hub] _, _ in
            let faults = hub.webViews.faults.all
            return ControlResult(members: { $0.member("faults", faults) })
        }
    }
}
