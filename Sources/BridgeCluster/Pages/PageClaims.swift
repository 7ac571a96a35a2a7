import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// Claims pages: a claim makes this node the only one that may change a page. On the main actor.
@MainActor final class PageClaims {
    @MainActor private final class Claim {
        let command: @MainActor () -> RedisCommand
        let answer: Once<PageClaim>
        var deadline: Deadlines.Token?

        init(_ command: @escaping @MainActor () -> RedisCommand, _ answer: @escaping @MainActor (PageClaim) -> Void) {
            self.command = command
            self.answer = Once(answer)
        }
    }

    private let node: String
    private let keys: Keys
    private let link: RedisLink
    private let deadlines: Deadlines
    private let script = RedisScript(ClaimScript.claim)
    /// The claims that wait until Redis can be used.
    private var waiting: [Claim] = []
    /// Called with an error of Redis; nil when it takes claims again.
    var onRefusal: @MainActor (String?) -> Void = { _ in }

    init(_ link: RedisLink, _ keys: Keys, node: String, _ deadlines: Deadlines) {
        self.link = link
        self.keys = keys
        self.node = node
        self.deadlines = deadlines
        link.add(script)
    }

    /// Claims a page. The parameters are those of ``PageKeeper/claim(_:epoch:origin:within:_:)``.
    func claim(
        _ document: String, epoch: Int?, origin: String?, within limit: Duration,
        _ answer: @escaping @MainActor (PageClaim) -> Void
    ) {
        let command: @MainActor () -> RedisCommand = { [script, keys, node] in
            var command = script.call(keys.pageState + document)
            command.add(node)
            command.add(epoch.map { "\($0)" } ?? "")
            command.add(origin ?? "")
            command.add(ClusterLimits.pageSeconds)
            return command
        }
        let claim = Claim(command, answer)
        claim.deadline = deadlines.schedule(after: limit) { [weak self] in
            self?.end(claim, .unanswered("the cluster's Redis has not answered for \(limit.inMilliseconds)"))
        }
        send(claim)
    }

    func linkIsReady() {
        let claims = waiting
        waiting = []
        for claim in claims { send(claim) }
    }

    private func send(_ claim: Claim) {
        // The page waits, because only Redis knows what another daemon has told it.
        guard link.isReady else { return waiting.append(claim) }
        link.send(claim.command()) { [weak self] in self?.answered($0, claim) }
    }

    private func answered(_ reply: RedisReply, _ claim: Claim) {
        switch (reply.list.first?.string, reply) {
        case ("new", _): end(claim, .new)
        case ("same", _): end(claim, .same)
        case ("moved", _):
            let state = reply.list.dropFirst().first.flatMap(PageHandOver.init)
            end(claim, state.map(PageClaim.moved) ?? .unanswered("the cluster's Redis has a state that cannot be read"))
        case ("origin", _):
            end(claim, .refused(.invalidRequest("a page of another origin has this document's id")))
        case (_, .failure(let text)):
            onRefusal(text)
            return end(claim, .unanswered("the cluster's Redis does not give this page's state: \(text)"))
        default:
            // The connection has broken, or is about to end. If Redis has taken the claim, it takes another one. Asking
            // at once would not end, because the link does not know yet.
            if claim.answer.isPending { waiting.append(claim) }
            return link.distrust(reply, to: "a claim")
        }
        onRefusal(nil)
    }

    private func end(_ claim: Claim, _ result: PageClaim) {
        deadlines.cancel(claim.deadline.take())
        waiting.removeAll { $0 === claim }
        claim.answer(result)
    }
}
