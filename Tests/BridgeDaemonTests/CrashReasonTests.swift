import Testing

@testable import BridgeDaemon

struct CrashReasonTests {
    @Test func programsOwnLine_isFoundAmongRegisters() {
        let reason = CrashReason(
            """
            Loading
            App/Screen.swift:17: Fatal error: Unexpectedly found nil while unwrapping an Optional value

            *** Signal 4: Backtracing from 0x7f...
            0 closure #1 in f() in App at /cache/package/Sources/App/Screen.swift:17:5
            rax 0x0000000000000000  0
            """)
        #expect(
            reason?.text
                == "App/Screen.swift:17: Fatal error: Unexpectedly found nil while unwrapping an Optional value")
    }

    @Test func lineOfSwiftsLibrary_getsThePlaceInTheApp() {
        let reason = CrashReason(
            """
            Swift/ContiguousArrayBuffer.swift:675: Fatal error: Index out of range
            0 _assertionFailure in libswiftCore.so
            1 Screen.show(_:) in App at /cache/package/Sources/App/Screen.swift:23:14
            """)
        #expect(
            reason?.text
                == "Swift/ContiguousArrayBuffer.swift:675: Fatal error: Index out of range, at Screen.swift:23 in App")
    }

    @Test func programThatSimplyEnded_hasNoReason() { #expect(CrashReason("Loading\nerror: no\n") == nil) }
}
