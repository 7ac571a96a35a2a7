import BridgeProtocol
import Foundation
import TestSupport

/// A page that does what `bridge.js` does: it keeps each message until it is acknowledged and each request until it is
/// answered, attaches again when its connection breaks, and runs each script once.
actor ChaosPage {
    let document: String
    private let port: UInt16
    private let webView: String
    /// What was posted and is not acknowledged, by its number.
    private var unacknowledged: [Int: String] = [:]
    /// The requests without a reply.
    private var waiting: Set<Int> = []
    /// The ids of the evaluations that it has run.
    private var ran: Set<Int> = []
    private var run: Int?
    private var seq = 0
    /// Whether all scripts have come: see ``settle(_:)``.
    private var isSettled = false
    private(set) var acknowledged = 0
    private(set) var attachments = 0
    /// How often a reply was wrong, or an error.
    private(set) var mistakes: [String] = []
    /// How many different scripts it has run.
    var scripts: Int { ran.count }
    /// Sessions that could not be resumed.
    private(set) var anew = 0

    init(number: Int, port: UInt16) {
        document = "chaos-\(number)"
        webView = number == 0 ? "main" : "w\(number)"
        self.port = port
    }

    var isDone: Bool { unacknowledged.isEmpty && waiting.isEmpty }
    var postedCount: Int { seq }

    /// Posts until the time is over, and then until everything is acknowledged and answered, and all scripts have come.
    func live(until end: ContinuousClock.Instant) async throws {
        while !isSettled {
            try Task.checkCancellation()
            guard let page = try? await PageClient(port: port) else { continue }
            attachments += 1
            try? await converse(page, until: end)
            page.drop()
        }
    }

    private func converse(_ page: PageClient, until end: ContinuousClock.Instant) async throws {
        await page.sendAttach(
            document: document, webView: webView, resume: run != nil, waiting: waiting.sorted())
        let response = try await page.next("id", "attach")
        guard let result = response["result"] else {
            mistakes.append("attach: \(response.text)")
            return
        }
        attached(result)
        for seq in unacknowledged.keys.sorted() { page.send(unacknowledged[seq] ?? "") }
        post(page, until: end)
        while ContinuousClock.now < end || !isDone { try await handle(page.nextMessage(), page, until: end) }
        try await settle(page)
    }

    /// Posts one more message and waits for its reply. A script may come after the acknowledgement of its message, above
    /// all when the page has just attached again, but it comes before the reply to a later message.
    private func settle(_ page: PageClient) async throws {
        postEcho(page)
        while !isDone { try await handle(page.nextMessage(), page, until: .now) }
        isSettled = true
    }

    private func postEcho(_ page: PageClient) {
        seq += 1
        post(PageClient.post("{\"document\":\"\(document)\",\"n\":\(seq)}", seq: seq, to: "echo", id: "\(seq)"), page)
        waiting.insert(seq)
    }

    private func post(_ text: String, _ page: PageClient) {
        unacknowledged[seq] = text
        page.send(text)
    }

    private func attached(_ result: JSON) {
        let run = result["run"]?.wholeNumber
        // A page to which no node has told anything yet may begin anew.
        if acknowledged > 0, result["resumed"]?.bool != true || run != self.run { anew += 1 }
        self.run = run
        acknowledge(result["lastSeq"]?.wholeNumber ?? 0)
    }

    /// Posts three messages: one that leads to a script, one that gets a reply, and one that gets nothing.
    private func post(_ page: PageClient, until end: ContinuousClock.Instant) {
        guard ContinuousClock.now < end, unacknowledged.count < 30 else { return }
        postBody("\"name\":\"RegisterPushToken\"", page)
        postEcho(page)
        postBody("\"name\":\"ActionButton\",\"path\":\"/\",\"icon\":\"x\"", page)
    }

    private func postBody(_ members: String, _ page: PageClient) {
        seq += 1
        post(PageClient.post("{\(members),\"document\":\"\(document)\",\"n\":\(seq)}", seq: seq), page)
    }

    private func handle(_ message: JSON, _ page: PageClient, until end: ContinuousClock.Instant) {
        switch message["method"]?.string {
        case "page.ack":
            acknowledge(message["params"]?["seq"]?.wholeNumber ?? 0)
            post(page, until: end)
        case "script.evaluate":
            guard let id = message["id"]?.wholeNumber else { return }
            ran.insert(id)
            page.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{\"value\":1}}")
        case nil: answered(message)
        default: break
        }
    }

    private func answered(_ message: JSON) {
        guard let seq = message["id"]?.string.flatMap({ Int($0) }) ?? message["id"]?.wholeNumber,
            waiting.remove(seq) != nil
        else { return }
        if message["result"]?["value"]?["n"]?.wholeNumber != seq { mistakes.append("reply to \(seq): \(message.text)") }
    }

    private func acknowledge(_ last: Int) {
        acknowledged = max(acknowledged, last)
        for seq in unacknowledged.keys where seq <= last { unacknowledged[seq] = nil }
    }
}
