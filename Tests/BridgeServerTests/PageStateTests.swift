import Testing

@testable import BridgeServer

/// The state of a document's connection.
@Suite struct PageStateTests {
    @Test func acceptsEachNumberOnce() {
        var state = PageState()
        let accepted = [1, 2, 2, 1, 3].map { state.accept($0) }
        #expect(accepted == [true, true, false, false, true])
        #expect(state.lastSeq == 3)
    }

    @Test func acceptsHigherNumber_afterGap() {
        var state = PageState()
        let accepted = [17, 16].map { state.accept($0) }
        #expect(accepted == [true, false])
    }

    @Test func acknowledgesOnce() {
        var state = PageState()
        _ = state.accept(1)
        _ = state.accept(2)
        state.keep(2)
        let acknowledged = [state.acknowledge(), state.acknowledge()]
        #expect(acknowledged == [2, nil])
    }

    @Test func acknowledgesNothing_beforeTheLogHasIt() {
        var state = PageState()
        _ = state.accept(1)
        let first = [state.awaitKeeping(), state.awaitKeeping(), state.acknowledge()]
        _ = state.accept(2)
        let second = state.awaitKeeping()
        state.keep(1)
        let acknowledged = state.acknowledge()
        #expect(first == [1, nil, nil] && second == 2 && acknowledged == 1 && state.isAwaitingLog)
    }

    @Test func keepsNumbers_whileAway() {
        var state = PageState()
        _ = state.accept(1)
        state.keep(1)
        let detached = (1...2).map { _ in state.detach() }
        let acknowledgedWhileAway = state.acknowledge()
        let isBack = state.attach()
        let acknowledged = state.acknowledge()
        #expect(detached == [true, false])
        #expect(acknowledgedWhileAway == nil)
        #expect(isBack && acknowledged == 1)
    }

    @Test func acceptsOnlyMessages_whenGone() {
        var state = PageState()
        let left = (1...2).map { _ in state.leave() }
        let accepted = [state.attach(), state.detach(), state.accept(1)]
        #expect(left == [true, false])
        #expect(accepted == [false, false, true])
    }
}
