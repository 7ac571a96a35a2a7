import Testing

@testable import PrepareApp

struct RewriterTests {
    @Test(arguments: [
        (
            "view.addTarget(self, action: #selector(refresh(_:)), for: .x)",
            "view.addTarget(self, action: Selector(\"refresh(_:)\", Self.refresh(_:)), for: .x)"
        ),
        ("let s = #selector(Screen.show)", "let s = Selector(\"show\", Screen.show)"),
        ("let s = #selector(self.show)", "let s = Selector(\"show\", Self.show)"),
        ("let k = #keyPath(WKWebView.title)", "let k = \"title\""),
        (
            "class A: NSObject { override func observeValue(forKeyPath k: String?) {} }",
            "class A: NSObject, KeyValueObserving {  func observeValue(forKeyPath k: String?) {} }"
        ),
        ("import os.log", "import HeadlessOSLog"),
        ("import Foundation", "import Foundation; import UIKit"),
        (
            "let log: os.Logger = os.Logger(.disabled)",
            "let log: HeadlessOSLog.Logger = HeadlessOSLog.Logger(.disabled)"
        ),
        ("let log = OSLog.disabled", "let log = OSLog.disabled"),
        ("class A { @objc func b() {} }", "class A {  func b() {} }"),
        (
            "@objc protocol D {\n    @objc optional func a(_ x: Int) -> String?\n    func b()\n}",
            " protocol D {\n      func a(_ x: Int) -> String?\n    func b()\n} extension D { func a(_ x: Int) -> String? { nil } }"
        ),
        ("#Preview {\n    A()\n}\nlet b = 1", "\n\n\nlet b = 1"),
        ("extension A { override var c: Int { 1 } }", "extension A {  var overridden_c: Int { 1 } }"),
        ("UserDefaults.standard.set(1, forKey: key)", "UserDefaults.appleStandard.set(1, forKey: key)"),
        ("f(A.standard, UserDefaults(suiteName: a))", "f(A.standard, UserDefaults(suiteName: a))"),
    ])
    func rewrites(_ source: String, _ expected: String) {
        #expect(Rewriter.rewrite(source).source == expected)
    }

    @Test(arguments: [
        ("let a = URL(string: \"https://a.b/c\")!", "let a = URL(string: bridgedAddress(\"https://a.b/c\"))!"),
        ("URL(string: path, relativeTo: root)", "URL(string: bridgedAddress(path), relativeTo: root)"),
        ("URL(fileURLWithPath: path)", "URL(fileURLWithPath: path)"),
        ("URL(string: os.name)", "URL(string: bridgedAddress(HeadlessOSLog.name))"),
    ])
    func addressesOfAnApp_canBeReplaced(_ source: String, _ expected: String) {
        #expect(Rewriter.rewrite(source, isApp: true).source == expected)
        #expect(!Rewriter.rewrite(source).source.contains("bridgedAddress"))
    }

    @Test func condition_ofIOS_becomesTrue() {
        let source = "#if os(iOS) && !targetEnvironment(macCatalyst)\nlet a = 1\n#endif\n"
        #expect(Rewriter.rewrite(source).source.hasPrefix("#if os(Linux) && !targetEnvironment(macCatalyst)\n"))
    }

    @Test func lines_keepTheirNumbers() {
        let source = "let s = #selector(\n    Screen\n        .show(_:)\n)\nlet after = #line\n"
        let result = Rewriter.rewrite(source)
        #expect(
            result.source.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains("after") }
                == 4)
        #expect(result.edits.map(\.line) == [1])
    }

    @Test func appsDelegates_areFound() {
        let result = Rewriter.rewrite(
            """
            @main
            final class AppDelegate: UIResponder, UIApplicationDelegate {}
            class SceneA: UIResponder, UIWindowSceneDelegate {}
            extension SceneB: UIWindowSceneDelegate {}
            """)
        #expect(result.appDelegate == "AppDelegate" && result.sceneDelegates == ["SceneA", "SceneB"])
        #expect(!result.source.contains("@main"))
    }

    @Test func appsOfSwiftUI_areFound_withTheirDelegates() {
        let result = Rewriter.rewrite(
            """
            @main struct Shop: App {
                @UIApplicationDelegateAdaptor(AppDelegate.self) var delegate
                @UIApplicationDelegateAdaptor private var other: OtherDelegate
            }
            """)
        #expect(result.app == "Shop" && result.appDelegate == nil)
        #expect(result.source.contains("@UIApplicationDelegateAdaptor(AppDelegate()) var delegate"))
        #expect(result.source.contains("@UIApplicationDelegateAdaptor(OtherDelegate()) private var other"))
    }

    @Test func outletsAndActions_getATable() {
        let result = Rewriter.rewrite(
            """
            class Form: UIViewController {
                @IBOutlet private weak var name: UITextField!
                @IBAction func save(_ sender: Any) {}
                @IBAction func close() {}
            }
            extension Form { @IBAction func add(sender: UIButton) {} }
            """, isApp: true)
        #expect(result.tables == ["Form.bridgedInterface_Form_name"])
        #expect(
            result.source.hasSuffix(
                "\nextension Form { @MainActor static let bridgedInterface_Form_name: InterfaceTable = { var o: [String: "
                    + "InterfaceTable.Outlet] = [:]; var a: [String: Selector] = [:]; o[\"name\"] = .init(\\Form.name); "
                    + "a[\"save:\"] = Selector(\"save:\", Form.save(_:)); a[\"close\"] = Selector(\"close\", Form.close); "
                    + "a[\"addWithSender:\"] = Selector(\"addWithSender:\", Form.add(sender:)); "
                    + "return InterfaceTable(Form.self, outlets: o, actions: a) }() }\n"))
    }

    /// What a table of outlets and actions says about the members of a class.
    private func entries(_ members: String) -> [String] {
        let source = Rewriter.rewrite("class Form: UIViewController {\n\(members)\n}", isApp: true).source
        let table = source.split(separator: "\n").last { $0.hasPrefix("extension Form") } ?? ""
        return table.split(separator: "; ").map(String.init).filter { $0.contains("[\"") }
    }

    @Test(arguments: [
        ("func unwind(for segue: UIStoryboardSegue) {}", "unwindFor:"),
        ("func unwindTo(segue: UIStoryboardSegue) {}", "unwindToSegue:"),
        ("func unwind(inside segue: UIStoryboardSegue) {}", "unwindInside:"),
        ("func unwind(formOf segue: UIStoryboardSegue) {}", "unwindWithFormOf:"),
        ("func tap(_ sender: Any, forEvent event: UIEvent) {}", "tap:forEvent:"),
        ("func tap(sender: Any, event: UIEvent?) {}", "tapWithSender:event:"),
        ("@objc(press:) func tap(_ sender: Any) {}", "press:"),
    ])
    func actions_haveTheNamesThatSwiftGivesThem(method: String, selector: String) {
        #expect(
            entries("@IBAction \(method)").first?.hasPrefix("a[\"\(selector)\"] = Selector(\"\(selector)\", ") == true)
    }

    @Test func segueActions_inspectablesAndRenamedOutlets_areInTheTable() {
        let members = """
            @IBSegueAction func make(_ coder: NSCoder) -> Detail? { nil }
            @IBSegueAction private func makeOther(coder: NSCoder, sender: Any?, segueIdentifier: String?) -> Detail? { nil }
            @IBInspectable var limit: Int = 0
            @IBInspectable var isFull: Bool { true }
            @objc(label) @IBOutlet var caption: UILabel?
            """
        #expect(
            entries(members) == [
                "o[\"limit\"] = .init(\\Form.limit)", "o[\"label\"] = .init(\\Form.caption)",
                "s[\"make:\"] = .init(Form.make(_:))",
                "s[\"makeOtherWithCoder:sender:segueIdentifier:\"] = .init(Form.makeOther(coder:sender:segueIdentifier:))",
            ])
        #expect(
            Rewriter.rewrite("class Form { \(members) }", isApp: true).source.contains(
                "return InterfaceTable(Form.self, outlets: o, actions: a, segueActions: s) }() }"))
    }

    /// A class with members in two files gets two tables.
    @Test func tablesOfOneClassInTwoFiles_haveDifferentNames() {
        let files = [
            "class Form { @IBOutlet var name: UILabel! }", "extension Form { @IBAction func save(_ sender: Any) {} }",
        ]
        let names = files.flatMap { Rewriter.rewrite($0, isApp: true).tables }
        #expect(names == ["Form.bridgedInterface_Form_name", "Form.bridgedInterface_Form_save_"])
    }

    @Test func stringsAndComments_stay() {
        let source = "// #selector(a) @objc import os\nlet text = \"#selector(a) @objc\"\n"
        #expect(Rewriter.rewrite(source).source == source)
    }
}
