import TestSupport

/// A small app with random names that nobody has, and what is to be seen of it.
struct GeneratedApp: Sendable {
    let name: String
    private(set) var lines: [String] = []
    /// For each function that is called and needs a name that nobody has: its lines, and those of its call. One of them is
    /// cut, and recorded when the app comes to it.
    private(set) var expectations: [Set<Int>] = []
    private var calls: [(text: String, expectation: Set<Int>?)] = []
    private var random: SeededGenerator
    private var names = 0

    var text: String { lines.joined(separator: "\n") + "\n" }

    init(_ number: Int, _ random: SeededGenerator) {
        (name, self.random) = ("App\(number)", random)
        lines = ["import Foundation", "import UIKit", "import SwiftUI"]
        if Bool.random(using: &self.random) { lines.insert("import Missing\(number)Kit", at: 0) }
        for _ in 0..<Int.random(in: 2...5, using: &self.random) { addFunction() }
        for _ in 0..<Int.random(in: 1...3, using: &self.random) { addType() }
        addMain()
    }

    // MARK: Functions

    private static let results = [
        ("", ""), (" -> Int", "0"), (" -> String", "\"\""), (" -> [Int]", "[]"), (" -> Int?", "nil"),
        (" -> (Int, Bool)", "(1, true)"), (" throws -> Bool", "false"), (" -> Thing", "Thing()"),
    ]

    /// Statements that need what nobody has, and whether the app comes to a place that is cut.
    private static let statements: [(lines: [String], isRecorded: Bool)] = [
        (["$M(1, \"x\")"], true),
        (["$T.shared.start()"], true),
        (["let $v = $T.make(3)", "use($v)"], true),
        (["let $v = $M()", "let w$v = $v.count", "use(w$v)"], true),
        (["let ($v, w$v) = $M()", "use($v)", "use(w$v)"], true),
        (["guard let $v = $M() else {", "    return $R", "}", "use($v)"], true),
        (["guard $M, flag else { return $R }"], true),
        (["if $M {", "    use(1)", "} else {", "    use(2)", "}"], true),
        (["if let $v = $T() {", "    use($v)", "}"], true),
        (["if flag {", "    $M()", "}"], true),
        (["for $v in $M() {", "    use($v)", "}"], true),
        (["while $M() { use(0) }"], true),
        (["switch $M {", "case 1: use(1)", "default: use(2)", "}"], true),
        (["switch Kind.a {", "case .a: $M()", "case .b: use(2)", "}"], true),
        (["switch Kind.a {", "case .a: use(1)", "case .b, .$k: use(2)", "}"], false),
        (["switch Kind.a {", "case .a: use(1)", "case .b: use(2)", "case .$k: $M()", "}"], false),
        (["do {", "    try $M()", "} catch {", "    use(error)", "}"], true),
        (["defer { $M() }"], true),
        (["run { $M() }"], true),
        (["run {", "    use(1)", "    $M()", "    use(2)", "}"], true),
        (["let $v: () -> Int = { $M() }", "use($v())"], true),
        (["let $v = { (x: Int) -> Int in $M(x) }", "use($v(1))"], true),
        (["use([1, 2].map { $0 + $M })"], true),
        (["use(\"a \\($M) b\")"], true),
        (["let $v: $T? = nil", "use($v as Any)"], false),
        (["var $v = 1", "$v += $M", "use($v)"], true),
        (["let $v: Int", "$v = $M()", "use($v)"], true),
        (["let $v: Int", "if flag { $v = 1 } else { $v = $M() }", "use($v)"], true),
        (["use(Kind.$k)"], true),
        (["let $v: [Kind] = [.a, .$k]", "use($v)"], false),
        (["use(Thing().$k)", "Thing().$k = 3"], true),
        (["_ = $T().value as? Int"], true),
        (["func inner$v() { $M() }", "inner$v()"], true),
        (["Thing().ask { answer in", "    $M(answer)", "}"], true),
        (["use(flag ? $M : 1)"], true),
        (["let $v = try? $M()", "use($v as Any)"], true),
        (["use((Thing() as? $T) == nil)"], false),
        (["repeat { use(1) } while $M"], true),
        (["Thing().value = $T.best"], true),
        (["let $v = [$T.a: 1, $T.b: 2]", "use($v)"], true),
        (["lazy var $v = $M", "use($v)"], true),
        (["Task { await $M() }"], false),
    ]

    private mutating func addFunction() {
        let function = next("f")
        let (result, value) = pick(GeneratedApp.results)
        let first = lines.count + 1
        lines.append("func \(function)()\(result) {")
        var isRecorded = false
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            lines.append("    use(\(Int.random(in: 0...9, using: &random)))")
            let statement = pick(GeneratedApp.statements)
            lines += fill(statement.lines, result: value).map { "    \($0)" }
            isRecorded = isRecorded || statement.isRecorded
        }
        if !result.isEmpty {
            let isMissing = Int.random(in: 0..<4, using: &random) == 0
            lines += fill([isMissing ? "    return $M()" : "    return \(value)"], result: value)
            isRecorded = isRecorded || isMissing
        }
        lines.append("}")
        let call = result.contains("throws") ? "use(try? \(function)())" : "use(\(function)())"
        calls.append((call, isRecorded ? Set(first...lines.count) : nil))
    }

    // MARK: Types

    /// Declarations that need what nobody has, how they are used, and whether that is recorded.
    private static let types: [(lines: [String], use: String, isRecorded: Bool)] = [
        (
            [
                "class $C: $T {", "    override func viewDidLoad() {", "        super.viewDidLoad()", "        use(1)",
                "    }", "    func go() { use(2) }", "}",
            ], "$C().go()", false
        ),
        (
            [
                "class $C: UIViewController, $TDelegate {", "    var part: $T?", "    weak var owner: $TDelegate?",
                "    let value = $M()", "    func handle(_ x: $T) { use(x) }", "    func go() { use(value) }", "}",
            ], "$C().go()", true
        ),
        (["struct $C {", "    var value: Int { $M() }", "}"], "use($C().value)", true),
        (["struct $C {", "    var value: Thing {", "        get { $M() }", "    }", "}"], "use($C().value)", true),
        (["struct $C {", "    let value: Thing = $T.make()", "    func go() { use(1) }", "}"], "$C().go()", false),
        (["struct $C {", "    var value: Int = $M()", "}"], "use($C().value)", true),
        (
            ["class $C {", "    let value: Thing", "    init(x: Int) {", "        value = $M(x)", "    }", "}"],
            "use($C(x: 1).value)", true
        ),
        (
            [
                "class $C: UIViewController {", "    override func viewDidLoad() {", "        super.viewDidLoad()",
                "        view$k.add(1)", "    }", "    override func $k() {}", "}",
            ], "$C().viewDidLoad()", true
        ),
        (
            ["extension $T {", "    func go() { use(self) }", "}", "func $C() {", "    $T.shared.go()", "}"], "$C()",
            true
        ),
        (["struct $C: $TProtocol {", "    @$T var value = 1", "}"], "use($C().value)", false),
        (
            [
                "struct $C: View {", "    var body: some View {", "        VStack {", "            Text(\"a\").$k(3)",
                "            $T(\"x\")", "        }", "    }", "}",
            ], "use($C().body)", true
        ),
        (
            [
                "struct $C: View {", "    @$T var text = \"a\"", "    var body: some View { $T(\"x\").$k() }", "}",
            ], "use($C().body)", true
        ),
        (
            [
                "enum $C: Int {", "    case one = 1", "    static func make(_ x: $T) -> $C { x.value }",
                "    func go() { switch self { case .one: $M() } }", "}",
            ], "$C.one.go()", true
        ),
        (["func $C<X: $TProtocol>(_ x: X) { use(x) }"], "use(1)", false),
        (["let $C: $T = $T()", "func get$C() { use($C) }"], "get$C()", true),
        (["class $C {", "    lazy var value: Thing = { Thing($M) }()", "}"], "use($C().value)", true),
    ]

    private mutating func addType() {
        let name = next("Type")
        let type = pick(GeneratedApp.types)
        let first = lines.count + 1
        let filled = fill(type.lines + [type.use], result: "", type: name)
        lines += filled.dropLast()
        calls.append((filled.last ?? "", type.isRecorded ? Set(first...lines.count) : nil))
    }

    private mutating func addMain() {
        lines.append("@MainActor func run\(name)() {")
        for call in calls {
            lines.append("    \(call.text)")
            if let expectation = call.expectation { expectations.append(expectation.union([lines.count])) }
        }
        lines.append("}")
    }

    // MARK: Names

    private mutating func next(_ prefix: String) -> String {
        names += 1
        return "\(prefix)\(names)of\(name)"
    }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    /// Puts names into a template: `$M` a function, `$T` a type and `$k` a member that nobody has, `$v` a variable.
    private mutating func fill(_ template: [String], result: String, type: String = "") -> [String] {
        let values = ["$M": next("missing"), "$T": next("Missing"), "$k": next("lost"), "$v": next("v")]
        return template.map { line in
            values.reduce(line) { $0.replacing($1.key, with: $1.value) }.replacing("$C", with: type)
                .replacing("return $R", with: result.isEmpty ? "return" : "return \(result)")
        }
    }
}
