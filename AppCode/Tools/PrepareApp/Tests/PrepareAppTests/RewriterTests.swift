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
        ("import os.log", "import HeadlessOSLog"),
        ("import Foundation", "import Foundation; import UIKit"),
        (
            "let log: os.Logger = os.Logger(.disabled)",
            "let log: HeadlessOSLog.Logger = HeadlessOSLog.Logger(.disabled)"
        ),
        ("let log = OSLog.disabled", "let log = OSLog.disabled"),
        ("class A { @objc func b() {} }", "class A {  func b() {} }"),
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

    @Test func stringsAndComments_stay() {
        let source = "// #selector(a) @objc import os\nlet text = \"#selector(a) @objc\"\n"
        #expect(Rewriter.rewrite(source).source == source)
    }
}
