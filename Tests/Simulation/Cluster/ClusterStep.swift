/// One thing that happens in a simulated cluster. As with ``Step``, each can happen at any time.
enum ClusterStep: Sendable {
    case connect(page: Int, node: Int)
    case post(page: Int, HandlerName, count: Int)
    case send(page: Int)
    case runScript(page: Int)
    case read(page: Int)
    /// The page gives its connection up.
    case leaveNode(page: Int)
    case deliver(node: Int, connection: Int)
    case noticeCut(node: Int, connection: Int)
    case endRound(node: Int)
    case settleReply(node: Int)
    case start
    case kill(node: Int)
    case pause(node: Int)
    case goOn(node: Int)
    /// A new connection of a node to Redis opens.
    case openLink(node: Int, Int)
    case execute(node: Int, Int, isPatient: Bool)
    case answer(node: Int, Int)
    case cutLink(node: Int, Int)
    /// Redis gets a command of a connection that has ended.
    case executeLate(Int)
    case dropLate
    case advance(milliseconds: Int)
    case fireTimers(node: Int)
    case redis(RedisFault, Int)
}

/// How often each kind of step happens.
struct ClusterMix: Sendable {
    private static let weights = [
        /* connect */ 30, /* post */ 50, /* send */ 50, /* runScript */ 25, /* read */ 70, /* leaveNode */ 6,
        /* deliver */ 80, /* noticeCut */ 6, /* endRound */ 80, /* settleReply */ 10, /* start */ 6, /* kill */ 2,
        /* pause */ 3, /* goOn */ 6, /* openLink */ 40, /* execute */ 160, /* answer */ 160, /* cutLink */ 4,
        /* executeLate */ 4, /* dropLate */ 2, /* advance */ 8, /* fireTimers */ 20, /* redis */ 6,
    ]

    private var sums: [Int] = []
    /// The faults of Redis that happen. In most simulations there are few, so that the others are checked strictly.
    private var faults: [RedisFault] = []

    init(using random: inout RandomNumbers) {
        var sum = 0
        for weight in ClusterMix.weights {
            sum += weight * random.pick([1, 2, 2, 2, 6])
            sums.append(sum)
        }
        let kinds = [
            [], [.hang], [.hang, .setCount, .foreignEntry, .deleteCount],
            [.hang, .fill, .endOfNumbers, .wrongTypes, .deleteTraffic],
            [.deletePage, .hang], [.deleteNode], [.replicate, .failOver, .hang], RedisFault.allCases,
        ]
        faults = random.pick(kinds)
        if !faults.isEmpty { faults.append(.heal) }
    }

    func step(using random: inout RandomNumbers) -> ClusterStep? {
        let value = random.below(max(1, sums.last ?? 1))
        let (index, other) = (random.below(16), random.below(16))
        switch sums.firstIndex(where: { value < $0 }) ?? 0 {
        case 0: return .connect(page: index, node: other)
        case 1: return .post(page: index, random.pick(HandlerName.posted), count: random.pick([1, 1, 2, 5]))
        case 2: return .send(page: index)
        case 3: return .runScript(page: index)
        case 4: return .read(page: index)
        case 5: return .leaveNode(page: index)
        case 6: return .deliver(node: index, connection: other)
        case 7: return .noticeCut(node: index, connection: other)
        case 8: return .endRound(node: index)
        case 9: return .settleReply(node: index)
        case 10: return .start
        case 11: return .kill(node: index)
        case 12: return .pause(node: index)
        case 13: return .goOn(node: index)
        case 14: return .openLink(node: index, other)
        case 15: return .execute(node: index, other, isPatient: random.chance(90))
        case 16: return .answer(node: index, other)
        case 17: return .cutLink(node: index, other)
        case 18: return .executeLate(index)
        case 19: return .dropLate
        case 20: return .advance(milliseconds: random.pick([1, 100, 1_100, 3_000, 11_000]))
        case 21: return .fireTimers(node: index)
        default: return faults.isEmpty ? nil : .redis(random.pick(faults), index)
        }
    }
}
