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
        #expect(result.tables == ["Form.bridgedInterface_Form"])
        #expect(
            result.source.hasSuffix(
                "\nextension Form { @MainActor static let bridgedInterface_Form: InterfaceTable = { var o: [String: "
                    + "InterfaceTable.Outlet] = [:]; var a: [String: Selector] = [:]; o[\"name\"] = .init(\\Form.name); "
                    + "a[\"save:\"] = Selector(\"save:\", Form.save(_:)); a[\"close\"] = Selector(\"close\", Form.close); "
                    + "a[\"addWithSender:\"] = Selector(\"addWithSender:\", Form.add(sender:)); "
                    + "return InterfaceTable(Form.self, outlets: o, actions: a) }() }\n"))
    }

    @Test func stringsAndComments_stay() {
        let source = "// #selector(a) @objc import os\nlet text = \"#selector(a) @objc\"\n"
        #expect(Rewriter.rewrite(source).source == source)
    }
}
