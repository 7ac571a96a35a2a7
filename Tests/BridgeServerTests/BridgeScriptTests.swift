import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// How `/bridge.js` is put together.
@Suite struct BridgeScriptTests {
    @Test func leavesOutComments_andTheWhiteSpaceThatNothingNeeds() {
        expect(
            """
            /** Explains. */
            const settings = /* bridged:settings */ null // where they go
            /*
             * More.
             */
            const url = `http://${ host }/* as is */` +
              "//x"

            const far = (a) =>
              a ? window.a : /[/"]\\/ */.test(a) / 2 - -a
            return typeof url
            """,
            becomes: """
                const A=/* bridged:settings */null
                const T=`http://${host}/* as is */`+"//x"
                const E=(e)=>e?window.a:/[/"]\\/ */.test(e)/2- -e
                return typeof T
                """, keeping: ["host"])
    }

    @Test func givesShortNamesToVariables_andNotToProperties() {
        expect(
            """
            const count = 1
            const make = ({ count, size: width = count }, ...rest) => ({ count, width, size: rest.width, rest() {} })
            for (const item of [count]) {
              make({ item })
            }
            """,
            becomes: """
                const E=1
                const T=({count:E,size:e=E},...t)=>({count:E,width:e,size:t.width,rest(){}})
                for(const e of[E]){T({item:e})}
                """)
    }

    @Test func givesShortNamesToPrivateMembers() {
        expect(
            """
            class Counter extends Table {
              size = 0
              #total = 0
              constructor(size) {
                super()
                this.size = size
              }
              get total() {
                if (this.#total) {
                  return this.#total
                }
                return `${this.#add({ total: 1 })}`
              }
              static #add({ total }) {}
            }
            """,
            becomes: """
                class E extends Table{size=0
                #e=0
                constructor(e){super()
                this.size=e}
                get total(){if(this.#e){return this.#e}
                return`${this.#t({total:1})}`}
                static#t({total:e}){}}
                """)
    }

    @Test func leavesNamesThatAreNotDeclaredWhereTheyAreUsed() {
        expect(
            """
            const show = (name) => name
            const tell = () => name
            """,
            becomes: """
                const E=(name)=>name
                const T=()=>name
                """)
    }

    /// The page tests, of what is served.
    @Test func behavesAsItsParts() async throws {
        let folder = try TemporaryFolder()
        let script = folder.path("bridge.js")
        try BridgeScript.program.get().write(toFile: script, atomically: true, encoding: .utf8)
        let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../../web").standardized.path
        let outcome = try await Executable.run(
            [tests], environment: ["BRIDGED_SCRIPT": script], by: #"exec node --test "$2"/*.test.mjs"#)
        #expect(outcome.status == 0, "\(outcome.output.suffix(4_000))")
    }

    @Test func leavesNamesThatPagesSee() {
        expect("class UserMessageHandler {}\nclass Other {}", becomes: "class UserMessageHandler{}\nclass E{}")
    }

    /// Of a script whose outermost function this is the body of.
    private func expect(
        _ body: String, becomes packed: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let script = BridgeScript.pack("(function () {\n\"use strict\"\n\(body)\n})()")
        #expect(script == "(function(){\"use strict\"\n\(packed)})()", sourceLocation: sourceLocation)
    }
}
