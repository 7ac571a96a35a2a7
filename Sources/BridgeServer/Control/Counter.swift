/// Counts how often each of a few keys came. It compares the keys, because a dictionary hashes an enum by its text, and
/// every message is counted several times.
@MainActor final class Counter<Key: Equatable> {
    /// Unchecked: only this class touches it, and `==` of a key calls nothing that counts.
    @exclusivity(unchecked) private(set) var counts: [(key: Key, count: Int)] = []

    var total: Int { counts.reduce(0) { $0 + $1.count } }

    func add(_ key: Key, times: Int = 1) {
        for index in counts.indices where counts[index].key == key {
            counts[index].count += times
            return
        }
        counts.append((key, times))
    }

    subscript(key: Key) -> Int { counts.first { $0.key == key }?.count ?? 0 }
}
