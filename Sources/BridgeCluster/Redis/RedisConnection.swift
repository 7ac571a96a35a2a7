import BridgeServer
internal import Chiredis
import Foundation

/// One connection to Redis, on the loop of the server, by hiredis. It does not connect again: see ``RedisLink``.
///
/// All members belong to the main actor, on whose thread the loop runs.
@MainActor final class RedisConnection {
    enum Event {
        case opened
        /// The loop is about to wait. What is sent now goes out before that.
        case roundEnds
        /// The connection has ended, or could not be opened. Nothing follows.
        case ended(String)
    }

    /// Nil after the end: hiredis has freed it then.
    private var context: UnsafeMutablePointer<redisAsyncContext>?
    private var poll: DescriptorPoll?
    private let onEvent: @MainActor (Event) -> Void
    /// The commands without an answer, oldest first.
    private var waiting: [Int: @MainActor (RedisReply) -> Void] = [:]
    private var first = 1
    private var last = 0

    /// - Parameters:
    ///   - endpoint: its host is an IP address, because hiredis would block while it looks up a name.
    ///   - onEvent: not called before this method has returned.
    init(
        to endpoint: RedisAddress.Endpoint, in server: BridgeServer, onEvent: @escaping @MainActor (Event) -> Void
    ) throws(RedisAddress.Mistake) {
        self.onEvent = onEvent
        let made =
            switch endpoint {
            case .host(let address, let port): redisAsyncConnect(address, Int32(port))
            case .socket(let path): redisAsyncConnectUnix(path)
            }
        guard let made else { throw RedisAddress.Mistake(description: "There is no memory for a connection.") }
        guard made.pointee.err == 0 else {
            defer { redisAsyncFree(made) }
            throw RedisAddress.Mistake(description: made.pointee.errstr.map { String(cString: $0) } ?? "unknown error")
        }
        context = made
        // Retained until hiredis calls `cleanup`, which it does once, when it frees the context.
        made.pointee.ev.data = Unmanaged.passRetained(self).toOpaque()
        attach(made, server)
        guard poll != nil else {
            close()
            throw RedisAddress.Mistake(description: "A cluster needs a server that runs on the main thread.")
        }
    }

    private func attach(_ made: UnsafeMutablePointer<redisAsyncContext>, _ server: BridgeServer) {
        // hiredis calls these on the loop's thread, which is the main thread.
        made.pointee.ev.addRead = { RedisConnection.with($0) { $0.poll?.waitsToRead = true } }
        made.pointee.ev.delRead = { RedisConnection.with($0) { $0.poll?.waitsToRead = false } }
        made.pointee.ev.addWrite = { RedisConnection.with($0) { $0.poll?.waitsToWrite = true } }
        made.pointee.ev.delWrite = { RedisConnection.with($0) { $0.poll?.waitsToWrite = false } }
        made.pointee.ev.cleanup = { data in
            RedisConnection.with(data) { $0.freed() }
            if let data { Unmanaged<RedisConnection>.fromOpaque(data).release() }
        }
        poll = server.poll(made.pointee.c.fd, beforeWait: { [weak self] in self?.write() }) { [weak self] in
            self?.ready($0, $1)
        }
        redisAsyncSetConnectCallback(made) { context, status in
            RedisConnection.with(context?.pointee.ev.data) { connection in
                // If it failed, hiredis frees the context next.
                if status == REDIS_OK { connection.onEvent(.opened) }
            }
        }
    }

    private nonisolated static func with(
        _ data: UnsafeMutableRawPointer?, _ action: @MainActor (RedisConnection) -> Void
    ) {
        guard let data else { return }
        // Unretained: the context holds the connection until `cleanup`.
        let connection = Unmanaged<RedisConnection>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { action(connection) }
    }

    // MARK: Commands

    /// Sends a command. `completion` is called once, with `lost` if the connection ends first.
    func send(_ command: RedisCommand, _ completion: @escaping @MainActor (RedisReply) -> Void) {
        guard let context else { return completion(.lost) }
        last += 1
        waiting[last] = completion
        let message = command.message
        let status = message.withUnsafeBytes { bytes in
            redisAsyncFormattedCommand(
                context,
                { context, reply, _ in
                    RedisConnection.with(context?.pointee.ev.data) { $0.answered(RedisReply(reply)) }
                }, nil, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard status != REDIS_OK else { return }
        // hiredis is about to close the connection, and will not call back for this one.
        waiting.removeValue(forKey: last)?(.lost)
        last -= 1
    }

    /// hiredis calls back in the order of the commands, also with those that the end of the connection leaves open.
    private func answered(_ reply: RedisReply) {
        first += 1
        waiting.removeValue(forKey: first - 1)?(reply)
    }

    /// How many commands have no answer yet.
    var waitingCount: Int { waiting.count }

    /// Writes the commands of this round, without another turn of the loop.
    private func write() {
        guard isOpen else { return }
        onEvent(.roundEnds)
        if let context, poll?.waitsToWrite == true { redisAsyncHandleWrite(context) }
    }

    private var isOpen: Bool { context.map { $0.pointee.c.flags & REDIS_CONNECTED != 0 } ?? false }

    private func ready(_ isReadable: Bool, _ isWritable: Bool) {
        if isReadable, let context { redisAsyncHandleRead(context) }
        // Reading may have freed the context.
        if isWritable, let context { redisAsyncHandleWrite(context) }
    }

    /// Reads and writes without the loop, until every command is answered or the time is over. For a server that ends.
    func run(before deadline: ContinuousClock.Instant) {
        while let context, !waiting.isEmpty, ContinuousClock.now < deadline {
            var descriptor = pollfd(fd: context.pointee.c.fd, events: Int16(POLLIN | POLLOUT), revents: 0)
            redisAsyncHandleWrite(context)
            guard self.context != nil else { return }
            descriptor.events = Int16(POLLIN)
            if Foundation.poll(&descriptor, 1, 20) > 0 { ready(true, false) }
        }
    }

    /// Ends the connection now. Commands without an answer get `lost`, and `ended` is not called.
    func close() {
        isClosedByUs = true
        if let context { redisAsyncFree(context) }
    }

    private var isClosedByUs = false

    /// hiredis has called back for all commands, and frees the context.
    private func freed() {
        let text = context?.pointee.errstr.map { String(cString: $0) } ?? ""
        context = nil
        poll?.close()
        poll = nil
        guard !isClosedByUs else { return }
        isClosedByUs = true
        onEvent(.ended(text.isEmpty ? "the connection has been closed" : text))
    }
}

extension RedisReply {
    /// - Parameter reply: a `redisReply`, which hiredis frees after the callback; nil if the connection has ended.
    fileprivate init(_ reply: UnsafeMutableRawPointer?) {
        guard let reply else { self = .lost; return }
        self.init(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private init(_ reply: redisReply) {
        let bytes = UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : reply.len)
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Array(bytes))
        case REDIS_REPLY_INTEGER: self = .number(Int(reply.integer))
        case REDIS_REPLY_ERROR: self = .failure(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(start: reply.element, count: reply.element == nil ? 0 : reply.elements)
            self = .list(elements.map { $0.map { RedisReply($0.pointee) } ?? .none })
        default: self = .none
        }
    }
}
