import Testing

@testable import BridgeDaemon

/// The command that runs a recorded flow.
struct RecordedOptionsTests {
    @Test func keepsWhatTheFlowNeedsToo() {
        let arguments = [
            "bridged", "test", "--record", "r.yml", "--in=webkit", "--port", "4000", "--tab", "Home=/", "--log",
            "x.ndjson",
            "--lazy-load-tabs", "true", "--strict-origins",
        ]
        #expect(
            RecordedOptions(arguments).shared == ["--tab", "Home=/", "--lazy-load-tabs", "true", "--strict-origins"])
    }
}
