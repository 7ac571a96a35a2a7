import BridgeServer
import BridgeTraffic

/// The limits of the daemons of a simulation. They are small and differ each time, so that each is reached often.
struct Settings: Sendable {
    var limits = BridgeServer.Configuration.Limits()
    var outbox: Outbox.Limits
    var kept: RecordRing.Limits
    /// What may wait for the log and for the archive.
    var waiting: RecordRing.Limits
    var hasArchive = false
    var steps = 600
    var mix = Mix()

    init() {
        outbox = Outbox.Limits(messages: limits.waitingMessages, bytes: limits.waitingBytes)
        kept = RecordRing.Limits(records: limits.records, bytes: limits.recordBytes)
        waiting = kept
    }

    init(using random: inout RandomNumbers) {
        limits.messageBytes = random.pick([4_096, 65_536])
        limits.errors = random.pick([2, 16])
        limits.waitingEvaluations = random.pick([2, 20, 400])
        // A connection whose `page.attach` is late ends before the page's session does.
        limits.attachTimeout = .milliseconds(random.pick([50, 10_000]))
        limits.awayTimeout = limits.attachTimeout * random.pick([2, 3])
        limits.beaconTimeout = .milliseconds(random.pick([50, 500]))
        limits.replyTimeout = random.pick([nil, .milliseconds(200)])
        limits.records = random.pick([2, 100, 10_000])
        limits.recordBytes = random.pick([1_000, 1 << 20])
        outbox = Outbox.Limits(messages: random.pick([8, 64, 1_024]), bytes: random.pick([2_000, 1 << 20]))
        kept = RecordRing.Limits(records: limits.records, bytes: limits.recordBytes)
        waiting = RecordRing.Limits(records: random.pick([40, 400, 10_000]), bytes: random.pick([20_000, 1 << 20]))
        hasArchive = random.chance(50)
        steps = random.pick([200, 600, 1_000, 3_000])
        mix = Mix(using: &random)
    }
}

/// Random numbers that follow from a seed (SplitMix64).
struct RandomNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int(next() % UInt64(limit)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
