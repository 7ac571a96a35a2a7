/// The connections of a loop by their ids, in shares of about the same size. A liveness check looks at one share: pings
/// to ten thousand pages at once would delay everything else.
struct ConnectionTable {
    static let shareCount: UInt64 = 16

    private var shares = [[ConnectionID: Connection]](repeating: [:], count: Int(shareCount))

    subscript(_ id: ConnectionID) -> Connection? {
        get { shares[ConnectionTable.share(id)][id] }
        set { shares[ConnectionTable.share(id)][id] = newValue }
    }

    var isEmpty: Bool { shares.allSatisfy(\.isEmpty) }

    /// All connections, oldest first.
    var all: [Connection] { shares.flatMap(\.values).sorted { $0.id < $1.id } }

    /// The connections of the share whose turn it is, oldest first.
    func share(ofTurn turn: UInt64) -> [Connection] {
        shares[ConnectionTable.share(turn)].values.sorted { $0.id < $1.id }
    }

    private static func share(_ number: UInt64) -> Int { Int(number % shareCount) }
}
