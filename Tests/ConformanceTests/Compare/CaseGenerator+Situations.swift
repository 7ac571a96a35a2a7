/// Cases about what surrounds a script: loads that are under way, handlers that come and go, user scripts, frames.
extension CaseGenerator {
    mutating func situation() -> GeneratedCase {
        switch number(upTo: 8) {
        case 1: loading()
        case 2: stacks()
        case 3: handlersComeAndGo()
        case 4: userScripts()
        case 5: frameOrder()
        case 6: repliesOutOfOrder()
        case 7: deepValues()
        default: changedBuiltIns()
        }
    }

    private mutating func steps(_ count: Int, _ texts: [(String, String)]) -> [GeneratedCase.Step] {
        (0..<number(upTo: count)).map { _ in
            let (name, text) = random.pick(texts)
            return GeneratedCase.Step(name: name, script: .text(text))
        }
    }

    private static func step(_ name: String, _ text: String) -> GeneratedCase.Step {
        GeneratedCase.Step(name: name, script: .text(text))
    }

    // MARK: Loads

    private mutating func loading() -> GeneratedCase {
        let before = steps(
            2,
            [
                ("evaluate", "window.mark = 1"),
                (
                    "evaluate",
                    "addEventListener('pagehide', () => webkit.messageHandlers.nativeApp.postMessage('hide')); 1"
                ),
            ])
        let start = random.pick([
            ("loadAtOnce", "/slow.html"), ("loadAtOnce", "/index.html"), ("terminate", ""),
            ("loadAtOnce", "/missing.html"),
        ])
        let middle = steps(
            4,
            [
                ("evaluate", "[location.pathname, typeof mark]"), ("evaluate", "document.title"),
                ("evaluate", "throw new Error('x')"),
                ("callAsync", "return location.pathname"),
                ("callAsync", "await new Promise((end) => setTimeout(end, 20)); return document.title"),
                ("evaluate", "webkit.messageHandlers.nativeApp.postMessage(location.pathname); 1"), ("stopLoading", ""),
                ("evaluate@W", "typeof mark + location.pathname"), ("evaluate", "mark = 2"),
                ("evaluate", "document.readyState"),
                ("loadAtOnce", "/slow.html"), ("callAsync", "throw new TypeError('y')"),
            ])
        let end = [
            Self.step("waitMs", "700"), Self.step("evaluate", "[location.pathname, typeof mark, document.title]"),
        ]
        return GeneratedCase(steps: before + [Self.step(start.0, start.1)] + middle + end)
    }

    // MARK: Stacks

    private static let stackLooks = [
        "(e.stack ?? 'none').split('\\n').map((line) => line.replace(/:\\d+$/, ''))", "[e.line, e.sourceURL]", "e.name",
        "typeof e.stack",
    ]

    private mutating func stacks() -> GeneratedCase {
        let body = random.pick([
            "null.x", "throw new Error('x')", "undefinedName", "JSON.parse('{')", "new Function('}')", "eval('1 +')",
            "eval('\\n\\n)')",
            "(0, eval)('let q; let q')", "[1].map(() => { throw new RangeError('r') })",
            "(function f() { g() })(); function g() { throw new Error('g') }",
            "decodeURIComponent('%')", "new Array(-1)", "Symbol() + ''",
            "eval('function h() { throw new Error(1) }; h()')",
            "new (class A { constructor() { throw new Error('a') } })()", "({ get x() { throw new Error('get') } }).x",
            "[3, 1].sort(function compare() { throw new Error('s') })", "Promise.resolve().missing()",
            "setTimeout.call(1)",
        ])
        let look = random.pick(Self.stackLooks)
        let lines = String(repeating: "\n", count: number(upTo: 3) - 1)
        let caught = "\(lines)try { \(body) } catch (e) { RETURN \(look) }"
        let kind = random.pick(["evaluate", "callAsync", "evaluate@W", "callAsync@W", "later"])
        switch kind {
        case "callAsync", "callAsync@W":
            let bodies = [
                caught.replacing("RETURN", with: "return"),
                "\(lines)await 1; \(caught.replacing("RETURN", with: "return"))",
                "\(lines)const f = async () => { \(body) }; try { await f() } catch (e) { return \(look) }",
                "\(lines)\(body)",
                "\(lines)return (", "\(lines)}", "\(lines)let a; let a",
            ]
            return GeneratedCase(steps: [Self.step(kind, random.pick(bodies))])
        case "later":
            return GeneratedCase(steps: [
                Self.step(
                    "evaluate",
                    "addEventListener('error', (event) => { const e = event.error; window.seen = [event.message, event.filename, event.lineno, e ? \(look) : e] }); 1"
                ),
                Self.step(
                    random.pick(["evaluate", "callAsync"]),
                    random.pick([
                        "\(lines)\(body)", "\(lines)}", "\(lines)1 +", "\(lines)let a; let a",
                        "\(lines)setTimeout(() => { \(body) }, 1)",
                    ])),
                Self.step("waitMs", "60"), Self.step("evaluate", "window.seen"),
            ])
        default:
            return GeneratedCase(steps: [
                Self.step(
                    kind,
                    random.pick([
                        caught.replacing("RETURN", with: ""), "\(lines)\(body)", "\(lines)}", "\(lines)1 +",
                        "\(lines)const a",
                    ]))
            ])
        }
    }

    // MARK: Handlers

    private mutating func handlersComeAndGo() -> GeneratedCase {
        let long = String(repeating: "n", count: random.pick([100, 1_000, 4_000]))
        let names = [
            "nativeApp", "echo", "echoW@W", "plainW@W", "nativeApp@W", long, "a b", "é", "postMessage", "__proto__",
            "constructor",
        ]
        var setting = GeneratedCase.Setting()
        setting.handlers = (0..<number(upTo: 3)).map { _ in
            random.pick(names.filter { $0 != "nativeApp" && $0 != "echo" })
        }
        setting.handlers = setting.handlers.enumerated().filter { setting.handlers.firstIndex(of: $1) == $0 }.map(
            \.element)
        let look =
            "[typeof webkit, typeof window.webkit?.messageHandlers, Object.getOwnPropertyNames(window.webkit?.messageHandlers ?? {}).map((n) => n.length > 20 ? n.length : n).sort()]"
        let texts = [
            ("evaluate", look), ("evaluate@W", look), ("unregister", "nativeApp"), ("unregister", "echo"),
            ("register", "nativeApp"), ("register", "echo"),
            ("unregister", long), ("register", long), ("register", random.pick(names)),
            ("evaluate", "window.kept = webkit.messageHandlers.nativeApp; typeof kept"),
            (
                "evaluate@W",
                "window.kept = webkit.messageHandlers.nativeApp ?? webkit.messageHandlers.plainW; typeof kept"
            ),
            ("callAsync", "return await kept.postMessage('kept').then((v) => ['ok', v], (e) => [e.name, e.message])"),
            ("callAsync@W", "return await kept.postMessage('kept').then((v) => ['ok', v], (e) => [e.name, e.message])"),
            (
                "callAsync",
                "return await webkit.messageHandlers['\(long)'].postMessage('long').then((v) => ['ok', v], (e) => [e.name, e.message])"
            ),
            (
                "evaluate",
                "(() => { const f = document.createElement('iframe'); f.src = '/index.html?frame'; document.body.append(f); window.f = f; window.old = f.contentWindow.webkit; return typeof old })()"
            ),
            ("waitMs", "200"),
            (
                "evaluate",
                "[typeof f.contentWindow.webkit, f.contentWindow.webkit === old, typeof f.contentWindow.webkit?.messageHandlers?.nativeApp]"
            ),
            (
                "callAsync",
                "return await old.messageHandlers.nativeApp.postMessage('old').then((v) => ['ok', v], (e) => [e.name, e.message])"
            ),
            ("evaluate", "f.contentWindow.webkit.messageHandlers.nativeApp.postMessage('frame'); 1"),
            ("evaluate", "f.contentWindow.location = '/index.html?next'; 1"),
            ("evaluate", "window.w = webkit; window.h = webkit.messageHandlers; 1"),
            (
                "evaluate",
                "[window.w === window.webkit, window.h === window.webkit?.messageHandlers, typeof window.h?.nativeApp, window.h && Object.getOwnPropertyNames(window.h).length]"
            ),
        ]
        return GeneratedCase(steps: steps(7, texts) + [Self.step("evaluate", look)], setting: setting)
    }

    // MARK: User scripts

    private mutating func userScripts() -> GeneratedCase {
        var setting = GeneratedCase.Setting()
        let post = "webkit.messageHandlers.nativeApp.postMessage"
        let sources = [
            "\(post)('NAME ' + document.readyState)", "let shared = 'NAME'", "var shared = 'NAME'",
            "const shared = 'NAME'", "function shared() { return 'NAME' }",
            "class shared {}", "window.shared = 'NAME'", "\(post)(typeof shared)", "throw new Error('NAME')",
            "\(post)([!!document.body, !!document.head, document.scripts.length])",
            "}", "document.write('<p>NAME')", "document.documentElement.append('NAME')",
            "addEventListener('load', () => \(post)('load NAME'))",
            "addEventListener('error', (e) => \(post)(['error', e.message, e.lineno]))",
            "try { eval('1'); \(post)('eval') } catch (e) { \(post)(e.name) }",
            "document.addEventListener('DOMContentLoaded', () => \(post)('ready NAME'))",
            "'use strict'; undeclared = 1", "this.own = 'NAME'; \(post)(this === window)",
            "(() => { const s = document.createElement('script'); s.textContent = 'window.inline = 1'; document.documentElement.append(s); \(post)(typeof inline) })()",
            "\(post)(document.currentScript)", "shared = shared + '!'", "\(post)(location.pathname)",
            "setTimeout(() => \(post)('later NAME'))",
        ]
        setting.userScripts = (1...number(upTo: 4)).map { number in
            .init(
                source: random.pick(sources).replacing("NAME", with: "\(number)"),
                at: random.pick(["start", "start", "end"]),
                world: chance(15) ? "W" : nil)
        }
        let body = random.pick([
            "<script>let shared = 'page'</script>", "<script>var shared = 'page'; \(post)(typeof shared)</script>",
            "<script>const shared = 'page'; \(post)(shared)</script>", "<p>plain</p>",
            "<script>document.write('<p>written')</script>",
            "<script>addEventListener('load', () => { document.open(); document.write('<script>\(post)(\"rewritten\")<' + '/script>'); document.close() })</script>",
            "<script>try { \(post)(shared) } catch (e) { \(post)(e.name) }</script>",
            "<iframe src='/frame.html'></iframe>",
            "<script>function shared() {} \(post)(typeof shared)</script>",
            "<script>class shared {}; \(post)(typeof shared)</script>",
            "<iframe srcdoc=\"<script>parent.webkit.messageHandlers.nativeApp.postMessage('srcdoc')</script>\"></iframe>",
        ])
        setting.files = [
            "/us.html": "<!doctype html><title>us</title>\(body)",
            "/frame.html": "<!doctype html><script>\(post)('frame')</script>",
        ]
        setting.page = "/us.html"
        if chance(30) {
            setting.policy = random.pick([
                "default-src 'none'", "script-src 'none'", "default-src 'self'", "sandbox", "sandbox allow-scripts",
                "script-src 'unsafe-inline'", "default-src 'none'; script-src 'unsafe-inline'",
                "require-trusted-types-for 'script'",
            ])
        }
        if chance(15) { setting.allowsJavaScript = false }
        let texts = [
            ("evaluate", "typeof shared"), ("evaluate", "document.documentElement.textContent"), ("evaluate", "shared"),
            ("evaluate", "let shared = 9"),
            ("evaluate", "document.open(); document.write('<p>again'); document.close(); 1"), ("reload", ""),
            ("evaluate", "window.shared"),
            ("evaluate", "document.write('more'); 1"), ("evaluate", "document.scripts.length"),
            ("evaluate@W", "typeof shared"), ("evaluate", "own"),
        ]
        return GeneratedCase(
            steps: [Self.step("waitMs", "150")] + steps(4, texts) + [Self.step("waitMs", "100")], setting: setting)
    }

    // MARK: Frames, replies, values

    private mutating func frameOrder() -> GeneratedCase {
        let post = "webkit.messageHandlers.nativeApp.postMessage"
        let frames = [
            "<iframe srcdoc=\"<script>\(post)('srcdoc')</script>\"></iframe>", "<iframe src='/child.html'></iframe>",
            "<script>\(post)('script')</script>",
            "<iframe src='about:blank' onload=\"\(post)('blank loaded')\"></iframe>",
            "<script>document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>\(post)(\"made\")<' + '/script>' })); \(post)('after')</script>",
            "<script>{ const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.webkit.messageHandlers.nativeApp.postMessage('inner'); \(post)('outer') }</script>",
            "<script>addEventListener('load', () => \(post)('load'))</script>",
            "<script>addEventListener('message', (e) => \(post)(e.data))</script>",
            "<script>addEventListener('DOMContentLoaded', () => \(post)('ready'))</script>",
        ]
        var setting = GeneratedCase.Setting()
        let body = (0..<number(upTo: 3)).map { _ in random.pick(frames) }.joined()
        setting.files = [
            "/order.html": "<!doctype html><title>order</title><body>\(body)",
            "/child.html":
                "<!doctype html><script>\(post)('child 1'); parent.webkit.messageHandlers.nativeApp.postMessage('to parent'); \(post)('child 2'); parent.postMessage('told', '*')</script>",
        ]
        setting.page = "/order.html"
        return GeneratedCase(steps: [Self.step("waitMs", "300")], setting: setting)
    }

    private mutating func repliesOutOfOrder() -> GeneratedCase {
        var setting = GeneratedCase.Setting()
        setting.handlers = ["echoSlow"]
        let delays = (0..<(number(upTo: 4) + 1)).map { _ in number(upTo: 8) * 20 }
        let list = delays.map { "h.postMessage(\($0)).then((v) => order.push(v))" }.joined(separator: ", ")
        let end = random.pick([
            "await Promise.all(all); return order", "return await Promise.race(all)", "await all[0]; return order",
            "setTimeout(() => location.reload(), 10); await Promise.all(all); return order",
        ])
        return GeneratedCase(
            steps: [
                Self.step(
                    "callAsync", "const order = [], h = webkit.messageHandlers.echoSlow; const all = [\(list)]; \(end)")
            ], setting: setting)
    }

    private mutating func deepValues() -> GeneratedCase {
        let depth = random.pick([40, 500, 2_000, 5_000, 10_000, 20_000])
        let make = random.pick([
            "let v = 1; for (let i = 0; i < \(depth); i++) v = [v]",
            "let v = {}; for (let i = 0; i < \(depth); i++) v = { a: v }",
            "let v = []; for (let i = 0; i < \(depth); i++) v = i % 2 ? { a: v } : [v]",
            "const v = {}; let w = v; for (let i = 0; i < \(depth); i++) w = w.n = { i }; w.end = v",
            "let v = null; for (let i = 0; i < \(depth); i++) v = { a: [v], d: new Date(i) }",
        ])
        let use = random.pick([
            (
                "callAsync",
                "\(make); const r = await webkit.messageHandlers.echo.postMessage(v); let n = 0; for (let o = r; o && typeof o === 'object' && n < 50000; o = Object.values(o)[0]) n++; return n"
            ),
            ("callAsync", "\(make); return v"), ("evaluate", "{ \(make); v }"),
            ("evaluate", "{ \(make); webkit.messageHandlers.nativeApp.postMessage(v); 1 }"),
        ])
        return GeneratedCase(steps: [
            Self.step(use.0, use.1), Self.step("waitMs", "500"), Self.step("evaluate", "1 + 1"),
        ])
    }

    private mutating func changedBuiltIns() -> GeneratedCase {
        let changes = (0..<number(upTo: 2)).map { _ in random.pick(Self.changesOfBuiltIns) }.joined(separator: "; ")
        let values = [
            "Object.assign(new Map([[1, 2]]), { own: 1 })", "Object.assign(new Set([1]), { own: [2] })",
            "Object.assign([1, 2], { own: 3 })",
            "Object.assign(new Date(0), { own: 1 })", "Object.assign(/x/g, { own: 1 })",
            "Object.assign(new Error('e'), { own: 1 })", "[1, [2, { a: 3 }]]",
            "{ a: 1, b: [{ a: 2 }], c: new Date(1) }", "new (class Own extends Array {})(3)",
            "new (class Own extends Map {})([[1, 2]])", "Object.assign(new Number(1), { own: 2 })",
            "[undefined, , NaN, -0]", "{ a: undefined }",
            "Object.create({ a: 1 }, { b: { value: 2, enumerable: true } })", "{ ['__proto__']: 1, a: 2 }",
        ]
        let value = random.pick(values)
        let use = random.pick([
            ("evaluate", "webkit.messageHandlers.nativeApp.postMessage(\(value)); 1"), ("evaluate", "(\(value))"),
            ("callAsync", "return \(value)"),
            ("callAsync", "return await webkit.messageHandlers.echo.postMessage(\(value))"),
        ])
        return GeneratedCase(steps: [Self.step("evaluate", "\(changes); 1"), Self.step(use.0, use.1)])
    }
}
