import Foundation

/// Clients of a daemon on this machine that want to stop or kill it. Each action of one takes at most some seconds.
///
/// None of them has a token. `HostileSoakTests` runs one of each kind beside an honest page.
public enum HostileClient: String, CaseIterable, Sendable {
    /// A page that sends a batch of numbers instead of messages.
    case junkBatch
    /// The same as a page's last words.
    case junkBeacon
    /// A batch of the smallest objects, as large as a message may be.
    case emptyObjects
    /// A page whose URL, title and names are as long as a message may be.
    case longStrings
    /// A page that posts to handlers that do not exist.
    case unknownHandlers
    /// A page that posts as many messages to a handler that does not exist as a batch may have, again and again, and reads
    /// all answers.
    case refusedBursts
    /// Clients that ask again and again, and read no answer.
    case pipelines
    /// Pages that post messages, and read neither acknowledgements nor evaluations.
    case deafPages
    /// Pages that begin long messages and do not end them.
    case unfinishedMessages
    /// Frames that say that they are longer than memory.
    case absurdLengths
    /// Sites that are not welcome.
    case foreignOrigins
    /// Clients that connect and leave, at each moment of a handshake.
    case connectionStorm
    /// Clients that send one byte of a header now and then.
    case slowHeaders
    /// Clients that send bytes which are almost a request.
    case mutatedRequests

    /// Does its worst once. Blocks the thread.
    public func attack(_ target: HostileTarget) {
        switch self {
        case .junkBatch: target.attachedPage(sending: [HostileFrames.junkBatch])
        case .junkBeacon: target.send(HostileFrames.junkBeacon(host: target.host))
        case .emptyObjects: target.attachedPage(sending: [HostileFrames.emptyObjects])
        case .longStrings: target.page(sending: [HostileFrames.longAttach] + HostileFrames.consoleEntries)
        case .unknownHandlers: target.attachedPage(sending: HostileFrames.unknownHandlers)
        case .refusedBursts: target.attachedPage(sending: HostileFrames.refusedBursts)
        case .pipelines: target.hold(20, [HostileFrames.pipeline(host: target.host)])
        case .deafPages: target.hold(10, HostileFrames.deafPage, asPage: true)
        case .unfinishedMessages: target.hold(10, [HostileFrames.unfinishedMessage], asPage: true)
        case .absurdLengths: for frame in HostileFrames.absurdLengths { target.page(sending: [frame]) }
        case .foreignOrigins: target.askFromForeignOrigins()
        case .connectionStorm: target.storm()
        case .slowHeaders: target.trickleHeaders()
        case .mutatedRequests: target.mutate()
        }
    }
}

/// What a hostile client knows of the daemon, and its own random choices.
///
/// `@unchecked Sendable`: only the thread of its client uses it.
public final class HostileTarget: @unchecked Sendable {
    let port: UInt16
    private var generator: SeededGenerator
    private var mutator: Mutator
    private var held: [TCPSocket] = []
    private let stop: @Sendable () -> Bool

    /// - Parameter stop: whether the client must end as soon as it can.
    public init(port: UInt16, seed: UInt64, stop: @escaping @Sendable () -> Bool) {
        self.port = port
        self.stop = stop
        generator = SeededGenerator(seed: seed)
        mutator = Mutator(seed: seed)
    }

    var host: String { "localhost:\(port)" }

    /// Sends bytes and reads what comes until the daemon hangs up or is silent.
    func send(_ bytes: [UInt8]) {
        guard let socket = connect() else { return }
        socket.write(bytes)
        drain(socket, patience: 1)
    }

    /// Sends frames as a page does that has not attached.
    func page(sending frames: [[UInt8]]) {
        guard let socket = connect(), openWebSocket(socket) else { return }
        for frame in frames { socket.write(frame) }
        drain(socket, patience: 1)
    }

    func attachedPage(sending frames: [[UInt8]]) {
        page(sending: [HostileFrames.attach(document: document())] + frames)
    }

    /// Keeps connections that have sent something and read nothing more, up to 100, the newest ones.
    func hold(_ count: Int, _ pieces: [[UInt8]], asPage: Bool = false) {
        for _ in 0..<count where !stop() {
            guard let socket = connect(receiveBuffer: 2_048) else { break }
            if asPage {
                guard openWebSocket(socket) else { break }
                socket.write(HostileFrames.attach(document: document()))
            }
            for piece in pieces { socket.write(piece) }
            held.append(socket)
        }
        held.removeFirst(max(0, held.count - 100))
        pause(.random(in: 0.1...1, using: &generator))
    }

    func askFromForeignOrigins() {
        let origins = ["https://evil.example", "http://127.0.0.1.evil.example", "null", "file://"]
        for number in 0..<200 where !stop() {
            let origin = generator.pick(origins) + (number.isMultiple(of: 2) ? "" : ":\(number)")
            guard let socket = connect() else { return }
            socket.write(HostileFrames.handshake(host: host, origin: origin))
            drain(socket, patience: 0.2)
        }
    }

    func storm() {
        let handshake = HostileFrames.handshake(host: host)
        for _ in 0..<200 where !stop() {
            guard let socket = connect() else { return }
            let count = generator.pick([0, 1, 50, handshake.count - 1, handshake.count])
            socket.write(Array(handshake.prefix(count)))
            if Bool.random(using: &generator) { drain(socket, patience: 0.01) }
        }
    }

    func trickleHeaders() {
        let sockets = (0..<50).compactMap { _ in connect() }
        for byte in "GET /bridge.js HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 60))".utf8 {
            guard !stop() else { return }
            for socket in sockets { socket.write([byte]) }
            pause(0.03)
        }
    }

    func mutate() {
        let conversation =
            HostileFrames.handshake(host: host) + HostileFrames.attach(document: document())
            + HostileFrames.unknownHandlers.joined()
        for _ in 0..<50 where !stop() {
            let pieces = mutator.pieces(of: mutator.mutate(conversation))
            _ = try? RawConversation.hold(pieces, port: port)
        }
    }

    private func document() -> String { "hostile-\(UInt32.random(in: 0 ... .max, using: &generator))" }

    private func connect(receiveBuffer: Int32? = nil) -> TCPSocket? {
        guard let socket = try? TCPSocket(port: port, receiveBuffer: receiveBuffer) else {
            pause(0.05)
            return nil
        }
        socket.limitWriting(seconds: 2)
        return socket
    }

    /// Frames must wait for the answer: libwebsockets hangs up if many arrive with the request.
    private func openWebSocket(_ socket: TCPSocket) -> Bool {
        socket.write(HostileFrames.handshake(host: host))
        return socket.hasBytes(within: 2) && socket.read(upTo: 4_096) != nil
    }

    private func drain(_ socket: TCPSocket, patience: Double) {
        while !stop(), socket.hasBytes(within: patience), socket.read(upTo: 65_536) != nil {}
    }

    private func pause(_ seconds: Double) {
        let end = Date(timeIntervalSinceNow: seconds)
        while !stop(), Date() < end { usleep(10_000) }
    }
}
