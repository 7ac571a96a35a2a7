import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp

/// Notes how the stacks change, and what crosses the bridge and the network, while a flow runs.
@MainActor final class FlowHistory {
    /// The number of the step that runs.
    var step = 0
    private(set) var navigations: [FlowNavigation] = []
    private(set) var events: [FlowEvent] = []
    /// What the page has made of actions, each with its step.
    var notes: [String] = []

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
            (component ?? name).map { add(.message, "\(handler) \($0)") }
        case .evaluate(_, let source): FlowHistory.call(in: source).map { add(.call, $0) }
        case .request(let request, _):
            guard ["document", "fetch"].contains(request.type), let status = request.status else { return }
            add(.request, "\(request.method) \(request.url.pathAndQuery) \(status)")
        default: return
        }
    }

    private func add(_ kind: FlowEvent.Kind, _ text: String) {
        events.append(FlowEvent(step: step, kind: kind, text: text))
    }

    /// The call of a framework's adapter in a script, with the path that it visits. The frameworks write the same call in
    /// different scripts, and their other arguments, such as restoration identifiers, are never the same.
    static func call(in source: String) -> String? {
        let pattern = /((?:turboNative|nativeBridge)\.\w+)\(\s*(?:"(https?:[^"]*)")?/
        guard let match = source.firstMatch(of: pattern) else { return nil }
        let url = match.2.map { " " + String($0).replacing("\\/", with: "/").pathAndQuery }
        return String(match.1) + (url ?? "")
    }

    private func addNavigation(_ fields: [JSONValue.Member]) {
        guard let stacks = StackLine(navigation: fields)?.description, stacks != navigations.last?.stacks else {
            return
        }
        navigations.append(FlowNavigation(step: step, stacks: stacks))
    }
}
