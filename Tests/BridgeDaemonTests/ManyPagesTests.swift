import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// The real executable with as many connections as its limits allow.
@Suite(.timeLimit(.minutes(2))) struct ManyPagesTests {
    /// The resident memory of the process (proc(5)).
    private func residentKiB(_ pid: Int) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// The time that the process has run, in microseconds. Unlike the clock, it does not depend on other processes.
    private func runTime(_ pid: Int) throws -> Double {
        let folder = "/proc/\(pid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, thread in
            let text = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)) ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1_000
        }
    }

    /// What a round trip costs the process, in microseconds: the least of some rounds.
    private func costOfMessage(_ page: PageClient, _ pid: Int, from first: Int) async throws -> Double {
        var costs: [Double] = []
        for round in 0..<5 {
            let before = try runTime(pid)
            for seq in (first + round * 20)..<(first + (round + 1) * 20) {
                await page.post("{\"name\":\"RegisterPushToken\"}", seq: seq)
                _ = try await page.next("method", "script.evaluate")
            }
            costs.append((try runTime(pid) - before) / 20)
        }
        return costs.min() ?? 0
    }

    /// The processor time that the process has used so far, in seconds.
    private func processorTime(_ pid: Int) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        return fields.count > 13 ? ((Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)) / 100 : 0
    }

    /// libwebsockets would keep the requests that follow an unanswered one, and wake up for them again and again.
    @Test func closesAndRests_ifAClientDoesNotWaitForItsResponses() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json")
        let listening = try await daemon.listening()
        let before = processorTime(listening.pid)
        let request = "GET /bridge.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let answer = try await HTTPClient.exchange(String(repeating: request, count: 2_000), port: listening.port)
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.ranges(of: "HTTP/1.1 200 ").count == 1)
        #expect(processorTime(listening.pid) - before < 1)
        daemon.signal(SIGKILL)
    }

    @Test func holdsTenThousandIdlePages_whichCostAMessageNothing() async throws {
        guard OpenFiles.allow(10_500) else {
            print("Skipped: the system lets a process have fewer than 10,500 files open.")
            try Test.cancel("too few files")
        }
        // Most systems begin with this soft limit, which the daemon raises.
        let daemon = try RunningDaemon(
            ["--port", "0", "--json", "--pong-timeout", "5m"], by: "ulimit -Sn 1024; exec \"$@\"")
        let listening = try await daemon.listening()
        let (port, pid) = (listening.port, listening.pid)
        let empty = residentKiB(pid)
        let pages = IdlePages(port: port)
        let (page, _) = try await PageClient.attach(port: port)
        let costBefore = try await costOfMessage(page, pid, from: 1)
        // Leaves room for the page that posts, and for /health.
        try await pages.grow(to: 9_990)
        let full = residentKiB(pid)
        print("resident: \(empty) KiB without pages, \(full) KiB with \(pages.count)")
        let cost = try await costOfMessage(page, pid, from: 101)
        print("a message: \(costBefore) µs without other pages, \(cost) µs with them")
        #expect(cost < 3 * costBefore)
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        #expect(pages.areAllOpen())
        #expect(full - empty < 300 << 10)
        daemon.signal(SIGKILL)
    }

    @Test func reportsTheLimitToRaise_ifDescriptorsAreTooFew() async throws {
        let daemon = try RunningDaemon(["--port", "0"], environment: [:], by: "ulimit -n 300; exec \"$@\"")
        var lines = daemon.lines.makeAsyncIterator()
        let problem = try #require(await lines.next())
        #expect(problem.contains("may have 300 files open, so 225 connections are accepted and not 10000."))
        #expect(try #require(await lines.next()).contains("Raise the hard limit to 10256 (ulimit -Hn"))
        daemon.signal(SIGKILL)
    }

    /// A connection without a descriptor is refused like one beyond a limit; accept() alone would fail for ever.
    @Test(arguments: [(files: 300, pages: 225), (64, 32), (40, 8)])
    func acceptsAsManyConnectionsAsItSays_ifDescriptorsAreFew(limit: (files: Int, pages: Int)) async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon(
            ["--port", "0", "--json", "--log", folder.path("log"), "--database", folder.path("database")],
            by: "ulimit -n \(limit.files); exec \"$@\"")
        let port = try await daemon.listening().port
        let pages = IdlePages(port: port)
        // One is left for /health.
        try await pages.grow(to: limit.pages - 1)
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        await #expect(throws: (any Error).self) { try await pages.grow(to: limit.pages + 5) }
        #expect(pages.areAllOpen())
        daemon.signal(SIGKILL)
    }

    @Test func doesNotStart_ifDescriptorsAreTooFewForOneConnection() async throws {
        let daemon = try RunningDaemon(["--port", "0"], environment: [:], by: "ulimit -n 32; exec \"$@\"")
        #expect(try await daemon.exitStatus() != 0)
    }
}
