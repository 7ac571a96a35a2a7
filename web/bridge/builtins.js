// Part of bridge.js: built-ins, saved before the page can patch them. For the same reason, the code that a message
// passes through uses no iterators, no array methods and no `then` of the page's.

const { console, crypto, document, history, location, navigator, performance } = window
const { CustomEvent, DOMException, Error, ErrorEvent, Function, MessageChannel, Promise } = window
const { Proxy, TypeError, URL, WebSocket, clearTimeout, fetch, queueMicrotask, setTimeout, structuredClone } = window
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is: isSame, keys: keysOf } = Object
const { isArray } = Array
const { isView } = ArrayBuffer
const { isFinite } = Number
const { min } = Math
const { parse, stringify } = JSON
const { apply } = Reflect
const globalEval = window.eval
const currentEvent = getOwnPropertyDescriptor(window, "event")?.get.bind(window) ?? (() => undefined)

/** Turns a method into a function: `uncurry(method)(object, ...list)` is `object.method(...list)`. */
const uncurry = Function.prototype.bind.bind(Function.prototype.call)
const charCodeAt = uncurry(String.prototype.charCodeAt)
const slice = uncurry(String.prototype.slice)
const replace = uncurry(String.prototype.replace)
const exec = uncurry(RegExp.prototype.exec)
const getTime = uncurry(Date.prototype.getTime)
const toISOString = uncurry(Date.prototype.toISOString)
const hasOwn = uncurry(Object.prototype.hasOwnProperty)
const classString = uncurry(Object.prototype.toString)
const errorString = uncurry(Error.prototype.toString)
const then = uncurry(Promise.prototype.then)
const encodeUTF8 = uncurry(TextEncoder.prototype.encode)
const sendBeacon = uncurry(navigator.sendBeacon)
const sendFrame = uncurry(WebSocket.prototype.send)
const listen = uncurry(window.EventTarget.prototype.addEventListener)
const dispatch = uncurry(window.EventTarget.prototype.dispatchEvent)
const datePrototype = Date.prototype
const stringPrototype = String.prototype
const objectPrototype = Object.prototype
const dataViewPrototype = DataView.prototype
const { log, info, warn, error, debug } = console
const native = { log, info, warn, error, debug }

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
  for (const name of ["get", "set", "has", "delete", "forEach"]) {
    if (prototype[name]) defineProperty(type.prototype, name, { value: prototype[name] })
  }
}
