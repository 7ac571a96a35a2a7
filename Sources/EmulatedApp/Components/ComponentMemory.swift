import BridgeProtocol
import BridgeServer

/// Limits the memory that the components of an app take for what pages send them: the last message of each event, and
/// what they show of it.
///
/// If there is no room for a message, the components are dropped that have received nothing for the longest time. A
/// screen makes a component again when its next message comes.
@MainActor final class ComponentMemory {
    private struct Holder {
        weak var component: BridgeComponent?
        weak var delegate: BridgeDelegate?

        @MainActor func drop() {
            if let component { delegate?.drop(component) }
        }
    }

    private let server: BridgeServer
    private let share: MemoryShare
    /// The components that have received a message; the last one that did is at the end.
    private var holders: [Holder] = []

    init(_ server: BridgeServer) {
        self.server = server
        share = server.componentMemory
    }

    var limit: Int { share.limit }

    /// Makes room for a message.
    /// - Returns: false if there would be too little even without the other components. Then the message must not be
    ///   stored.
    func admit(_ message: Message, to component: BridgeComponent, of delegate: BridgeDelegate) -> Bool {
        guard component.size(with: message) <= limit else { return false }
        holders.removeAll { $0.component == nil || $0.component === component }
        var isAdmitted = component.count(message, in: share)
        if !isAdmitted { reportDrop() }
        while !isAdmitted, !holders.isEmpty {
            holders.removeFirst().drop()
            isAdmitted = component.count(message, in: share)
        }
        holders.append(Holder(component: component, delegate: delegate))
        return isAdmitted
    }

    private func reportDrop() {
        server.traffic.problem(
            .memoryUsedUp,
            "The app's components keep \(limit) bytes of messages, so those are dropped that have received nothing for the "
                + "longest time.",
            hint:
                "Such a component cannot reply any more, and is made again when its next message comes. Send less, or "
                + "raise \(setting("max-memory-bytes", "limits.memoryBytes")).")
    }
}
