extension CaseGenerator {
    private static let places = [
        "window", "webkit", "webkit.messageHandlers", "webkit.messageHandlers.nativeApp",
        "webkit.messageHandlers.nativeApp.postMessage", "Object.getPrototypeOf(webkit)",
        "Object.getPrototypeOf(webkit.messageHandlers)", "Object.getPrototypeOf(webkit.messageHandlers.nativeApp)",
    ]

    private static let names = [
        "'webkit'", "'messageHandlers'", "'nativeApp'", "'echo'", "'postMessage'", "'missing'", "'constructor'",
        "'toString'",
        "'hasOwnProperty'", "'then'", "'length'", "'name'", "'__proto__'", "0", "Symbol.toStringTag", "Symbol.iterator",
        "Symbol.toPrimitive", "'prototype'", "'bridge'",
    ]

    /// A script that performs up to three operations on `webkit` and what it holds, and returns what each of them
    /// returned, or the name of the error that it threw.
    mutating func surface() -> ScriptPart {
        let operations = some(3) { $0.operation() }
        let list = ScriptPart.list(
            open: "[", separator: ", ",
            close: "].map((look) => { try { return look() } catch (e) { return [e.name, typeof e] } })",
            items: operations)
        return list
    }

    private mutating func operation() -> ScriptPart {
        let text = random.pick(CaseGenerator.operations)
            .replacing("PLACE", with: random.pick(CaseGenerator.places))
            .replacing("OTHER", with: random.pick(CaseGenerator.places))
            .replacing("NAME", with: random.pick(CaseGenerator.names))
        return "() => \(text)"
    }

    private static let operations = [
        "Object.getOwnPropertyDescriptor(PLACE, NAME)", "typeof PLACE[NAME]", "NAME in PLACE",
        "Object.hasOwn(PLACE, NAME)",
        "Reflect.has(PLACE, NAME)", "delete PLACE[NAME]", "(() => { 'use strict'; return delete PLACE[NAME] })()",
        "(() => { PLACE[NAME] = 1; return typeof PLACE[NAME] })()",
        "(() => { 'use strict'; PLACE[NAME] = 1; return typeof PLACE[NAME] })()",
        "Reflect.set(PLACE, NAME, 1)", "Reflect.deleteProperty(PLACE, NAME)",
        "Reflect.defineProperty(PLACE, NAME, { value: 1 })",
        "(() => { Object.defineProperty(PLACE, NAME, { get: () => 1, configurable: true }); return typeof PLACE[NAME] })()",
        "Object.isExtensible(PLACE)", "Object.isFrozen(PLACE)", "Object.isSealed(PLACE)",
        "Reflect.preventExtensions(PLACE)",
        "(() => { Object.freeze(PLACE); return Object.isFrozen(PLACE) })()", "Reflect.setPrototypeOf(PLACE, null)",
        "String(PLACE)", "Object.prototype.toString.call(PLACE)", "JSON.stringify(PLACE === window ? 1 : PLACE)",
        "typeof PLACE",
        "PLACE === OTHER", "PLACE instanceof Object", "Object.keys(PLACE).includes('webkit')",
        "Reflect.ownKeys(PLACE).includes(NAME)",
        "PLACE === window ? 0 : Reflect.ownKeys(PLACE).map(String)", "PLACE === window ? 0 : Object.keys(PLACE)",
        "PLACE === window ? 0 : (() => { const list = []; for (const key in PLACE) list.push(key); return list })()",
        "PLACE.constructor?.name", "PLACE.constructor === Object", "new PLACE.constructor()", "new PLACE()", "PLACE()",
        "PLACE.length", "PLACE.name", "PLACE == '[object Object]'", "`${PLACE}`.slice(0, 60)", "PLACE + ''",
        "Number(PLACE)",
        "Object.getOwnPropertyNames(Object.getPrototypeOf(PLACE)).includes(NAME)", "PLACE.propertyIsEnumerable(NAME)",
        "Object.getPrototypeOf(PLACE) === Object.prototype", "typeof Object.getPrototypeOf(PLACE)?.[NAME]",
        "PLACE === window ? 0 : Object.entries(PLACE)",
        "Object.getPrototypeOf(Object.getPrototypeOf(PLACE)) === Object.prototype",
        "PLACE === window ? 0 : Object.assign({}, PLACE)",
        "PLACE.valueOf() === PLACE", "PLACE === window ? 0 : structuredClone(PLACE)",
        "PLACE.toLocaleString().slice(0, 60)", "[...PLACE]",
        "webkit.messageHandlers.nativeApp === webkit.messageHandlers.nativeApp", "PLACE?.[NAME] === PLACE?.[NAME]",
        "(() => { window.webkit = { messageHandlers: {} }; return typeof webkit.messageHandlers.nativeApp })()",
        "typeof WebKitNamespace", "typeof UserMessageHandler", "typeof UserMessageHandlersNamespace", "typeof bridge",
        "typeof window.bridged",
        "Object.getOwnPropertyDescriptor(Object.getPrototypeOf(PLACE) ?? {}, NAME)?.enumerable",
        "document.scripts.length > 9",
        "Object.getOwnPropertyDescriptor(window, 'webkit')?.get?.name", "Function.prototype.toString.call(PLACE)",
    ]
}
