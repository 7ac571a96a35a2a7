import BridgeServer
internal import Chiredis
import Foundation

/// One connection to Redis, on the loop of the server. It does not connect again: see ``RedisLink``.
///
/// hiredis opens the socket and reads the answers. This type does the rest: hiredis's own way to wait in a loop ends
/// the process with an assertion if an answer comes without a command.
///
/// All members belong to the main actor, on whose thread the loop runs.
@MainActor final class RedisConnection: RedisTransport {
    /// How much is read at once.
    private static let piece = 64 << 10

    /// It owns the socket. Nil after the end: hiredis has freed it then.
    private var context: UnsafeMutablePointer<redisContext>?
    private let stream: RedisStream
    private let reader: RedisReader
    private var poll: DescriptorPoll?
    private let onEvent: @MainActor (RedisEvent) -> Void
    /// Whether commands can be sent.
    private(set) var isOpen = false
    /// The commands without an answer, oldest first.
    private var waiting: [Int: @MainActor (RedisReply) -> Void] = [:]
    private var first = 1
    private var last = 0
    /// The bytes of commands, of which the first `sent` have been written.
    private var output: [UInt8] = []
    private var sent = 0

    /// - Parameters:
    ///   - endpoint: its host is an IP address, because hiredis would block while it looks up a name.
    ///   - tls: nil for a connection that is not encrypted.
    ///   - onEvent: not called before this method has returned.
    init(
        to endpoint: RedisAddress.Endpoint, _ tls: RedisAddress.TLS?, in server: BridgeServer,
        onEvent: @escaping @MainActor (RedisEvent) -> Void
    ) throws(RedisAddress.Mistake) {
        self.onEvent = onEvent
        let opened =
            switch endpoint {
            case .host(let address, let port): redisConnectNonBlock(address, Int32(port))
            case .socket(let path): redisConnectUnixNonBlock(path)
            }
        guard let made = opened, let reader = RedisReader() else {
            redisFree(opened)
            throw RedisAddress.Mistake(description: "there is no memory for a connection")
        }
        self.reader = reader
        do throws(RedisAddress.Mistake) {
            stream = try RedisConnection.stream(made.pointee, tls)
        } catch {
            redisFree(made)
            throw error
        }
        context = made
        poll = DescriptorPoll(made.pointee.fd, in: server, beforeWait: { [weak self] in self?.roundEnds() }) {
            [weak self] _, isWritable in
            self?.ready(isWritable)
        }
        guard let poll else {
            close()
            throw RedisAddress.Mistake(description: "a cluster needs a server that runs on the main thread")
        }
        // The socket can be written when it is connected.
        poll.waitsToWrite = true
    }

    private static func stream(
        _ made: redisContext, _ tls: RedisAddress.TLS?
    ) throws(RedisAddress.Mistake) -> RedisStream {
        guard made.err == 0 else {
            let text = withUnsafeBytes(of: made.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw RedisAddress.Mistake(description: text)
        }
        return try RedisStream(made.fd, tls)
    }

    // MARK: Commands

    /// Sends a command. `completion` is called once, with `lost` if the connection ends first.
    func send(_ command: RedisCommand, _ completion: @escaping @MainActor (RedisReply) -> Void) {
        guard context != nil else { return completion(.lost) }
        last += 1
        waiting[last] = completion
        output += command.message
        if isOpen { poll?.waitsToWrite = true }
    }

    /// How many commands have no answer yet.
    var waitingCount: Int { waiting.count }

    // MARK: The loop

    /// The socket can be read or written, or has an error, which the attempts find.
    private func ready(_ isWritable: Bool) {
        if !isOpen { open() }
        guard isOpen else { return }
        read()
        if isWritable { write() }
    }

    private func open() {
        switch stream.open() {
        case .bytes:
            isOpen = true
            poll?.waitsToRead = true
            onEvent(.opened)
        case .wait:
            poll?.waitsToRead = true
            poll?.waitsToWrite = stream.wantsToWrite
        case .ended(let reason): end(reason)
        }
    }

    /// Writes the commands of this round, without another turn of the loop.
    private func roundEnds() {
        guard isOpen else { return }
        onEvent(.roundEnds)
        write()
    }

    private func write() {
        while context != nil, sent < output.count {
            switch output.withUnsafeBytes({ stream.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
            case .bytes(let count): sent += count
            case .wait: return waitToWrite()
            case .ended(let reason): return end(reason)
            }
        }
        output.removeAll(keepingCapacity: output.count < 1 << 20)
        sent = 0
        poll?.waitsToWrite = stream.wantsToWrite
    }

    private func waitToWrite() {
        output.removeSubrange(..<sent)
        sent = 0
        poll?.waitsToWrite = true
    }

    private func read() {
        repeat {
            let result = withUnsafeTemporaryAllocation(byteCount: RedisConnection.piece, alignment: 1) { buffer in
                let result = stream.read(into: buffer)
                if case .bytes(let count) = result {
                    reader.feed(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
                }
                return result
            }
            switch result {
            case .bytes: answer()
            case .wait: break
            case .ended(let reason): end(reason)
            }
        } while context != nil && stream.hasPending
    }

    /// Gives the commands their answers, which come in the same order.
    private func answer() {
        do throws(RedisReader.Mistake) {
            while context != nil, let reply = try reader.next() {
                guard let completion = waiting.removeValue(forKey: first) else { return end(unasked(reply)) }
                first += 1
                completion(reply)
            }
        } catch {
            end(error.description)
        }
    }

    /// A server that has too many connections says so before it is asked for anything.
    private func unasked(_ reply: RedisReply) -> String {
        if case .failure(let text) = reply { return text }
        return "it sent an answer without a command (\(reply.kind))"
    }

    /// Reads and writes without the loop, until every command is answered or the time is over. A server that stops
    /// calls this.
    func run(before deadline: ContinuousClock.Instant) {
        while let context, !waiting.isEmpty, ContinuousClock.now < deadline {
            if isOpen { write() }
            guard self.context != nil else { return }
            let wanted = POLLIN | (isOpen && output.isEmpty && !stream.wantsToWrite ? 0 : POLLOUT)
            var descriptor = pollfd(fd: context.pointee.fd, events: Int16(wanted), revents: 0)
            if Foundation.poll(&descriptor, 1, 20) > 0 { ready(true) }
        }
    }

    // MARK: The end

    /// Ends the connection now. Commands without an answer get `lost`, and `ended` is not called.
    func close() { finish() }

    private func end(_ reason: String) {
        guard context != nil else { return }
        finish()
        onEvent(.ended(reason))
    }

    private func finish() {
        guard let context else { return }
        self.context = nil
        isOpen = false
        poll?.close()
        poll = nil
        stream.close()
        redisFree(context)
        while first <= last {
            first += 1
            waiting.removeValue(forKey: first - 1)?(.lost)
        }
    }
}
