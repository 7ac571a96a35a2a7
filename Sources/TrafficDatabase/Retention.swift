import BridgeProtocol
import GRDB

/// How many records a database keeps, over all runs of the daemon.
public enum Retention: Sendable, Equatable {
    case everything
    case records(Int)
    case age(Duration)

    /// Reads a number of records (`100000`), days (`7d`) or hours (`12h`).
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        let units: [Character: Int64] = ["d": 86_400, "h": 3_600]
        if let count = Int(text), count > 0 {
            self = .records(count)
        } else if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...36_500).contains(count)
        {
            self = .age(.seconds(count * unit))
        } else {
            return nil
        }
    }

    /// The number of new records after which to remove old ones. Between two removals the database keeps more records
    /// than the limit.
    var trimInterval: Int {
        switch self {
        case .everything: .max
        case .records(let count): max(100, min(count / 10, 10_000))
        case .age: 1_000
        }
    }

    /// Returns the SQL condition of the records to remove; nil if there is no limit.
    func expired(at now: Timestamp) -> (sql: String, arguments: StatementArguments)? {
        switch self {
        case .everything: nil
        case .records(let count): ("id <= (SELECT max(id) FROM record) - ?", [count])
        case .age(let age): ("time < ?", [now.microseconds - Int64(age / .microseconds(1))])
        }
    }
}
