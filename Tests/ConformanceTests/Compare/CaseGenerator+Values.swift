extension CaseGenerator {
    /// An expression for a value, with values within it.
    mutating func value(depth: Int) -> ScriptPart {
        guard depth > 0, chance(70) else { return .text(random.pick(CaseGenerator.plainValues)) }
        switch number(upTo: 8) {
        case 1, 2:
            let items = some(4) { $0.chance(8) ? "" : $0.value(depth: depth - 1) }
            return .list(open: "[", separator: ", ", close: "]", items: items)
        case 3, 4, 5: return object(depth)
        case 6: return container(depth)
        case 7: return shared(depth)
        default: return .text(random.pick(CaseGenerator.hostValues))
        }
    }

    private mutating func object(_ depth: Int) -> ScriptPart {
        let properties = some(4) { generator -> ScriptPart in
            let key = generator.random.pick(CaseGenerator.keys)
            switch generator.number(upTo: 12) {
            case 1: return "get \(key)() { return 1 }"
            case 2: return "get \(key)() { throw new Error('getter') }"
            case 3: return "\(key)() {}"
            case 4: return "[Symbol('\(generator.number(upTo: 9))')]: 1"
            default:
                return .list(open: "\(key): ", separator: "", close: "", items: [generator.value(depth: depth - 1)])
            }
        }
        let plain = ScriptPart.list(open: "({ ", separator: ", ", close: " })", items: properties)
        guard chance(20) else { return plain }
        let (open, close) = random.pick(CaseGenerator.changedObjects)
        return .list(open: open, separator: "", close: close, items: [plain])
    }

    /// A built-in object with a value within it.
    private mutating func container(_ depth: Int) -> ScriptPart {
        let (open, close) = random.pick(CaseGenerator.containers)
        return .list(open: open, separator: "", close: close, items: [value(depth: depth - 1)])
    }

    /// The same value in two places, or one that contains itself.
    private mutating func shared(_ depth: Int) -> ScriptPart {
        let form = random.pick([
            ("((a) => [a, a])(", ")"), ("((a) => ({ one: a, two: { three: a } }))(", ")"),
            ("((a) => { a = Object(a); a.self = a; return a })(", ")"),
            ("((a) => { a = [a]; a.push(a); return a })(", ")"),
        ])
        return .list(open: form.0, separator: "", close: form.1, items: [value(depth: depth - 1)])
    }

    private static let keys = [
        "a", "b", "name", "value", "toString", "__proto__", "['__proto__']", "constructor", "length", "then", "toJSON",
        "'a b'", "''", "0", "1", "'-1'", "4294967295", "'é'", "'\\u{1F600}'", "'\\ud800'", "types", "t", "body", "id",
    ]

    private static let changedObjects = [
        ("Object.freeze(", ")"), ("Object.assign(Object.create(null), ", ")"), ("Object.create(", ")"),
        ("Object.assign(new (class Thing {}), ", ")"), ("new Proxy(", ", {})"), ("Object.assign([1, 2], ", ")"),
        ("Object.assign(() => 1, ", ")"), ("Object.assign(new Date(0), ", ")"), ("Object.assign(new Error('e'), ", ")"),
        ("Object.defineProperty(", ", 'hidden', { value: 1 })"), ("Object.defineProperties({}, { a: ", " })"),
        ("Object.setPrototypeOf(", ", Array.prototype)"), ("((o) => { delete o.a; o.a = 2; return o })(", ")"),
    ]

    private static let containers = [
        ("new Map([[1, ", "]])"), ("new Set([", "])"), ("Object(", ")"), ("Promise.resolve(", ")"), ("[", ",]"),
        ("[,", "]"),
        ("new Error('e', { cause: ", " })"), ("(function () { return arguments })(", ")"),
        ("new CustomEvent('e', { detail: ", " })"),
        ("Object.entries(", ")"), ("String(", ")"), ("structuredClone(", ")"), ("new WeakSet([", "])"), ("[...", "]"),
        ("Array(3).fill(", ")"), ("new Array(", ")"), ("history.state ?? ", ""), ("new Boolean(", ")"),
    ]

    private static let plainValues = [
        "null", "undefined", "true", "false", "0", "-0", "1", "1.5", "NaN", "Infinity", "-Infinity", "2 ** 53", "1e300",
        "5e-324", "''", "'text'", "'\\0'", "'\\ud800'", "'\\u{1F600}'", "'é'", "'e\\u0301'", "'</script>'", "'a\\nb'",
        "'\\u2028'", "10n", "-(2n ** 64n)", "Symbol('s')", "Symbol.iterator", "'x'.repeat(100)", "0xffffffff", "-1e-7",
    ]

    private static let hostValues = [
        "() => 1", "function named() {}", "class Thing {}", "async () => {}", "new Date(0)", "new Date(NaN)",
        "new Date(8.64e15)", "new Date(-1)", "/a/g", "new Error('e')", "new TypeError('e')",
        "new DOMException('e', 'AbortError')",
        "new ArrayBuffer(4)", "new Uint8Array([1, 2])", "new Float64Array(2)", "new DataView(new ArrayBuffer(2))",
        "new BigInt64Array(1)", "document", "document.body", "document.createTextNode('t')", "window", "location",
        "navigator", "new URL('http://a/')", "new URLSearchParams('a=1')", "new Headers()", "new Event('e')",
        "new Blob(['b'])",
        "new File(['f'], 'f')", "new FormData()", "new DOMRect(1, 2, 3, 4)", "new DOMPoint(1)", "new DOMMatrix()",
        "new ImageData(1, 1)", "new Map()", "new Set()", "new WeakMap()", "Promise.reject(1)", "new Proxy([], {})",
        "new Proxy({}, { get() { throw 1 } })", "new Proxy(() => 1, {})", "globalThis", "Math", "JSON", "Intl",
        "Symbol",
        "new AbortController()", "new MessageChannel().port1", "document.querySelectorAll('*')", "new Boolean(false)",
        "new Number(1)", "new String('ab')", "Object(1n)", "Object(Symbol())", "webkit", "webkit.messageHandlers",
        "history",
        "(function* () {})()", "[].values()", "new Map([[{}, 1]])", "crypto", "performance", "new ReadableStream()",
        "localStorage",
        "Object.create({ inherited: 1 })", "new (class extends Array {})(1, 2)", "new (class extends Map {})()",
        "Object.create(Date.prototype)", "new TextEncoder().encode('a')", "new Intl.NumberFormat()", "import.meta",
    ]
}
