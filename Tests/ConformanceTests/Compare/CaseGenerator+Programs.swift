extension CaseGenerator {
    /// A program for `evaluateJavaScript`, which has the value of its last statement.
    mutating func program() -> ScriptPart {
        if chance(15) { return .statements([value(depth: 3)]) }
        return .statements(some(4) { $0.statement(depth: 2) })
    }

    private mutating func statement(depth: Int) -> ScriptPart {
        guard depth > 0, chance(75) else { return .text(random.pick(CaseGenerator.simpleStatements)) }
        let (open, close) = random.pick(CaseGenerator.blocks)
        return .list(open: open, separator: "; ", close: close, items: some(3) { $0.statement(depth: depth - 1) })
    }

    /// The body of an async function.
    mutating func asyncBody() -> ScriptPart {
        let before = chance(60) ? some(2) { $0.statement(depth: 1) } : []
        let value = value(depth: 2)
        let end: ScriptPart =
            switch number(upTo: 7) {
            case 1:
                .list(
                    open: "return await new Promise((end) => setTimeout(end, 1, ", separator: "", close: "))",
                    items: [value])
            case 2: .list(open: "throw ", separator: "", close: "", items: [value])
            case 3: .list(open: "return Promise.reject(", separator: "", close: ")", items: [value])
            case 4: .list(open: "return { then(end) { end(", separator: "", close: ") } }", items: [value])
            case 5: .list(open: "try { throw 1 } finally { return ", separator: "", close: " }", items: [value])
            case 6: .text(random.pick(CaseGenerator.simpleStatements))
            default: .list(open: "return ", separator: "", close: "", items: [value])
            }
        return .statements(before + [end])
    }

    private static let blocks = [
        ("{ ", " }"), ("if (true) { ", " }"), ("if (false) { 9 } else { ", " }"), ("if (false) { ", " }"),
        ("for (let i = 0; i < 2; i++) { ", " }"), ("for (const k in { a: 1, b: 2 }) { ", " }"),
        ("for (const v of [1, 2]) { ", " }"),
        ("do { ", " } while (false)"), ("while (true) { ", "; break }"), ("while (false) { ", " }"),
        ("try { ", " } catch { 8 }"),
        ("try { throw 1 } catch (e) { ", " }"), ("try { ", " } finally { 7 }"), ("try { 6 } finally { ", " }"),
        ("switch (1) { case 1: ", "; case 2: }"), ("switch (1) { case 1: ", "; break; default: 5 }"),
        ("label: { ", "; break label }"),
        ("label: for (;;) { for (;;) { ", "; break label } }"), ("with ({ a: 4 }) { ", " }"), ("eval(`", "`)"),
        ("(0, eval)(`", "`)"),
        ("(() => { ", " })()"), ("new Function(`", "`)()"), ("'use strict'; { ", " }"),
        ("for (var j = 0; j < 2; j++) { if (j) continue; ", " }"),
    ]

    private static let simpleStatements = [
        "1", "'text'", "null", "undefined", "[1, , 2]", "({ a: 1 })", "{ a: 1 }", "var a = 1", "let b = 2",
        "const c = 3",
        "function f() {}", "class C {}", "a = 1", "this.d = 4", "void 0", ";", "'use strict'", "delete window.a",
        "typeof a",
        "throw 1", "throw 'text'", "throw new Error('e')", "throw new TypeError('t')", "throw null", "throw undefined",
        "throw { message: 'm' }", "throw { toString() { return 's' } }", "throw Symbol('s')",
        "throw Object.create(null)",
        "throw new DOMException('d', 'DataError')", "throw Object.assign(new Error('e'), { name: 'N' })", "throw []",
        "undefinedName", "null.x", "undefinedFunction()", "let b = 1; let b = 2", "1 +", "}", "return 1", "await 1",
        "import('x')",
        "new.target", "yield", "super.x", "break", "arguments", "document.title", "location.pathname", "window",
        "document.body",
        "this === window", "typeof webkit", "(() => 1)", "Promise.resolve(1)", "new Date(0)", "new Map([[1, 2]])",
        "10n", "Symbol()",
        "`a${1}b`", "/* comment */", "// comment\\n", "<!-- comment", "a", "b", "c", "f", "C", "d",
        "async function g() {}", "g?.()",
        "webkit.messageHandlers.nativeApp.postMessage(1)", "document.createElement('p')", "Object.freeze([1])",
        "eval('var z = 1')", "z",
        "setTimeout(() => {}, 0), 1", "queueMicrotask(() => { window.later = 1 })", "window.later",
        "navigator.userActivation?.isActive",
        "document.currentScript", "performance.now() > 0", "new Error('e').stack.length > 0", "1, 2, 3",
        "(1, eval)('2')",
        "isNaN('x') ? 'yes' : 'no'", "x?.y", "0 || null", "-0", "NaN", "''", "[] + {}", "var [h] = [1]", "label: 3",
        "if (1);", "var a",
    ]
}
