import BridgeProtocol
import BridgeTraffic
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BridgeServer

/// What pages learn if the log or the database cannot keep up with them.
@MainActor @Suite(.timeLimit(.minutes(4))) struct FullLogTests {
    /// Posts messages until the daemon closes the connection.
    /// - Returns: the code and the reason.
    private func closing(of page: PageClient, postingFrom seq: Int, to handler: String = "nativeApp") async throws -> (
        UInt16, String
    ) {
        await page.post("1", seq: seq, to: handler)
        while true {
            do { _ = try await page.nextMessage() } catch let error as PageClient.Interrupted {
                guard case .close(let code, let reason) = error.event else { throw error }
                return (code, reason)
            }
        }
    }

    /// Waits until the daemon has received what the page sent so far.
    private func received(_ count: Int, _ server: BridgeServer) async throws {
        while server.traffic.lastRecord < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func saysThatTheDatabaseIsSlow() async throws {
        let archive = StoppedArchive()
        defer { archive.goOn() }
        try await withServer {
            $0.limits.unwrittenRecords = 10
        } _: { server, address in
            server.traffic.keep(in: archive)
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...10 { await page.post("1", seq: seq) }
            try await received(11, server)
            let (code, reason) = try await closing(of: page, postingFrom: 11)
            #expect(code == 1_013)
            #expect(
                reason
                    == "11 records wait for the database, which is too slow for so many: send less, or attach again later"
            )
            let problem = try await recorder.problem("logFailed")
            #expect(
                problem.text
                    == "Too many records wait for the database, which is too slow for them, so p1 was closed with 1013."
            )
            let hint = "It attaches again, and loses nothing. Send less, or put the database on a faster disk."
            #expect(problem.hint?.hasPrefix(hint) == true)
            let refused = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost:3000"],
                body: PageClient.beacon(document: "d-9", resume: false, messages: 1))
            #expect(refused.body.contains("records wait for the database"), "\(refused)")
            archive.goOn()
        }
    }

    @Test func saysThatTheLogCannotBeWritten() async throws {
        try await withServer {
            $0.limits.unwrittenRecords = 10
            $0.logPath = "/dev/full"
        } _: { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...10 { await page.post("1", seq: seq) }
            try await received(11, server)
            let (code, reason) = try await closing(of: page, postingFrom: 11)
            #expect(code == 1_013)
            let end = " records wait for the log, which cannot be written: see the problem logFailed"
            #expect(reason.hasSuffix(end), "\(reason)")
        }
    }

    /// One page in a loop must not keep the others from working.
    @Test func closesThePageThatFloods_andNotTheOthers() async throws {
        let archive = StoppedArchive()
        defer { archive.goOn() }
        try await withServer {
            $0.limits.unwrittenRecords = 100
        } _: { server, address in
            server.traffic.keep(in: archive)
            let (quiet, _) = try await PageClient.attach(port: address.port, webView: "quiet")
            let (loud, _) = try await PageClient.attach(port: address.port, document: "d-2", webView: "loud")
            for seq in 1...60 { await loud.post("1", seq: seq, to: "noSuchHandler") }
            let (code, reason) = try await closing(of: loud, postingFrom: 61, to: "noSuchHandler")
            #expect(code == 1_013 && reason.contains("records wait for the database"), "\(code) \(reason)")
            await quiet.post("1", seq: 1, id: "q")
            #expect(try await quiet.nextError()["code"]?.number == -32001, "It is answered, not closed.")
            // It attaches again, and is closed again while its messages wait.
            let (again, _) = try await PageClient.attach(
                port: address.port, document: "d-2", webView: "loud", resume: true)
            #expect(try await closing(of: again, postingFrom: 61, to: "noSuchHandler").0 == 1_013)
            archive.goOn()
            while server.traffic.keptThrough < server.traffic.lastRecord {
                try await Task.sleep(for: .milliseconds(1))
            }
            let (last, _) = try await PageClient.attach(
                port: address.port, document: "d-2", webView: "loud", resume: true)
            await last.post("1", seq: 61, to: "noSuchHandler", id: "l")
            #expect(try await last.nextError()["code"]?.number == -32001)
        }
    }

    /// Several that flood together must not keep the others from working either.
    @Test func closesTwoPagesThatFloodAlike_andNotTheOthers() async throws {
        let archive = StoppedArchive()
        defer { archive.goOn() }
        try await withServer {
            $0.limits.unwrittenRecords = 120
        } _: { server, address in
            server.traffic.keep(in: archive)
            let (quiet, _) = try await PageClient.attach(port: address.port, webView: "quiet")
            let (one, _) = try await PageClient.attach(port: address.port, document: "d-2", webView: "one")
            let (other, _) = try await PageClient.attach(port: address.port, document: "d-3", webView: "other")
            for seq in 1...10 {
                for page in [one, other] {
                    await page.post("1", seq: seq, to: "noSuchHandler", id: "\(seq)")
                    #expect(try await page.nextError()["code"]?.number == -32001)
                }
            }
            for seq in 11...60 {
                await one.post("1", seq: seq, to: "noSuchHandler")
                await other.post("1", seq: seq, to: "noSuchHandler")
            }
            #expect(try await closing(of: one, postingFrom: 61, to: "noSuchHandler").0 == 1_013)
            #expect(try await closing(of: other, postingFrom: 61, to: "noSuchHandler").0 == 1_013)
            #expect(!server.traffic.isFull)
            await quiet.post("1", seq: 1, to: "noSuchHandler", id: "q")
            #expect(try await quiet.nextError()["code"]?.number == -32001, "It is answered, not closed.")
        }
    }

    /// The acknowledgements of other pages wait for the records of all before them.
    @Test func nothingIsReadFromAPageThatIsAhead_untilItsRecordsAreWritten() async throws {
        let archive = StoppedArchive()
        try await withServer { server, _ in
            server.traffic.keep(in: archive)
            let transport = NotingTransport()
            let channel = Channel(
                id: .max, role: .page, transport: transport, limits: Outbox.Limits(messages: 10_000, bytes: 1 << 20))
            let pages = server.parts.channel
            // Others are there that would have to wait.
            let limits = Outbox.Limits(messages: 10, bytes: 1_000)
            pages.opened(Channel(id: .max - 1, role: .page, transport: transport, limits: limits))
            pages.opened(channel)
            @MainActor func receive(_ text: String) throws {
                pages.received(.success(try Array(text.utf8).withUnsafeBytes { try PageFrame($0) }), on: channel)
                pages.roundEnded()
            }
            try receive(PageClient.attach(document: "d-1", webView: "loud"))
            try receive("[\((1...50).map { PageClient.post("1", seq: $0, to: "nobody") }.joined(separator: ","))]")
            #expect(transport.calls == [], "Fifty messages are few.")
            try receive("[\((51...900).map { PageClient.post("1", seq: $0, to: "nobody") }.joined(separator: ","))]")
            #expect(transport.calls == [false])
            // While the archive is stuck, it reads on after a moment.
            while transport.calls.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
            try receive(PageClient.post("1", seq: 901, to: "nobody"))
            #expect(transport.calls == [false, true, false])
            archive.goOn()
            while transport.calls.count < 4 { try await Task.sleep(for: .milliseconds(1)) }
            try receive(PageClient.post("1", seq: 902, to: "nobody"))
            #expect(transport.calls == [false, true, false, true])
        }
    }

    /// With a database there may be gigabytes of records, and an HTTP Archive of them would be in memory.
    @Test func refusesAnHTTPArchive_thatIsTooLong() async throws {
        let archive = StoppedArchive()
        defer { archive.goOn() }
        try await withServer {
            $0.limits.recordBytes = 1_000
        } _: { server, address in
            server.traffic.keep(in: archive)
            let tool = try ControlClient(address)
            server.traffic.app("first", [], page: nil)
            let short = try await tool.get("/traffic?format=har")
            #expect(short.status == 200)
            for _ in 1...20 { server.traffic.app("later", [], page: nil) }
            let long = try await tool.get("/traffic?format=har")
            #expect(long.status == 413 && long.body.contains("more than 1000 bytes"), "\(long.body)")
            #expect(try await tool.get("/traffic?format=har&last=2").status == 200)
        }
    }

    /// A few large messages fill a queue as many small ones do.
    @Test func closesThePageOfLargeMessages() async throws {
        let archive = StoppedArchive()
        defer { archive.goOn() }
        try await withServer {
            $0.limits.unwrittenBytes = 100_000
        } _: { server, address in
            server.traffic.keep(in: archive)
            let (quiet, _) = try await PageClient.attach(port: address.port, webView: "quiet")
            let (large, _) = try await PageClient.attach(port: address.port, document: "d-2", webView: "large")
            let text = "\"\(String(repeating: "x", count: 9_000))\""
            for seq in 1...8 { await large.post(text, seq: seq, to: "noSuchHandler") }
            let (code, reason) = try await closing(of: large, postingFrom: 9, to: "noSuchHandler")
            #expect(code == 1_013 && reason.contains("records wait for the database"), "\(reason)")
            #expect(!server.traffic.isFull)
            await quiet.post("1", seq: 1, to: "noSuchHandler", id: "q")
            #expect(try await quiet.nextError()["code"]?.number == -32001, "It is answered, not closed.")
        }
    }
}

/// Notes whether the daemon reads from a page.
private final class NotingTransport: ChannelTransport {
    private let state = Mutex<[Bool]>([])
    var calls: [Bool] { state.withLock(\.self) }

    func writeAfterRound(_ id: ConnectionID) {}
    func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {}
    func setReading(_ id: ConnectionID, _ isReading: Bool) { state.withLock { $0.append(isReading) } }
}

/// An archive that keeps nothing until it may go on.
private final class StoppedArchive: TrafficArchive {
    private let gate = DispatchSemaphore(value: 0)

    func goOn() { gate.signal() }

    func append(_ records: [StoredRecord]) throws {
        gate.wait()
        gate.signal()
    }

    func reopen() {}

    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int) throws -> [StoredRecord] { [] }
}
