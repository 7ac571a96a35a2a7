import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// As many connections as the limit lets in, at the real executable.
@Suite(.timeLimit(.minutes(2))) struct ManyPagesTests {
    private func start(_ arguments: [String], by script: String? = nil) async throws -> (
        RunningDaemon, UInt16, pid: Int
    ) {
        let daemon = try RunningDaemon(["--port", "0", "--json"] + arguments, environment: [:], by: script)
        var lines = daemon.lines.makeAsyncIterator()
        let listening = try JSON.parse(try #require(await lines.next()))
        let port = try #require(URL(string: listening["url"]?.string ?? "")?.port.map { UInt16($0) })
        return (daemon, port, Int(listening["pid"]?.number ?? 0))
    }

    /// KiB of the process that are in memory (proc(5)).
    private func residentKiB(_ pid: Int) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    @Test func holdsTenThousandIdlePages_andAnswersAtOnce() async throws {
        guard OpenFiles.allow(10_500) else {
            print("Skipped: the system lets a process have fewer than 10,500 files open.")
            try Test.cancel("too few files")
        }
        // The soft limit that most systems begin with: the daemon raises it.
        let (daemon, port, pid) = try await start(["--pong-timeout", "5m"], by: "ulimit -Sn 1024; exec \"$@\"")
        let empty = residentKiB(pid)
        let pages = IdlePages(port: port)
        // One is left for the page that asks, and one for /health.
        try await pages.grow(to: 9_990)
        let full = residentKiB(pid)
        print("resident: \(empty) KiB without pages, \(full) KiB with \(pages.count)")
        let (page, _) = try await PageClient.attach(port: port)
        let start = ContinuousClock.now
        for seq in 1...20 {
            await page.post("{\"name\":\"RegisterPushToken\"}", seq: seq)
            _ = try await page.next("method", "script.evaluate")
        }
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        #expect(pages.areAllOpen())
        #expect(full - empty < 300 << 10)
        daemon.signal(SIGKILL)
    }

    @Test func saysWhatToRaise_whereTheSystemGivesTooFewDescriptors() async throws {
        let daemon = try RunningDaemon(["--port", "0"], environment: [:], by: "ulimit -n 300; exec \"$@\"")
        var lines = daemon.lines.makeAsyncIterator()
        let problem = try #require(await lines.next())
        #expect(problem.contains("44 connections are held and not 10000."))
        #expect(try #require(await lines.next()).contains("Raise the hard limit to 10256 (ulimit -Hn"))
        daemon.signal(SIGKILL)
    }

    /// Descriptors that can't be had are refused as connections beyond a limit are; accept() alone would fail for ever.
    @Test func turnsAwayWhatHasNoDescriptor() async throws {
        let (daemon, port, _) = try await start([], by: "ulimit -n 300; exec \"$@\"")
        let pages = IdlePages(port: port)
        try await pages.grow(to: 40)
        await #expect(throws: (any Error).self) { try await pages.grow(to: 60) }
        #expect(pages.areAllOpen())
        daemon.signal(SIGKILL)
    }
}
