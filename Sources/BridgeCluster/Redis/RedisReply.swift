/// The answer of Redis to a command.
package enum RedisReply: Sendable, Equatable {
    case text([UInt8])
    case number(Int)
    case list([RedisReply])
    /// Redis has nothing to answer, such as for a key that does not exist.
    case none
    /// An error of Redis, such as `OOM command not allowed when used memory > 'maxmemory'.`
    case failure(String)
    /// The connection ended before the answer. It is not known whether Redis has run the command.
    case lost

    package var string: String? {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .number(let number): String(number)
        default: nil
        }
    }

    package var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    package var number: Int? {
        switch self {
        case .number(let number): number
        case .text: string.flatMap { Int($0) }
        default: nil
        }
    }

    package var list: [RedisReply] { if case .list(let list) = self { list } else { [] } }

    /// A description for errors. The answer itself may contain a page's data.
    var kind: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .list: "a list"
        case .none: "nothing"
        case .failure(let text): text
        case .lost: "no answer"
        }
    }

    /// The list of `HGETALL` and of a stream's entry: names and values in turn.
    package var pairs: [(name: String, value: RedisReply)] {
        let list = list
        return stride(from: 0, to: list.count - 1, by: 2).compactMap { index in
            list[index].string.map { ($0, list[index + 1]) }
        }
    }
}

/// A command as Redis reads it (https://redis.io/docs/reference/protocol-spec/).
package struct RedisCommand: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var count = 0

    /// The command with all its words.
    package var message: [UInt8] { Array("*\(count)\r\n".utf8) + bytes }

    package init(_ words: String...) {
        for word in words { add(word) }
    }

    package mutating func add(_ word: String) { add(Array(word.utf8)) }

    package mutating func add(_ number: Int) { add(String(number)) }

    package mutating func add(_ word: [UInt8]) {
        count += 1
        bytes += "$\(word.count)\r\n".utf8
        bytes += word
        bytes += [13, 10]
    }

    package func adding(_ words: String...) -> RedisCommand {
        var command = self
        for word in words { command.add(word) }
        return command
    }
}
