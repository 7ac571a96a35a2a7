internal import Chiredis

/// Reads the answers of Redis from bytes that come in pieces, by hiredis, within limits.
///
/// hiredis believes a length as soon as it has read it, so a false server could make it allocate any amount. Since
/// version 1.0 it also reads lists of any depth, which it frees, and we copy, by recursion.
package final class RedisReader {
    /// Why the bytes are not an answer of Redis.
    package struct Mistake: Error { let description: String }

    /// Redis allows no longer text than this, and an answer of several texts needs no more, either.
    private static let largestAnswer = 512 << 20
    /// How many elements the lists of one answer may have together.
    static let mostElements = 4 << 20
    /// How deep lists may nest within a list: as deep as hiredis 0.14 reads them.
    static let deepestNesting = 7
    /// No status, error or number that Redis sends is longer.
    private static let longestLine = 64 << 10

    private let reader: UnsafeMutablePointer<redisReader>
    /// hiredis's functions that make the parts of an answer, except that ours makes lists. The reader points to them.
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let original: redisReplyObjectFunctions
    /// How many bytes have come since the latest complete answer.
    private var byteCount = 0
    /// How many elements the lists of the present answer have.
    private var elementCount = 0
    private var isTooDeep = false

    /// - Returns: nil if there is no memory.
    package init?() {
        guard let reader = redisReaderCreate(), let original = reader.pointee.fn?.pointee else { return nil }
        self.reader = reader
        self.original = original
        functions = .allocate(capacity: 1)
        functions.initialize(to: original)
        functions.pointee.createArray = { task, count in
            guard let owner = task?.pointee.privdata else { return nil }
            // Unretained: only methods of the owner call the reader.
            let reader = Unmanaged<RedisReader>.fromOpaque(owner).takeUnretainedValue()
            return reader.admits(Int(count), in: task?.pointee.parent) ? reader.original.createArray(task, count) : nil
        }
        reader.pointee.fn = functions
        // Unretained: see above.
        reader.pointee.privdata = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    private func admits(_ count: Int, in parent: UnsafeMutablePointer<redisReadTask>?) -> Bool {
        elementCount += max(0, count)
        var (depth, list) = (0, parent)
        while let outer = list { (depth, list) = (depth + 1, outer.pointee.parent) }
        if depth > RedisReader.deepestNesting { isTooDeep = true }
        return elementCount <= RedisReader.mostElements && !isTooDeep
    }

    /// Takes the next bytes.
    package func feed(_ bytes: UnsafeRawBufferPointer) {
        byteCount += bytes.count
        // `next` finds a failure.
        _ = redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    /// Returns the next answer, or nil if it is not complete.
    package func next() throws(Mistake) -> RedisReply? {
        var reply: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw failure }
        guard let reply else {
            try checkIncomplete()
            return nil
        }
        defer { freeReplyObject(reply) }
        byteCount = unread.count
        elementCount = 0
        return RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private var failure: Mistake {
        guard !isTooDeep else {
            return Mistake(description: "it sent lists that are nested more than \(RedisReader.deepestNesting) deep")
        }
        guard elementCount <= RedisReader.mostElements else {
            return Mistake(description: "it sent an answer with more than \(RedisReader.mostElements) elements")
        }
        let text = withUnsafeBytes(of: reader.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Mistake(description: "it does not answer as Redis does (\(text))")
    }

    /// The bytes that hiredis has not used yet.
    private var unread: UnsafeRawBufferPointer {
        let (position, length) = (reader.pointee.pos, reader.pointee.len)
        guard let buffer = reader.pointee.buf, position < length else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: buffer + position, count: length - position)
    }

    private func checkIncomplete() throws(Mistake) {
        guard byteCount <= RedisReader.largestAnswer else {
            throw Mistake(description: "it sent an answer of more than \(RedisReader.largestAnswer >> 20) MiB")
        }
        let line = unread.prefix(RedisReader.longestLine)
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
            guard line.count < RedisReader.longestLine else {
                throw Mistake(description: "it sent a line of more than \(RedisReader.longestLine >> 10) KiB")
            }
            return
        }
        // Only the length of a text is left unread until more has come.
        let digits = String(decoding: line[..<end].prefix { $0 != 13 }, as: UTF8.self)
        guard Int(digits) ?? .max <= RedisReader.largestAnswer else {
            throw Mistake(description: "it announced a text of \(digits) bytes")
        }
    }
}

extension RedisReply {
    fileprivate init(_ reply: redisReply) {
        let bytes = UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : Int(reply.len))
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Array(bytes))
        case REDIS_REPLY_INTEGER: self = .number(Int(reply.integer))
        case REDIS_REPLY_ERROR: self = .failure(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(
                start: reply.element, count: reply.element == nil ? 0 : Int(reply.elements))
            self = .list(elements.map { $0.map { RedisReply($0.pointee) } ?? .none })
        default: self = .none
        }
    }
}
