import TestSupport

/// Makes cases at random. The same seed makes the same cases.
struct CaseGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> GeneratedCase {
        switch random.pick([
            "post", "post", "reply", "evaluate", "evaluate", "callAsync", "surface", "surface", "steps", "situation",
            "situation", "situation",
        ]) {
        case "post": GeneratedCase("post", posting(to: "nativeApp"))
        case "reply": GeneratedCase("post", posting(to: "echo"))
        case "evaluate": GeneratedCase("evaluate", program())
        case "callAsync": GeneratedCase("callAsync", asyncBody())
        case "surface": GeneratedCase("surface", surface())
        case "situation": situation()
        default: GeneratedCase(steps: sequence())
        }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A number from 1 to `limit`.
    mutating func number(upTo limit: Int) -> Int { Int.random(in: 1...limit, using: &random) }

    mutating func some(_ limit: Int, _ make: (inout CaseGenerator) -> ScriptPart) -> [ScriptPart] {
        (0..<number(upTo: limit)).map { _ in make(&self) }
    }

    // MARK: Messages

    /// A call of `postMessage`, whose promise is the result, after changes of built-ins or not.
    private mutating func posting(to handler: String) -> ScriptPart {
        let before: [ScriptPart] = chance(25) ? some(2) { .text($0.random.pick(CaseGenerator.changesOfBuiltIns)) } : []
        let handler = "webkit.messageHandlers.\(handler)"
        if chance(12) {
            let call = random.pick(CaseGenerator.callForms).replacing("HANDLER", with: handler)
            return .statements(before + [.text(call)])
        }
        let value = value(depth: 3)
        let post = ScriptPart.list(open: "\(handler).postMessage(", separator: ", ", close: ")", items: [value])
        return .statements(before + [post])
    }

    private static let callForms = [
        "HANDLER.postMessage()", "HANDLER.postMessage(1, 2)", "HANDLER.postMessage.call(HANDLER, 1)",
        "HANDLER.postMessage.call(null, 1)", "HANDLER.postMessage.call({}, 1)", "(0, HANDLER.postMessage)(1)",
        "HANDLER.postMessage.apply(HANDLER, [])", "HANDLER.postMessage.bind(HANDLER)(1)",
        "Reflect.apply(HANDLER.postMessage, HANDLER, [1])", "new HANDLER.postMessage(1)",
        "Reflect.construct(HANDLER.postMessage, [1])", "HANDLER?.postMessage?.(1)", "HANDLER['postMessage'](1)",
        "HANDLER.postMessage`1`", "Object.create(HANDLER).postMessage(1)", "({ __proto__: HANDLER }).postMessage(1)",
        "new Proxy(HANDLER, {}).postMessage(1)", "[HANDLER].map((one) => one.postMessage(1))[0]",
        "HANDLER.postMessage(...[])", "HANDLER.postMessage(HANDLER)", "HANDLER.postMessage(webkit)",
        "const { postMessage } = HANDLER; postMessage(1)", "HANDLER.postMessage.call(webkit.messageHandlers, 1)",
        "(() => { 'use strict'; return HANDLER.postMessage.call(undefined, 1) })()",
        "structuredClone(HANDLER)", "HANDLER.postMessage(HANDLER.postMessage)",
    ]

    static let changesOfBuiltIns = [
        "Object.prototype.toJSON = () => 'changed'", "Array.prototype.map = () => ['changed']",
        "JSON.stringify = () => 'changed'", "Object.keys = () => []", "Promise.prototype.then = undefined",
        "Array.prototype[Symbol.iterator] = undefined", "Object.prototype.extra = 1",
        "Array.prototype[0] = 'inherited'",
        "Object.defineProperty(Object.prototype, 'value', { get: () => 'changed', configurable: true })",
        "Map = undefined", "Object.prototype.get = 1", "Reflect.ownKeys = () => []", "Error = undefined",
        "Promise.resolve = () => 1", "Promise = undefined", "Symbol = undefined", "String.prototype.replace = () => ''",
        "Object.prototype.then = function (end) { end('changed') }", "Number.prototype.toString = () => 'changed'",
        "Object.defineProperty(Object.prototype, 'set', { value: 1 })", "Date.prototype.getTime = () => 0",
        "Date.prototype.valueOf = () => 0", "Function.prototype.call = undefined", "Array.isArray = () => true",
        "Object.getPrototypeOf = () => null", "Object.prototype.__defineGetter__('types', () => 1)",
        "WebSocket = undefined",
        "Object.defineProperty(Array.prototype, '0', { set() { throw 1 }, configurable: true })",
        "Object.defineProperty(Array.prototype, '1', { get: () => 'inherited', set() {}, configurable: true })",
        "Object.defineProperty(Object.prototype, 'a', { set() { throw 2 }, get: () => 'inherited', configurable: true })",
        "Map.prototype.set = undefined", "Map.prototype.get = () => 'changed'", "WeakMap.prototype.get = () => 1",
        "Date.prototype.toISOString = () => 'changed'", "structuredClone = () => 'changed'",
        "Object.prototype.constructor = undefined", "Error.prototype.toString = () => 'changed'",
        "Function.prototype.apply = undefined", "Array.prototype.push = undefined", "Array = undefined",
        "Set = undefined", "Uint8Array = undefined", "Promise.prototype.catch = undefined",
    ]
}
