import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp

/// Notes how the stacks change, and what pages post, while a flow runs.
@MainActor final class FlowHistory {
    /// The number of the step that runs.
    var step = 0
    private(set) var navigations: [FlowNavigation] = []
    private(set) var messages: [FlowMessage] = []

    init(_ server: BridgeServer) {
        server.traffic.observe { [weak self] record in self?.add(record) }
    }

    private func add(_ record: TrafficRecord) {
        switch record.event {
        case .app("navigation", let fields): addNavigation(fields)
        case .message(let handler, let name, let body, _, _):
            let members = body.json
            let component = members["component"]?.string.map { "\($0) \(members["event"]?.string ?? "")" }
            // One without a name, such as the "ready" of Hotwire's `bridge.js`, is a framework's own affair.
            guard let what = component ?? name else { return }
            messages.append(FlowMessage(step: step, text: "\(handler) \(what)"))
        default: return
        }
    }

    private func addNavigation(_ fields: [JSONValue.Member]) {
        guard let stacks = StackLine(navigation: fields)?.description, stacks != navigations.last?.stacks else {
            return
        }
        navigations.append(FlowNavigation(step: step, stacks: stacks))
    }
}
