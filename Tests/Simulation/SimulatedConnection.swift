import BridgeProtocol
import BridgeServer

/// A WebSocket between a page and a run of the daemon: bytes in both directions, of which a cut may lose any.
@MainActor final class SimulatedConnection {
    /// What the page sends.
    enum Upstream {
        case text([UInt8])
        case close(CloseCode?)

        var size: Int { if case .text(let bytes) = self { max(1, bytes.count) } else { 4 } }
    }

    let channel: Channel
    let page: SimulatedPage
    /// Whether the daemon has not reported the end of the connection yet.
    var isOpenAtDaemon = true
    /// Whether the page has not seen the end of the connection yet.
    var isOpenAtPage = true
    /// Whether nothing passes any more.
    private(set) var isCut = false
    /// Whether the socket takes nothing from the daemon.
    var isChoked = false
    /// The code with which the daemon closes the connection once it has written everything.
    var pendingClose: CloseCode?
    private var upstream: [Upstream] = []
    /// How many bytes of the first frame have arrived.
    private var arrived = 0
    private(set) var downstream: [DaemonFrame] = []

    init(channel: Channel, page: SimulatedPage) {
        self.channel = channel
        self.page = page
    }

    var hasUpstream: Bool { !upstream.isEmpty && isOpenAtDaemon }
    var hasDownstream: Bool { !downstream.isEmpty && isOpenAtPage }

    /// Loses everything that is under way.
    func cut() {
        isCut = true
        upstream = []
        downstream = []
        arrived = 0
    }

    func send(_ frame: Upstream) {
        if !isCut, isOpenAtPage { upstream.append(frame) }
    }

    func receive(_ frame: DaemonFrame) {
        if !isCut, isOpenAtPage { downstream.append(frame) }
    }

    /// Takes the frames of which the last byte is among the next `count` bytes.
    func takeUpstream(bytes count: Int) -> [Upstream] {
        arrived += count
        var complete = 0
        while complete < upstream.count, arrived >= upstream[complete].size {
            arrived -= upstream[complete].size
            complete += 1
        }
        defer {
            upstream.removeFirst(complete)
            if upstream.isEmpty { arrived = 0 }
        }
        return Array(upstream[..<complete])
    }

    func takeDownstream(frames count: Int) -> [DaemonFrame] {
        let count = min(count, downstream.count)
        defer { downstream.removeFirst(count) }
        return Array(downstream[..<count])
    }
}

/// A WebSocket message from the daemon, as a page reads it.
enum DaemonFrame {
    case messages([DaemonAnswer])
    case close(CloseCode)
}

/// What a page makes of a message from the daemon.
enum DaemonAnswer {
    case attached(run: Int, resumed: Bool, lastSeq: Int)
    case attachFailed
    case acknowledgement(seq: Int)
    case reply(seq: Int, isError: Bool)
    case evaluation(id: Int, script: Int, isFunction: Bool)
    case other

    init(_ message: RPCMessage) {
        switch message {
        case .success(.string("attach"), let result):
            let result = AttachResult(result)
            self = .attached(run: result.run, resumed: result.isResumed, lastSeq: result.lastSeq)
        case .failure(.string("attach"), _): self = .attachFailed
        case .success(let id, _): self = id.wholeNumber.map { .reply(seq: $0, isError: false) } ?? .other
        case .failure(let id, _): self = id.wholeNumber.map { .reply(seq: $0, isError: true) } ?? .other
        case .notification(let method, let params):
            guard case .acknowledge(let seq) = try? DaemonMessage(method, params) else { self = .other; return }
            self = .acknowledgement(seq: seq)
        case .request(let id, let method, let params):
            guard case .run(let script) = try? DaemonMessage(method, params) else { self = .other; return }
            // The number of the script is its whole source.
            switch script.program {
            case .script(let source, _):
                self = .evaluation(id: id.wholeNumber ?? 0, script: Int(source) ?? 0, isFunction: false)
            case .asyncFunction(let body, _):
                self = .evaluation(id: id.wholeNumber ?? 0, script: Int(body) ?? 0, isFunction: true)
            }
        case .malformed: self = .other
        }
    }
}

extension DaemonAnswer {
    /// Reads a WebSocket message from the daemon.
    static func read(_ bytes: UnsafeRawBufferPointer) -> [DaemonAnswer] {
        guard let json = try? JSON.parse(bytes) else { return [] }
        return RPCFrame(json).messages.map { DaemonAnswer($0) }
    }
}
