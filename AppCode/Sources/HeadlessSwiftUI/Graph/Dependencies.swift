import Foundation

/// A place with a value that views read, such as that of a `State`. Views that have read it are made again if it changes.
///
/// `@unchecked Sendable`: `readers` is used on the main thread only. The value is set by whoever has the `State`, as in SwiftUI.
class Location: @unchecked Sendable {
    private var readers: [ObjectIdentifier: WeakNode] = [:]

    func noteRead() {
        guard MainQueue.isCurrent else { return }
        MainActor.assumeIsolated {
            guard let node = Dependencies.current else { return }
            readers[ObjectIdentifier(node)] = WeakNode(node: node)
            node.hasRead(self)
        }
    }

    @MainActor func forget(_ node: Node) { readers[ObjectIdentifier(node)] = nil }

    func noteChange() {
        Dependencies.onMain { for reader in self.readers.values { reader.node.map(Updates.invalidate) } }
    }
}

/// On Linux, another thread than the main one may run the main queue.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}

struct WeakNode { weak var node: Node? }

@MainActor enum Dependencies {
    /// The node whose view is being made.
    static var current: Node?

    /// Runs `body`, and makes the node again if something that it has read changes. What the node read before is forgotten.
    static func track<Result>(_ node: Node, _ body: () -> Result) -> Result {
        node.forgetReads()
        return trackAlso(node, body)
    }

    /// Runs `body`, and makes the node again if something changes that this has read, or what was tracked before.
    static func trackAlso<Result>(_ node: Node, _ body: () -> Result) -> Result {
        let outer = current
        current = node
        defer { current = outer }
        let generation = node.generation
        return withObservationTracking(body) { [weak node] in
            onMain {
                guard let node, node.generation == generation else { return }
                Updates.invalidate(node)
            }
        }
    }

    /// Runs `body` at once on the main thread, or else in its next turn.
    nonisolated static func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
        if MainQueue.isCurrent { MainActor.assumeIsolated(body) } else { DispatchQueue.main.async { body() } }
    }
}

/// The views that are to be made again. As in SwiftUI, all changes of one turn are shown together in a later one.
@MainActor enum Updates {
    private static var invalid: [Node] = []
    private static var isScheduled = false
    private static var screens: [WeakScreen] = []

    private struct WeakScreen { weak var screen: Screen? }

    static func add(_ screen: Screen) {
        screens.removeAll { $0.screen == nil }
        screens.append(WeakScreen(screen: screen))
    }

    static func invalidate(_ node: Node) {
        guard node.isMounted, !node.isInvalid else { return }
        node.isInvalid = true
        invalid.append(node)
        schedule()
    }

    /// Looks at the screens again in a later turn, for example because one has appeared.
    static func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        Transitions.shared.beforeNext {
            isScheduled = false
            run()
        }
    }

    private static func run() {
        // Parents come first, because they may give their children new values, or remove them.
        let nodes = invalid.sorted { ($0.depth, $0.number) < ($1.depth, $1.number) }
        invalid = []
        for node in nodes where node.isMounted && node.isInvalid { node.refresh() }
        for screen in screens.compactMap(\.screen) { screen.update() }
    }
}
