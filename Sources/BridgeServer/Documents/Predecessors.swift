import BridgeProtocol
import BridgeTraffic
import DequeModule

/// The messages and calls that a page holds back until those of the previous document in its tab have arrived.
///
/// The previous document sent them by beacon, which may be slower than the new document's connection.
@MainActor struct HeldBack {
    let previous: AttachPage.Previous
    var messages: [(message: PostMessage, id: RequestID?)] = []
    /// Runs the calls of interface objects that were held back. They come after the messages.
    var calls: [@MainActor (Page) -> Void] = []
    /// The memory that they take, in bytes.
    var bytes = 0
}

/// Makes pages hold their messages back until those of the previous document in the same tab have arrived. On the main
/// actor.
@MainActor final class Predecessors {
    /// How many bytes of messages all pages together may hold back.
    private static let mostHeldBack = 16 << 20
    /// How many pages stop waiting in one turn of the loop.
    private static let pagesAtOnce = 128

    private let limits: BridgeServer.Configuration.Limits
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    /// The pages that hold something back, by the previous document for which they wait.
    private var waiting: [String: PageList] = [:]
    /// The memory that all of them hold back, in bytes.
    private var bytes = 0
    /// Whether all waits are over, because the daemon stops and accepts no more beacons.
    private(set) var areOver = false
    /// Returns the latest page of a document, which may be gone.
    var latestPage: @MainActor (_ document: String) -> Page? = { _ in nil }
    /// Handles what a page has held back.
    var handle: @MainActor (HeldBack, Page) -> Void = { _, _ in }

    init(_ limits: BridgeServer.Configuration.Limits, _ traffic: TrafficLog, _ deadlines: Deadlines) {
        (self.limits, self.traffic, self.deadlines) = (limits, traffic, deadlines)
    }

    // MARK: Waiting

    /// Makes a page hold its messages back until all messages of the previous document in its tab have arrived, for
    /// `Limits.beaconTimeout` at most. The previous document may not be known yet, if it left before it attached.
    func wait(_ page: Page, _ attach: AttachPage) {
        guard let previous = attach.previous, !areOver, page.heldBack == nil, !hasAll(of: previous) else { return }
        page.heldBack = HeldBack(previous: previous)
        setWaiting(true, page, for: previous)
        deadlines.schedule(after: limits.beaconTimeout) { [weak self] in
            guard let self else { return }
            // The document may have another page by now, which has taken over what waits.
            end(latestPage(page.document) ?? page)
            releaseSuccessors(of: [page.document])
            traffic.flush()
        }
    }

    /// Moves what a document's page before has held back to its new page, which then waits instead.
    func move(from before: Page, to page: Page) {
        guard let heldBack = before.heldBack.take() else { return }
        page.heldBack = heldBack
        setWaiting(false, before, for: heldBack.previous)
        setWaiting(true, page, for: heldBack.previous)
    }

    /// Holds a message back. If the page holds back too many, the wait ends, because other clients wait while all of
    /// them are handled.
    func hold(_ message: PostMessage, _ id: RequestID?, by page: Page) {
        page.heldBack?.messages.append((message, id))
        count(message, by: page)
        guard let heldBack = page.heldBack, heldBack.messages.count >= limits.batchMessages else { return }
        traffic.problem(
            .heldBackTooMuch,
            "\(page.id) posted \(heldBack.messages.count) messages before those of the previous document in its tab had "
                + "arrived, so they are handled now.",
            hint: "The last messages of \(heldBack.previous.document.forText) may come after them.", page: page)
        end(page)
    }

    /// Holds a call back, with the message that it is about.
    func hold(_ message: PostMessage, by page: Page, _ call: @escaping @MainActor (Page) -> Void) {
        page.heldBack?.calls.append(call)
        count(message, by: page)
    }

    /// Counts a message that a page holds back. If all pages together hold back too much now, this page stops waiting:
    /// it may not hold more, because other clients wait while its messages are handled.
    private func count(_ message: PostMessage, by page: Page) {
        // A message without a body takes memory, too.
        let size = message.body.json.memory + 256
        page.heldBack?.bytes += size
        bytes += size
        guard bytes > min(limits.memoryBytes, Predecessors.mostHeldBack) else { return }
        traffic.problem(
            .heldBackTooMuch,
            "\(page.id) does not wait for the last messages of the document before it: pages hold back too much.",
            hint: "Post smaller messages while a page loads, or fewer.", page: page)
        end(page)
        releaseSuccessors(of: [page.document])
    }

    // MARK: The end of the wait

    /// Ends the wait of a page, and handles what it has held back.
    private func end(_ page: Page) {
        guard let heldBack = page.heldBack.take() else { return }
        setWaiting(false, page, for: heldBack.previous)
        bytes -= heldBack.bytes
        handle(heldBack, page)
    }

    /// Ends all waits. No page waits from now on.
    func endAll() {
        areOver = true
        for page in waiting.values.flatMap(\.pages).sorted(by: { $0.number < $1.number }) { end(page) }
    }

    /// Lets pages wait again, because the daemon may start again.
    func beginAgain() { areOver = false }

    /// Handles the messages that were held back for documents whose last messages have now arrived. Those messages may
    /// be the ones for which another document waits. If there are many such documents, some wait a moment longer,
    /// because other clients wait meanwhile.
    func releaseSuccessors(of documents: Deque<String>) {
        var (documents, count) = (documents, 0)
        while let document = documents.popFirst() {
            for page in released(by: document) {
                guard count < Predecessors.pagesAtOnce else {
                    documents.prepend(document)
                    return releaseLater(documents)
                }
                count += 1
                end(page)
                documents.append(page.document)
            }
        }
    }

    private func releaseLater(_ documents: Deque<String>) {
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.releaseSuccessors(of: documents)
            self?.traffic.flush()
        }
    }

    /// The pages that wait for a document all of whose messages have arrived, oldest first.
    private func released(by document: String) -> [Page] {
        (waiting[document]?.pages ?? []).filter { $0.heldBack.map { hasAll(of: $0.previous) } ?? false }
    }

    private func hasAll(of previous: AttachPage.Previous) -> Bool {
        (latestPage(previous.document)?.state.lastSeq ?? 0) >= previous.seq
    }

    private func setWaiting(_ isWaiting: Bool, _ page: Page, for previous: AttachPage.Previous) {
        var list = waiting[previous.document] ?? PageList()
        if isWaiting { list.insert(page) } else { list.remove(page) }
        waiting[previous.document] = list.pages.isEmpty ? nil : list
    }
}
