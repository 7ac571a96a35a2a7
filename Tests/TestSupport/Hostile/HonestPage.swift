import BridgeProtocol

/// A page that posts one message after the other, and comes back if its connection ends. It answers each evaluation with
/// the number of times that it has run the same script.
public actor HonestPage {
    /// The daemon's id of the page.
    public nonisolated let id: String
    /// How long each message took until it was acknowledged.
    public private(set) var delays: [Delay] = []
    /// How often its connection ended.
    public private(set) var interruptions = 0
    private let port: UInt16
    private var page: PageClient?
    /// The ids under which each script ran. The daemon sends an evaluation again under its old id.
    private var runs: [String: Set<Int>] = [:]

    public static func attach(port: UInt16) async throws -> HonestPage {
        let (page, result) = try await PageClient.attach(port: port, document: document)
        return HonestPage(port: port, page: page, id: result["page"]?.string ?? "")
    }

    private static let document = "0e5b2f6c-4c7e-4d39-8a51-9f2f6f1a7c11"

    private init(port: UInt16, page: PageClient, id: String) {
        self.port = port
        self.page = page
        self.id = id
    }

    /// The number of messages that the daemon has acknowledged.
    public var acknowledged: Int { delays.count }

    /// Posts, and answers evaluations, until `isOver`.
    /// - Throws: what ended the latest connection, if a message is not acknowledged within two minutes.
    public func post(until isOver: @Sendable () -> Bool) async throws {
        while !isOver() {
            let start = ContinuousClock.now
            try await post(seq: acknowledged + 1, giveUp: start + .seconds(120))
            delays.append(Delay(since: start))
        }
    }

    /// Closes the connection, as a browser does when the user leaves the page.
    public func leave() { page?.close(1001) }

    /// Posts a message, again on each new connection, until it is acknowledged.
    private func post(seq: Int, giveUp: ContinuousClock.Instant) async throws {
        let body = #"{"name":"ActionButton","path":"/\#(seq)","icon":"plus"}"#
        while true {
            do {
                let page = try await connection()
                await page.post(body, seq: seq)
                while try await receive(from: page) < seq {}
                return
            } catch {
                guard ContinuousClock.now < giveUp else { throw error }
                if page != nil { interruptions += 1 }
                page = nil
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func connection() async throws -> PageClient {
        if let page { return page }
        let (page, _) = try await PageClient.attach(port: port, document: Self.document, resume: true)
        self.page = page
        return page
    }

    /// Takes one message, and answers it if it is an evaluation.
    /// - Returns: the number up to which the daemon acknowledges messages, or 0.
    private func receive(from page: PageClient) async throws -> Int {
        let message = try await page.next("jsonrpc", "2.0")
        if message["method"]?.string == "page.ack" { return message["params"]?["seq"]?.wholeNumber ?? 0 }
        guard message["method"]?.string == "script.evaluate", let id = message["id"]?.wholeNumber else { return 0 }
        let source = message["params"]?["source"]?.string ?? ""
        runs[source, default: []].insert(id)
        let count = runs[source]?.count ?? 0
        page.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"value":\#(count)}}"#)
        return 0
    }
}

/// How long something took, and when.
public struct Delay: Comparable, Sendable {
    public let start: ContinuousClock.Instant
    public let end: ContinuousClock.Instant

    public var milliseconds: Double { (end - start) / .milliseconds(1) }

    /// What ends now.
    public init(since start: ContinuousClock.Instant) { (self.start, end) = (start, .now) }

    public static func < (one: Delay, other: Delay) -> Bool { one.milliseconds < other.milliseconds }
}
