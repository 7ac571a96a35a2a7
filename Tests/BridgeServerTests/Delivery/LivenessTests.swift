import Testing

@testable import BridgeServer

/// When a silent peer gets a ping, and when its connection counts as broken.
@Suite struct LivenessTests {
    private func check(_ liveness: inout Liveness, times: Int) -> [Liveness.Finding] {
        (0..<times).map { _ in liveness.check() }
    }

    @Test func pingsOnce_thenCountsAsBroken() {
        var liveness = Liveness()
        let findings = check(&liveness, times: 2)
        let pings = (0..<2).map { _ in liveness.takePing() }
        let later = check(&liveness, times: 2)
        #expect(findings + later == [.alive, .silent, .alive, .broken])
        #expect(pings == [true, false])
    }

    @Test func findsPeerThatSendsAndDoesNotRead() {
        var liveness = Liveness()
        func check() -> Liveness.Finding {
            liveness.received()
            return liveness.check(hasWaiting: true)
        }
        _ = (0..<4).map { _ in check() }
        liveness.wrote()
        #expect((0..<5).map { _ in check() } == [.alive, .alive, .alive, .alive, .stuck])
    }

    @Test func startsOver_afterSignOfLife() {
        var liveness = Liveness()
        var findings = check(&liveness, times: 3)
        liveness.received()
        findings += check(&liveness, times: 3)
        #expect(!findings.contains(.broken) && findings.count { $0 == .silent } == 2)
    }
}
