import Testing

@testable import BridgeServer

/// How `/bridge.js` is put together.
@Suite struct BridgeScriptTests {
    @Test func leavesOutCommentsAndIndentation_andKeepsLineBreaks() {
        let source = """
            /** Explains. */
            (function () {
              /*
               * More.
               */
              const settings = /* bridged:settings */ null // where they go

              // Why.
              const url = "http://localhost" /* as is */
            })()
            """
        #expect(
            BridgeScript.compact(source) == """
                (function () {
                const settings = /* bridged:settings */ null // where they go
                const url = "http://localhost" /* as is */
                })()
                """)
    }

    @Test func findsAllItsParts() throws {
        _ = try BridgeScript()
    }
}
