/// How often each kind of step happens in a simulation. It differs each time, so that rare combinations come, too:
/// one simulation kills its daemon all the time, and another never does.
struct Mix: Sendable {
    private static let weights = [
        /* load */ 6, /* goBack */ 4, /* connect */ 30, /* post */ 60, /* send */ 50, /* sendTwice */ 8,
        /* runScript */ 25, /* settleFunction */ 12, /* lie */ 6, /* deliver */ 110, /* read */ 90, /* choke */ 4,
        /* writable */ 12, /* cut */ 4, /* daemonNoticesCut */ 6, /* pageNoticesCut */ 8, /* deliverBeacon */ 12,
        /* loseBeacon */ 1, /* endRound */ 70, /* evaluate */ 25, /* settleReply */ 12, /* changeHandlers */ 2,
        /* start */ 12, /* stop */ 2, /* finishStop */ 6, /* kill */ 2, /* advance */ 10, /* fireTimers */ 10,
        /* fireNextTimer */ 6, /* fillDisk */ 1, /* slowDisk */ 1, /* healDisk */ 4, /* hangUp */ 3, /* archive */ 3,
        /* finishArchiveCall */ 50, /* deleteLog */ 1, /* moveLog */ 2, /* addFrame */ 5, /* removeFrame */ 2,
        /* call */ 15, /* deliverCall */ 30, /* loseCall */ 2, /* truncateLog */ 1,
    ]

    /// The sums of the weights up to each kind.
    private var sums: [Int] = []

    /// No step at all.
    init() {}

    init(using random: inout RandomNumbers) {
        var sum = 0
        for weight in Mix.weights {
            sum += weight * random.pick([0, 1, 2, 2, 2, 8])
            sums.append(sum)
        }
    }

    func step(using random: inout RandomNumbers) -> Step {
        let value = random.below(max(1, sums.last ?? 1))
        let kind = sums.firstIndex { value < $0 } ?? 0
        return Mix.step(kind, using: &random)
    }

    private static func step(_ kind: Int, using random: inout RandomNumbers) -> Step {
        let index = random.below(16)
        switch kind {
        case 0: return .load(tab: index, random.pick(Leaving.allCases))
        case 1: return .goBack(tab: index, random.pick(Leaving.allCases))
        case 2: return .connect(page: index)
        case 3: return .post(page: index, random.pick(HandlerName.posted), count: random.pick([1, 1, 1, 2, 5, 20]))
        case 4: return .send(page: index)
        case 5: return .sendTwice(page: index)
        case 6: return .runScript(page: index)
        case 7: return .settleFunction(page: index, random.below(8))
        case 8: return .lie(page: index, random.pick(Lie.allCases))
        case 9: return .deliver(connection: index, bytes: random.pick([1, 50, 400, 2_000, 100_000]))
        case 10: return .read(connection: index, frames: random.pick([1, 1, 2, 100]))
        case 11: return .choke(connection: index)
        case 12: return .writable(connection: index)
        case 13: return .cut(connection: index)
        case 14: return .daemonNoticesCut(connection: index)
        case 15: return .pageNoticesCut(page: index)
        case 16: return .deliverBeacon(index, keepsCopy: random.chance(20))
        case 17: return .loseBeacon(index)
        case 18: return .endRound
        case 19:
            return .evaluate(
                page: index, isFunction: random.chance(30), milliseconds: random.pick([10, 1_000, 30_000, 30_000]))
        case 20: return .settleReply(index, random.pick(ReplyKind.allCases))
        case 21: return .changeHandlers
        case 22: return .start
        case 23: return .stop
        case 24: return .finishStop
        case 25: return .kill(effects: random.below(6))
        case 26: return .advance(milliseconds: random.pick([1, 20, 100, 600, 5_000, 40_000]))
        case 27: return .fireTimers
        case 28: return .fireNextTimer
        case 29: return .fillDisk(bytes: random.below(2_000))
        case 30: return .slowDisk(bytes: 1 + random.below(200))
        case 31: return .healDisk
        case 32: return .hangUp
        case 33: return .archive(random.pick(ArchiveState.allCases))
        case 34: return .finishArchiveCall(isReported: random.chance(80))
        case 35: return .deleteLog
        case 36: return .moveLog(hasNext: random.chance(50))
        case 37: return .addFrame(tab: index)
        case 38: return .removeFrame(page: index)
        case 39: return .call(page: index)
        case 40: return .deliverCall(index, keepsCopy: random.chance(20))
        case 41: return .loseCall(page: index)
        default: return .truncateLog
        }
    }
}
