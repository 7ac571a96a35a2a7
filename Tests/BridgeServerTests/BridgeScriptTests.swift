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
                let e=/* bridged:settings */null
                let t=`http://${host}/* as is */`+"//x"
                let s=(t)=>t?window.a:/[/"]\\/ */.test(t)/2- -t
                return typeof t
                """)
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
                let t=1
                let e=({count:t,size:s=t},...n)=>({count:t,width:s,size:n.width,rest(){}})
                for(let s of[t]){e({item:s})}
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
                class t extends Table{size=0
                #t=0
                constructor(t){super()
                this.size=t}
                get total(){if(this.#t){return this.#t}
                return`${this.#e({total:1})}`}
                static#e({total:t}){}}
                """)
    }

    @Test func leavesNamesThatAreNotDeclaredWhereTheyAreUsed() {
        expect(
            """
            const show = (name) => name
            const tell = () => name
            """,
            becomes: """
                let t=(name)=>name
                let e=()=>name
                """)
    }

    @Test func leavesNamesThatPagesSee() {
        expect("class UserMessageHandler {}\nclass Other {}", becomes: "class UserMessageHandler{}\nclass t{}")
    }

    /// What pages and native code call is a property, and keeps its name. Real browsers run them in BrowserTests.
    @MainActor
    @Test(arguments: [
        ("turbo.js", ["visitProposedToLocation(", "clearSnapshotCache(){", "window.turboNative"]),
        ("components.js", ["get supportedComponents()", "replyWith(", "window.nativeBridge"]),
    ])
    func packsOurOtherScripts(_ name: String, _ names: [String]) throws {
        let script = try BundledScript.read(name)
        #expect(script.hasPrefix(";(()=>{\"use strict\"\n") && script.hasSuffix("})()"))
        #expect(!script.contains("*/") && !script.contains("//") && !script.contains("  "))
        for name in names { #expect(script.contains(name), "\(name)") }
    }

    /// The page tests, of what is served.
    @Test func behavesAsItsParts() async throws {
        let folder = try TemporaryFolder()
        let script = folder.path("bridge.js")
        try BridgeScript.Program.bare.text.write(toFile: script, atomically: true, encoding: .utf8)
        try BridgeScript.Program.whole.text.write(toFile: script + ".whole", atomically: true, encoding: .utf8)
        let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../../web").standardized.path
        let outcome = try await Executable.run(
            [tests], environment: ["BRIDGED_SCRIPT": script], by: #"exec node --test "$2"/*.test.mjs"#)
        #expect(outcome.status == 0, "\(outcome.output.suffix(4_000))")
    }

    /// Of a script whose outermost function this is the body of.
    private func expect(
        _ body: String, becomes packed: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let script = BridgeScript.pack("(function () {\n\"use strict\"\n\(body)\n})()")
        #expect(script == "(function(){\"use strict\"\n\(packed)})()", sourceLocation: sourceLocation)
    }
}
