import Testing

@testable import TrafficDatabase

/// When checkpoints run beside the appends, and when an append waits for one.
@Suite struct CheckpointScheduleTests {
    private static let interval = CheckpointSchedule.interval

    @Test func aCheckpointBeginsAfterEachInterval_andNoneBesideAnother() {
        var schedule = CheckpointSchedule()
        #expect(schedule.step(after: Self.interval - 1) == .nothing)
        #expect(schedule.step(after: 1) == .begin(1))
        #expect(schedule.step(after: Self.interval) == .nothing)
        schedule.ended()
        #expect(schedule.step(after: 0) == .begin(1))
    }

    @Test func anAppendWaits_whenLittleIsLeftToMove() {
        var schedule = CheckpointSchedule()
        #expect(schedule.step(after: CheckpointSchedule.limit) == .begin(CheckpointSchedule.catchUps))
        #expect(schedule.step(after: 1) == .nothing)
        schedule.ended()
        #expect(schedule.step(after: 1) == .wait)
        // It begins anew.
        #expect(schedule.step(after: Self.interval - 1) == .nothing)
        #expect(schedule.step(after: 1) == .begin(1))
    }
}
