import HeadlessUIKit
import Synchronization
import Testing

struct MissingCodeTests {
    @Test func placeIsReportedOnce_alsoToWhoeverListensLater() {
        let seen = Mutex<[MissingCode.Use]>([])
        let (file, other) = ("App/\(#line).swift", "App/\(#line).swift")
        MissingCode.shared.record("`Health.ask`", file, 3)
        MissingCode.shared.observe { use in seen.withLock { $0.append(use) } }
        MissingCode.shared.record("`Health.ask`", file, 3)
        MissingCode.shared.record("`Health.ask`", other, 3)
        let lines = seen.withLock { $0 }.map(\.file)
        #expect(lines.count { $0 == file } == 1 && lines.count { $0 == other } == 1)
    }

    @Test func description_saysWhatIsMissing_whereItWasWanted_andWhatBecameOfIt() {
        let name = MissingCode.Use(what: "`Health.ask`", file: "App/Screen.swift", line: 3)
        #expect(
            name.description == "`Health.ask` is not there: Screen.swift:3 called it. The app went on with nothing.")
        let text = MissingCode.Use(what: "extra argument in call", file: "Screen.swift", line: 4)
        #expect(
            text.description
                == "Screen.swift:4 does not compile on Linux: extra argument in call. The app went on without it.")
    }
}
