// Part of bridge.js: built-ins, saved before the page can replace them. The other parts use nothing else: a page may
// replace any built-in, or put a property on `Object.prototype`, and its messages and evaluations still work.
//
// The language calls built-ins, too. So the other parts have no `for…of`, no spread and no destructuring of arrays, no
// `await`, and no methods of arrays, strings, promises or regular expressions. What the page could reach through
// `Object.prototype` or `Array.prototype` is made without a prototype: see `bare`, `define` and `makeList`.
// Tests/web/builtins.test.mjs replaces every built-in in turn, and looks for the forms that are not allowed.

const { Array, ArrayBuffer, Date, Error, Function, JSON, Map, Number, Object, Promise, Proxy } = globalThis
const { Reflect, RegExp, String, Symbol, TypeError, Uint8Array, WeakMap, encodeURIComponent } = globalThis
const { console, crypto, history, location, navigator, origin, performance } = window
const { CustomEvent, DOMException, ErrorEvent, MessageChannel, MutationObserver, SecurityPolicyViolationEvent } = window
const { TextEncoder, URL, WebSocket } = window
/** Firefox gives a window to a second document if the first one was empty. */
let { document } = window
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is: isSame, keys: keysOf, setPrototypeOf } = Object
const { isArray } = Array
const { isView } = ArrayBuffer
const { isFinite } = Number
const { min, random } = window.Math
const { parse, stringify } = JSON
const { apply, construct, defineProperty: tryDefine, deleteProperty, ownKeys } = Reflect
const { fromCharCode } = String
/** A function of the window. In a world of Firefox, the window is not the global object. */
const ofWindow = (name) => window[name] && apply(Function.prototype.bind, window[name], [window])
const clearTimeout = ofWindow("clearTimeout")
const fetch = ofWindow("fetch")
const queueMicrotask = ofWindow("queueMicrotask")
const setTimeout = ofWindow("setTimeout")
const structuredClone = ofWindow("structuredClone")
const { iterator, species, toStringTag } = Symbol
const { canParse } = URL
const datePrototype = Date.prototype
const promisePrototype = Promise.prototype
const stringPrototype = String.prototype
const objectPrototype = Object.prototype
const functionPrototype = Function.prototype
const errorPrototype = Error.prototype
const dataViewPrototype = DataView.prototype
const { log, info, warn, error, debug } = console
const native = { __proto__: null, log, info, warn, error, debug }

const { call: ownCall } = Function.prototype
/**
 * Turns a method into a function: `uncurry(method)(object, ...list)` is `object.method(...list)`. The method gets three
 * arguments, of which those that are missing are undefined.
 *
 * A bound `call` would do, but before JavaScriptCore has optimized the code, it takes ten times as long as `run.call`.
 */
const uncurry = (run) => (object, one, two, three) => {
  return run.call === ownCall ? run.call(object, one, two, three) : apply(run, object, [one, two, three])
}
const lookupGetter = uncurry(Object.prototype.__lookupGetter__)
const charCodeAt = uncurry(String.prototype.charCodeAt)
const slice = uncurry(String.prototype.slice)
/** Chromium has it since version 111, Firefox since 119. */
const isWellFormed = String.prototype.isWellFormed && uncurry(String.prototype.isWellFormed)
const trim = uncurry(String.prototype.trim)
const repeat = uncurry(String.prototype.repeat)
const indexOf = uncurry(String.prototype.indexOf)
const toText = uncurry(Number.prototype.toString)
const exec = uncurry(RegExp.prototype.exec)
const getTime = uncurry(Date.prototype.getTime)
const toISOString = uncurry(Date.prototype.toISOString)
const hasOwn = uncurry(Object.prototype.hasOwnProperty)
const classString = uncurry(Object.prototype.toString)
const errorString = uncurry(Error.prototype.toString)
const functionText = uncurry(Function.prototype.toString)
const encodeUTF8 = uncurry(TextEncoder.prototype.encode)
const byteLengthOf = uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), "byteLength").get)

const lookUp = (type, key) => {
  for (let holder = window[type]?.prototype; holder; holder = getPrototypeOf(holder)) {
    const property = getOwnPropertyDescriptor(holder, key)
    if (property) return property
  }
}
/** A method of the browser: `method("WebSocket", "send")(socket, text)` is `socket.send(text)`. */
const method = (type, name) => {
  const value = lookUp(type, name)?.value
  return value ? uncurry(value) : (object, ...list) => apply(object[name], object, list)
}
/** A getter of the browser: `getter("MessageEvent", "data")(event)` is `event.data`. */
const getter = (type, key) => {
  const get = lookUp(type, key)?.get
  return get ? uncurry(get) : (object) => object[key]
}
const setter = (type, key) => {
  const set = lookUp(type, key)?.set
  return set ? uncurry(set) : (object, value) => (object[key] = value)
}
const { addEventListener } = window.EventTarget.prototype
const listen = uncurry(addEventListener)
const dispatch = method("EventTarget", "dispatchEvent")
const sendBeacon = method("Navigator", "sendBeacon")
const sendFrame = method("WebSocket", "send")
const closeSocket = method("WebSocket", "close")
const postToPort = method("MessagePort", "postMessage")
const goInHistory = method("History", "go")
const now = performance.now && apply(Function.prototype.bind, performance.now, [performance])
const performanceEntries = method("Performance", "getEntriesByType")
const createElement = method("Document", "createElement")
const createElementNS = method("Document", "createElementNS")
const appendChild = method("Node", "appendChild")
const removeElement = method("Element", "remove")
const preventDefault = method("Event", "preventDefault")
const stopPropagation = method("Event", "stopImmediatePropagation")
const eventTypeOf = getter("Event", "type")
const targetOf = getter("Event", "target")
const dataOf = getter("MessageEvent", "data")
const codeOf = getter("CloseEvent", "code")
const reasonOf = getter("CloseEvent", "reason")
const persistedOf = getter("PageTransitionEvent", "persisted")
const rejectionOf = getter("PromiseRejectionEvent", "reason")
const navigationTypeOf = getter("NavigateEvent", "navigationType")
const messageOf = getter("ErrorEvent", "message")
const filenameOf = getter("ErrorEvent", "filename")
const lineOf = getter("ErrorEvent", "lineno")
const columnOf = getter("ErrorEvent", "colno")
const errorOf = getter("ErrorEvent", "error")
const directiveOf = getter("SecurityPolicyViolationEvent", "effectiveDirective")
const blockedOf = getter("SecurityPolicyViolationEvent", "blockedURI")
const statusCodeOf = getter("PerformanceResourceTiming", "responseStatus")
const nameOf = getter("PerformanceEntry", "name")
const titleOf = getter("Document", "title")
const readyStateOf = getter("Document", "readyState")
const visibilityOf = getter("Document", "visibilityState")
const headOf = getter("Document", "head")
const rootOf = getter("Document", "documentElement")
const currentScriptOf = getter("Document", "currentScript")
const setText = setter("HTMLScriptElement", "textContent") // It takes a trusted script, unlike that of Node.
const setReferrerPolicy = setter("HTMLScriptElement", "referrerPolicy")
const setNonce = setter("HTMLScriptElement", "nonce")
const setSource = setter("HTMLScriptElement", "src")
const currentEvent = getOwnPropertyDescriptor(window, "event")?.get.bind(window) ?? (() => undefined)

/** A copy without a prototype: a key that the object does not have is undefined, whatever the page has defined. */
const bare = (object) => ({ __proto__: null, ...object })
const define = (object, key, property) => defineProperty(object, key, bare(property))
const propertyOf = (object, key) => {
  const property = getOwnPropertyDescriptor(object, key)
  return property && bare(property)
}

// These have copies of the methods of Map and WeakMap, so the page can't patch them. They declare constructors, because
// JavaScriptCore's default constructors iterate over an array, which the page can patch as well.
class Table extends Map {
  constructor() {
    super()
  }
}
class WeakTable extends WeakMap {
  constructor() {
    super()
  }
}
for (const type of [Table, WeakTable]) {
  const { prototype } = getPrototypeOf(type)
  for (const name of ["get", "set", "has", "delete", "forEach", "size"]) {
    const property = getOwnPropertyDescriptor(prototype, name)
    if (property) defineProperty(type.prototype, name, property)
  }
}

/**
 * Calls a function when a promise settles, or with any other value. `await` and `Promise.prototype.then` ask a promise
 * for its constructor, so the promise has one of its own for this time.
 */
const then = (value, onFulfilled, onRejected) => {
  const isObject = typeof value === "object" && value !== null
  if (isObject) tryDefine(value, "constructor", { __proto__: null, value: Promise, configurable: true })
  awaitThen(value, onFulfilled, onRejected)
  if (isObject) deleteProperty(value, "constructor")
}
const awaitThen = async (promise, onFulfilled, onRejected) => {
  let value
  try {
    value = await promise
  } catch (error) {
    return onRejected?.(error)
  }
  onFulfilled?.(value)
}

const promiseThen = uncurry(Promise.prototype.then)
/** The promise that `then` returns: it settles one microtask later. The page can't replace its class. */
const derive = (promise, onFulfilled, onRejected) => {
  tryDefine(promise, "constructor", { __proto__: null, value: { __proto__: null, [species]: Promise }, configurable: true })
  const derived = promiseThen(promise, onFulfilled, onRejected)
  deleteProperty(promise, "constructor")
  return derived
}

const isFirefox = "mozInnerScreenX" in window
/** Whether this is a world of Firefox, where what the window makes belongs to the page's world. */
const isSandbox = isFirefox && globalThis !== window
const globalEval = (isSandbox ? globalThis : window).eval
