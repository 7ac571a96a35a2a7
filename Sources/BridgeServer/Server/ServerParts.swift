import BridgeProtocol
package import BridgeTraffic

/// The parts of a server that deal with pages, and how they are wired together. They know nothing about sockets, so
/// that the simulation can use the same parts. On the main actor.
@MainActor package struct ServerParts {
    let memory: ClientMemory
    let deadlines: Deadlines
    /// Holds back what must not be sent to pages yet.
    package let gate: Gate
    package let webViews: WebViews
    let delivery: Delivery
    let drivers: DriverMessages
    let origins: Origins
    let missingScripts: MissingScripts
    package let documents: Documents
    package let channel: PageChannel
    package let departure: Departure
    let names: LocalNames

    package init(limits: BridgeServer.Configuration.Limits, discriminator: String, traffic: TrafficLog) {
        var configuration = BridgeServer.Configuration()
        configuration.limits = limits
        configuration.discriminator = discriminator
        self.init(configuration, AppOrigins(), traffic)
    }

    init(_ configuration: BridgeServer.Configuration, _ appOrigins: AppOrigins, _ traffic: TrafficLog) {
        let limits = configuration.limits
        memory = ClientMemory(limit: limits.memoryBytes)
        deadlines = Deadlines(clock: traffic.clock)
        gate = Gate(traffic, deadlines)
        webViews = WebViews()
        delivery = Delivery(
            configuration, webViews, Replies(memory.replies, gate, traffic, deadlines), traffic, deadlines)
        drivers = DriverMessages(webViews, delivery, limits)
        origins = Origins(appOrigins, traffic)
        missingScripts = MissingScripts(traffic, deadlines, webViews)
        names = LocalNames(
            deadlines: deadlines, resolver: configuration.resolver, patience: configuration.resolverPatience)
        documents = Documents(
            limits, webViews, gate, delivery, Evaluations(gate, memory.calls, limits, traffic, deadlines), drivers,
            origins, missingScripts)
        channel = PageChannel(documents, names)
        departure = Departure(documents, WaitingRequests(memory: memory.requests))
    }

    /// How much the parts store. The simulation checks that none of it grows without a limit.
    package struct Sizes {
        package let connections: Int
        /// The number of pages that are gone, and whose beacons may still come.
        package let departed: Int
        /// The greatest number of evaluations that wait for one page.
        package let evaluations: Int
        /// The greatest number of replies that are cached for one page.
        package let replies: Int
        /// The number of handlers whose messages are counted.
        package let counters: Int
    }

    package var sizes: Sizes {
        let pages = documents.pages
        return Sizes(
            connections: channel.connectionCount, departed: documents.registry.departedCount,
            evaluations: pages.map(\.evaluations.count).max() ?? 0,
            replies: pages.map(\.replies.count).max() ?? 0, counters: webViews.messageCounts.counts.count)
    }
}
