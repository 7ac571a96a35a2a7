import Foundation
import Synchronization

extension ScriptValue {
    /// Encodes a Swift value with Foundation's `JSONEncoder`. A `Date` becomes a JavaScript date.
    ///
    /// - Throws: `EncodingError`, also for NaN and the infinities; ``JSONParseError`` beyond 2,048 levels of nesting.
    public init(encoding value: some Encodable) throws {
        let dates = DatePlaces()
        let encoder = JSONEncoder()
        // Without sorting, the order of keys would differ from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            dates.add(encoder.codingPath)
            var container = encoder.singleValueContainer()
            try ISO8601.string(date).map { try container.encode($0) } ?? container.encodeNil()
        }
        self.init(json: try JSON.parse(Array(encoder.encode(value))), checked: dates.types)
    }
}

/// The places at which an encoder met dates.
private final class DatePlaces: Sendable {
    private let found = Mutex(ScriptTypes?.none)

    var types: ScriptTypes? { found.withLock { $0 } }

    func add(_ path: [any CodingKey]) {
        let tokens = path.map(Self.token)
        found.withLock {
            $0 = $0 ?? ScriptTypes(); $0?.insert(.date, at: tokens[...])
        }
    }

    /// The key's token in a JSON Pointer: Foundation names the elements of an array `Index 0`, `Index 1`.
    private static func token(_ key: any CodingKey) -> String {
        guard let index = key.intValue, key.stringValue == "Index \(index)" else { return key.stringValue }
        return String(index)
    }
}
