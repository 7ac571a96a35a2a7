import BridgeProtocol
public import BridgeServer

/// The bodies that a handler has received, as JSON text.
@MainActor public final class BodyCollector {
    public fileprivate(set) var bodies: [String] = []
}

extension BridgeServer {
    /// Registers a handler that collects the bodies of its messages.
    public func collectBodies(of handler: String = "nativeApp") -> BodyCollector {
        let collector = BodyCollector()
        addHandler(
            handler,
            .plain { body, _ in
                collector.bodies.append(body.json.text)
                return .handled
            })
        return collector
    }
}
