import BridgeProtocol

extension Control {
    func addFaultMethods() {
        dispatcher.on(AddFault.self) { [hub] params, _ throws(RPCError) in
            let id = try hub.add(params.fault, webView: params.webView)
            return ControlResult(members: { $0.member("fault", id) })
        }
        dispatcher.on(RemoveFault.self) { [hub] params, _ throws(RPCError) in
            guard hub.removeFault(params.fault) else {
                throw .noSuch("fault", params.fault, hub.faults.all.map(\.id))
            }
            return .empty
        }
        dispatcher.on(ListFaults.self) { [hub] _, _ in
            let faults = hub.faults.all
            return ControlResult(members: { $0.member("faults", faults) })
        }
    }
}
