import Testing

@testable import BridgeServer

/// When a silent peer gets a ping, and when its connection counts as broken.
@Suite struct LivenessTests {
    private func look(_ liveness: inout Liveness, times: Int) -> [Liveness.Finding] {
        (0..<times).map { _ in liveness.look() }
    }

    @Test func pingsOnce_thenCountsAsBroken() {
        var liveness = Liveness()
        let findings = look(&liveness, times: 2)
        let pings = (0..<2).map { _ in liveness.takePing() }
        let later = look(&liveness, times: 2)
        #expect(findings + later == [.alive, .silent, .alive, .broken])
        #expect(pings == [true, false])
    }

    @Test func startsOver_afterSignOfLife() {
        var liveness = Liveness()
        var findings = look(&liveness, times: 3)
        liveness.heard()
        findings += look(&liveness, times: 3)
        #expect(!findings.contains(.broken) && findings.count { $0 == .silent } == 2)
    }
}
