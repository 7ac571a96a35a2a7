import BridgeTraffic

/// Notifies waiting calls when pages of this node or of others attach or change. On the main actor.
@MainActor package final class PageChanges {
    private let waiters: Waiters<Void>
    private var subscriptions: [TrafficSubscription] = []
    /// Whether a page has changed since the latest wait.
    private var hasChanged = false

    package init(_ cluster: any ControlCluster, _ documents: Documents) {
        waiters = Waiters(deadlines: documents.deadlines)
        let filter = TrafficFilter([.init(.kind, TrafficRecord.Kind.page.rawValue)])
        subscriptions = [
            cluster.observePages { [weak self] in self?.changed() },
            documents.traffic.subscribe(filter) { [weak self] _ in self?.changed() },
        ]
    }

    private func changed() {
        hasChanged = true
        waiters.offer(())
    }

    /// Waits for the next change.
    /// - Returns: false if there is none in time.
    package func next(within limit: Duration) async -> Bool {
        if !hasChanged, limit > .zero { _ = await waiters.next(within: limit) { _ in true } }
        defer { hasChanged = false }
        return hasChanged
    }

    package func end() {
        for subscription in subscriptions { subscription.cancel() }
    }
}
