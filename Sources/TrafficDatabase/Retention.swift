import BridgeProtocol
import GRDB

/// How much a database keeps, over all runs.
public enum Retention: Sendable, Equatable {
    case everything
    case records(Int)
    case age(Duration)

    /// Reads `100000` (records), `7d` (days) or `12h` (hours). Nil for another text, and for none at all.
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

    /// After how many records to look again. A little more than asked for is kept meanwhile.
    var trimInterval: Int {
        switch self {
        case .everything: .max
        case .records(let count): max(100, min(count / 10, 10_000))
        case .age: 1_000
        }
    }

    /// Which records are too many or too old.
    func expired(at now: Timestamp) -> (sql: String, arguments: StatementArguments)? {
        switch self {
        case .everything: nil
        case .records(let count): ("id <= (SELECT max(id) FROM record) - ?", [count])
        case .age(let age): ("time < ?", [now.microseconds - Int64(age / .microseconds(1))])
        }
    }
}
