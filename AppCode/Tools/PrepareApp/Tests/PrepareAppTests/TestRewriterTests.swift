import Testing

@testable import PrepareApp

/// Methods that Linux's XCTest cannot call.
struct TestRewriterTests {
    private func rewrite(_ source: String, beside other: String = "") -> String {
        Rewriter.rewrite(source, tests: TestClasses([source, other])).source
    }

    private func companion(_ name: String, _ effects: String = "", _ attempt: String = "", override: String = "")
        -> String
    {
        "nonisolated \(override)func \(name)()\(effects) { nonisolated(unsafe) let test = self; "
            + "\(attempt)MainActor.assumeIsolated { \(attempt)test.onMainActor_\(name)() } }; @MainActor "
    }

    @Test func methodOfTheMainActor_getsACompanion() {
        let source = "class A: XCTestCase { @MainActor func test_b() throws {} }"
        let expected =
            "class A: XCTestCase { \(companion("test_b", " throws", "try ")) func onMainActor_test_b() throws {} }"
        #expect(rewrite(source) == expected)
    }

    @Test func setUp_ofAClassOfTheMainActor_getsACompanionThatOverrides() {
        let source = "@MainActor class A: XCTestCase { override func setUp() {} }"
        let companion = companion("setUp", override: "override ")
        #expect(rewrite(source) == "@MainActor class A: XCTestCase { \(companion) func onMainActor_setUp() {} }")
    }

    @Test func subclass_ofAClassOfTheMainActor_belongsToItToo() {
        let base = "@MainActor class Base: XCTestCase {}"
        #expect(rewrite("final class A: Base { func test_b() {} }", beside: base).contains("onMainActor_test_b"))
    }

    @Test(arguments: [
        "class A: XCTestCase { func test_b() {} }",
        "@MainActor class A: XCTestCase { func test_b() async {} }",
        "@MainActor class A: XCTestCase { override func setUp() async throws {} }",
        "@MainActor class A: XCTestCase { nonisolated func test_b() {} }",
        "@MainActor class A: XCTestCase { func helper() {} }",
        "@MainActor class A: XCTestCase { func test_b(_ number: Int) {} }",
        "@MainActor class A { func test_b() {} }",
    ])
    func otherMethods_stay(_ source: String) {
        #expect(rewrite(source) == source)
    }

    @Test func secondForm_ofATest_getsAnotherName() {
        let source = "class A: XCTestCase { func test_b() {}; func test_b() async {} }"
        #expect(rewrite(source) == "class A: XCTestCase { func test_b_sync() {}; func test_b() async {} }")
    }

    @Test func lines_keepTheirNumbers() {
        let source = "@MainActor\nclass A: XCTestCase {\n    @MainActor\n    func test_b() {\n    }\n}\n"
        #expect(rewrite(source).filter(\.isNewline).count == source.filter(\.isNewline).count)
    }
}
