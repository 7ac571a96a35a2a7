import Foundation
import Testing

@testable import PrepareApp

/// What is cut out of a file for errors of the compiler. The place of an error is that of a mark: `§`.
struct RepairTests {
    @Test func statementThatNobodyNeeds_becomesARecord() {
        let result = repaired(
            """
            func start() {
                center.§add(1)
                go()
            }
            """, "value of type 'Center' has no member 'add'")
        #expect(
            result == """
                func start() {
                    bridgedCut("`Center.add`", "a.swift", 2)
                    go()
                }
                """)
    }

    @Test func statementOfSeveralLines_keepsTheNumbersOfTheLinesBelow() {
        let result = repaired(
            """
            func start() {
                §Health.ask(
                    1,
                    2)
                go()
            }
            """, "cannot find 'Health' in scope")
        #expect(
            result == """
                func start() {
                    bridgedCut("`Health`", "a.swift", 2)


                    go()
                }
                """)
    }

    @Test(arguments: [
        ("Int", "return 0"), ("[String]", "return []"), ("Screen?", "return nil"), ("(Int, Bool)", "return (0, false)"),
        ("UIViewController", "return UIViewController()"), ("() -> Void", "return { () }"),
    ])
    func returnOfWhatIsMissing_returnsAnEmptyValue(type: String, statement: String) {
        #expect(
            repaired("func f() -> \(type) { return §Health.x }", "cannot find 'Health' in scope")
                == "func f() -> \(type) { bridgedCut(\"`Health`\", \"a.swift\", 1); \(statement) }")
        #expect(
            repaired("func f() -> \(type) { §Health.x }", "cannot find 'Health' in scope")
                == "func f() -> \(type) { bridgedCut(\"`Health`\", \"a.swift\", 1); \(statement) }")
    }

    @Test func functionWithoutAnEmptyValue_isCut_soThatItsCallersAre() {
        #expect(
            repaired(
                "struct S {\n    func f() -> Screen { return §Health.x }\n    func g() {}\n}",
                "cannot find 'Health' in scope")
                == "struct S {\n    \n    func g() {}\n}")
    }

    @Test func guardThatCannotBeAsked_fails() {
        let result = repaired(
            """
            func f() -> Int {
                guard let x = §Health.x else {
                    log()
                    return 7
                }
                return x
            }
            """, "cannot find 'Health' in scope")
        #expect(
            result == """
                func f() -> Int {
                    bridgedCut("`Health`", "a.swift", 2); log()
                return 7



                }
                """)
    }

    @Test func conditionThatCannotBeAsked_isFalse() {
        #expect(
            repaired("func f() { if §Health.x { a() } else { b() } }", "cannot find 'Health' in scope")
                == "func f() { bridgedCut(\"`Health`\", \"a.swift\", 1); do { b() } }")
        #expect(
            repaired("func f() { if §Health.x { a() } else if y { b() } }", "cannot find 'Health' in scope")
                == "func f() { bridgedCut(\"`Health`\", \"a.swift\", 1); if y { b() } }")
    }

    @Test func modifierOfAView_isCut_andTheViewStays() {
        #expect(
            repaired("var body: some View { Text(x).§glow(3).bold() }", "value of type 'Text' has no member 'glow'")
                == "var body: some View { Text(x).bridgedCut(\"`Text.glow`\", \"a.swift\", 1).bold() }")
        #expect(
            repaired("var body: some View { VStack { Text(x); §Glow(3) } }", "cannot find 'Glow' in scope")
                == "var body: some View { VStack { Text(x); bridgedCutView(\"`Glow`\", \"a.swift\", 1) } }")
    }

    @Test func smallDifferences_areAdaptedWithoutALoss() {
        #expect(
            repaired("class A: B { override func §x() {} }", "method does not override any method from its superclass")
                == "class A: B {  func x() {} }")
        #expect(
            repaired(
                "func f() { if let x = §y {} }",
                "initializer for conditional binding must have Optional type, not 'String'")
                == "func f() { if let x = Optional(y) {} }")
        #expect(
            repaired("func f() { a(x§!) }", "cannot force unwrap value of non-optional type 'Int'")
                == "func f() { a(x) }")
        #expect(
            repaired("class §A: B, C {}", "type 'A' does not conform to protocol 'C'") == "class A: B {}")
    }

    @Test func caseThatCannotOccur_isCut() {
        #expect(
            repaired(
                "func f() { switch x { case .a: p(); case .§b: q(); default: r() } }", "type 'X' has no member 'b'")
                == "func f() { switch x { case .a: p();  default: r() } }")
        #expect(
            repaired("func f() { switch x { case .a, .§b: q(); default: r() } }", "type 'X' has no member 'b'")
                == "func f() { switch x { case .a: q(); default: r() } }")
    }

    @Test func importOfAModuleThatIsMissing_isCutInEveryFile() {
        var module = RepairedModule(["a.swift": "import Health\nimport UIKit", "b.swift": "import Health"], Repairs())
        module.repair([error("a.swift", 1, 8, "no such module 'Health'")])
        #expect(module.outputs["a.swift"] == "\nimport UIKit")
        #expect(module.outputs["b.swift"] == "")
    }

    @Test func typeThatIsMissing_isDeclaredAsItsUsesAskForIt() {
        let text = """
            class A: Health, HealthDelegate {}
            class B: PeerDelegate {}
            struct C: Peering {}
            func f(_ store: Store, _ list: List<Int, Int>) {}
            """
        var module = RepairedModule(["a.swift": text], Repairs())
        module.repair(
            ["Health", "HealthDelegate", "PeerDelegate", "Peering", "Store", "List"].map {
                error("a.swift", 1, 1, "cannot find type '\($0)' in scope")
            })
        let declarations = module.outputs[RepairedModule.fileName] ?? ""
        for text in [
            "open class Health: NSObject, @unchecked Sendable { public override init()",
            "public protocol HealthDelegate: AnyObject {}",
            "public protocol PeerDelegate: AnyObject {}", "public protocol Peering {}",
            "open class Store: NSObject, @unchecked Sendable { private override init()",
            "public final class List<T0, T1>",
        ] {
            #expect(declarations.contains(text), "\(text)")
        }
        #expect(module.outputs["a.swift"] == text)
    }

    @Test func codeThatReceivesMessages_isNeverCut() {
        let handler = """
            class Handler: NSObject, WKScriptMessageHandler {
                func userContentController(_ c: WKUserContentController, didReceive message: WKScriptMessage) {
                    §Health.log()
                    use(message)
                }
            }
            """
        // A statement may be cut if the rest stays …
        #expect(repaired(handler, "cannot find 'Health' in scope")?.contains("bridgedCut(\"`Health`\"") == true)
        // … but neither the method nor the protocol.
        var module = RepairedModule(["a.swift": handler.replacing("§", with: "")], Repairs())
        module.repair([error("a.swift", 1, 7, "type 'Handler' does not conform to protocol 'WKScriptMessageHandler'")])
        #expect(module.state.refusals.map(\.reason).count == 1)
        module.repair([error("a.swift", 2, 55, "'WKUserContentController' is broken")])
        #expect(module.state.refusals.map(\.reason).count == 1)
        #expect(module.state.files.isEmpty)
    }

    @Test func methodsOfNestedTypesAndOfSubclasses_areProtected() {
        let method = """
            func webView(_ v: WKWebView, decidePolicyFor a: WKNavigationAction) async -> Int {
                    §Health.level
                }
            """
        for text in [
            "extension Screen {\n class Coordinator: NSObject, WKNavigationDelegate {\n \(method)\n }\n}",
            "class Coordinator {}\nextension Screen.Coordinator: WKNavigationDelegate {}\nextension Coordinator {\n\(method)\n}",
            "class Base: WKNavigationDelegate {}\nclass Sub: Base {\n\(method)\n}",
        ] {
            let marked = text.replacing("§", with: "")
            let line = (text.prefix { $0 != "§" }).count { $0 == "\n" } + 1
            var module = RepairedModule(["a.swift": marked], Repairs())
            module.repair([error("a.swift", line, 9, "'Health' is broken")])
            module.repair([error("a.swift", line, 9, "'Health' is broken")])
            #expect(module.outputs["a.swift"]?.contains("decidePolicyFor") == true, "\(text)")
        }
    }

    @Test func guardThatWouldTakeTheRestOfSuchAMethod_isNotCut() {
        let text = """
            class Handler: NSObject, WKScriptMessageHandlerWithReply {
                func userContentController(_ c: C, didReceive m: M, replyHandler: (Any?, String?) -> Void) {
                    log()
                    guard let handler = §Health.x else { return print("no replyHandler(") }
                    replyHandler(handler, nil)
                }
            }
            """
        #expect(repaired(text, "cannot find 'Health' in scope") == nil)
        let first = text.replacing("        log()\n", with: "").replacing(
            "replyHandler(handler, nil)", with: "use(handler)")
        #expect(repaired(first, "cannot find 'Health' in scope") == nil)
        // Its `else` answers.
        let other = text.replacing("return print(\"no replyHandler(\")", with: "return replyHandler(nil, nil)")
        #expect(repaired(other, "cannot find 'Health' in scope")?.contains("return replyHandler(nil, nil)") == true)
    }

    @Test func semicolonAfterWhatIsCut_stays() {
        #expect(
            repaired("func f() { §Health.x(); go() }", "cannot find 'Health' in scope")
                == "func f() { bridgedCut(\"`Health`\", \"a.swift\", 1); go() }")
    }

    /// A header of Objective-C brings Foundation to all files on Apple's systems.
    @Test func fileWithoutImports_getsUIKit_beforeATypeIsMissing() {
        var module = RepairedModule(
            ["a.swift": "let a: URL? = nil", "b.swift": "import Foundation\nlet b: Kit? = nil"], Repairs())
        let errors = [
            error("a.swift", 1, 8, "cannot find type 'URL' in scope"),
            error("b.swift", 2, 8, "cannot find type 'Kit' in scope"),
        ]
        module.repair(errors)
        #expect(module.outputs["a.swift"] == "import UIKit; let a: URL? = nil")
        #expect(module.state.types.keys.sorted() == ["Kit"])
    }

    /// The compiler names all that the file lacks at once, and one import brings them.
    @Test func fileThatGetsUIKit_isNotCutForOtherNamesOfIt() {
        var module = RepairedModule(["a.swift": "let a = Bundle.main\nlet b = UIApplication.shared"], Repairs())
        module.repair([
            error("a.swift", 1, 9, "cannot find 'Bundle' in scope"),
            error("a.swift", 2, 9, "cannot find 'UIApplication' in scope"),
        ])
        #expect(module.outputs["a.swift"] == "import UIKit; let a = Bundle.main\nlet b = UIApplication.shared")
    }

    @Test func localNameThatIsCut_doesNotMeanAPropertyThen() {
        let text = "class A {\n    var url = 1\n    func f() {\n        let url = Health.url\n        go(url)\n    }\n}"
        var module = RepairedModule(["a.swift": text], Repairs())
        module.repair([error("a.swift", 4, 19, "cannot find 'Health' in scope")])
        #expect(
            module.outputs["a.swift"]?.contains("bridgedCut(\"`Health`\", \"a.swift\", 4); let url: Never\n") == true)
        module.repair([error("a.swift", 5, 12, "constant 'url' used before being initialized")])
        #expect(module.outputs["a.swift"]?.contains("bridgedCut(\"`Health`\", \"a.swift\", 5)") == true)
        #expect(module.outputs["a.swift"]?.contains("go(url)") == false)
    }

    @Test func declarationsThatAreRefused_areForgotten_andNoOthers() {
        let text = "func f(_ a: Alpha, _ b: Beta, _ c: Gamma) {}"
        var module = RepairedModule(["a.swift": text], Repairs())
        module.repair(["Alpha", "Beta", "Gamma"].map { error("a.swift", 1, 1, "cannot find type '\($0)' in scope") })
        let lines = (module.outputs[RepairedModule.fileName] ?? "").split(separator: "\n")
        func line(_ name: String) throws -> Int { try #require(lines.firstIndex { $0.contains("class \(name)") }) + 1 }
        let refused = (try? ["Alpha", "Beta", "Beta"].map(line)) ?? []
        module.repair(refused.map { error(RepairedModule.fileName, $0, 1, "invalid redeclaration") })
        #expect(module.state.types.keys.sorted() == ["Gamma"])
        #expect(module.state.impossibleTypes == ["Alpha", "Beta"])
    }

    @Test func answerToAPage_isNeverCut() {
        let text = """
            extension Screen: WKNavigationDelegate {
                func webView(_ v: WKWebView, decidePolicyFor a: WKNavigationAction, decisionHandler: (Int) -> Void) {
                    §Health.ask { decisionHandler(1) }
                }
            }
            """
        #expect(repaired(text, "cannot find 'Health' in scope") == nil)
        // The page gets an answer below.
        let other = text.replacing("{ decisionHandler(1) }", with: "{ decisionHandler(1) }\n        decisionHandler(0)")
        #expect(repaired(other, "cannot find 'Health' in scope")?.contains("bridgedCut") == true)
    }

    @Test func cutThatDoesNotHelp_growsToTheFunctionAndToItsType() {
        let text = "class A {\n    func f(_ x: Int) {\n        let y = Health.x\n        go(y)\n    }\n}"
        var module = RepairedModule(["a.swift": text], Repairs())
        module.repair([error("a.swift", 3, 17, "cannot find 'Health' in scope")])
        module.repair([error("a.swift", 3, 10, "still wrong")])
        #expect(module.outputs["a.swift"]?.contains("go(y)") == false)
        #expect(module.outputs["a.swift"]?.contains("func f(_ x: Int)") == true)
        module.repair([error("a.swift", 3, 10, "still wrong")])
        #expect(module.outputs["a.swift"]?.contains("func f") == false)
        module.repair([error("a.swift", 1, 1, "still wrong")])
        #expect(module.outputs["a.swift"]?.contains("class A") == false)
    }

    @Test func cuts_areForgottenWhenTheFileChanges() {
        var module = RepairedModule(["a.swift": "func f() { Health.x() }"], Repairs())
        module.repair([error("a.swift", 1, 12, "cannot find 'Health' in scope")])
        let state = module.state
        #expect(
            RepairedModule(["a.swift": "func f() { Health.x() }"], state).outputs["a.swift"]?.contains("bridgedCut")
                == true)
        #expect(RepairedModule(["a.swift": "func f() { go() }"], state).outputs == ["a.swift": "func f() { go() }"])
    }

    @Test func compilersOutput_isReadWithItsNotes() {
        let errors = CompilerError.read(
            "/to/App/a.swift:3:4: error: no\n/to/App/a.swift:1:1: note: because\n/other.swift:1:1: error: x\nx\n",
            in: "/to")
        #expect(errors.count == 1)
        #expect(errors.first?.path == "App/a.swift")
        #expect(errors.first?.notes == ["because"])
    }

    // MARK: Helpers

    private func error(_ path: String, _ line: Int, _ column: Int, _ text: String) -> CompilerError {
        CompilerError(path: path, line: line, column: column, text: text)
    }

    /// The file after one round; nil if nothing could be cut.
    private func repaired(_ marked: String, _ message: String) -> String? {
        let before = marked.prefix { $0 != "§" }
        let line = before.count { $0 == "\n" } + 1
        let column = before.split(separator: "\n", omittingEmptySubsequences: false).last.map(\.utf8.count) ?? 0
        var module = RepairedModule(["a.swift": marked.replacing("§", with: "")], Repairs())
        module.repair([error("a.swift", line, column + 1, message)])
        return module.state.files.isEmpty ? nil : module.outputs["a.swift"]
    }
}
