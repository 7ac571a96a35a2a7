// A fake page in an app of its own: WebKit's message handlers, or Android's interface objects, which are not bridge.js's.

import { FakePage, turn } from "./page.mjs"
import { makeRealm } from "./realm.mjs"

/** Classes that look like WebKit's. `bind` makes functions print as native code. */
const APP = `((window, answer) => {
  const natives = new WeakMap()
  const { toString } = Function.prototype
  Function.prototype.toString = { toString() {
    return natives.has(this) ? "function " + natives.get(this) + "() { [native code] }" : toString.call(this)
  } }.toString
  natives.set(Function.prototype.toString, "toString")
  const native = (name, run) => (natives.set(run, name), run)
  class UserMessageHandler { }
  class UserMessageHandlersNamespace { }
  class WebKitNamespace { }
  for (const type of [UserMessageHandler, UserMessageHandlersNamespace, WebKitNamespace]) {
    Object.defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true })
    Object.defineProperty(window, type.name, { value: type, writable: true, configurable: true })
  }
  const names = new Map()
  const postMessage = { postMessage(body) {
    if (!names.has(this)) return Promise.reject(new TypeError("Can only call UserMessageHandler.postMessage on instances of UserMessageHandler"))
    if (arguments.length === 0) return Promise.reject(new TypeError("Not enough arguments"))
    return new Promise((resolve, reject) => answer(names.get(this), body).then(resolve, reject))
  } }.postMessage
  Object.defineProperty(UserMessageHandler.prototype, "postMessage", {
    value: native("postMessage", postMessage), writable: true, enumerable: true, configurable: true
  })
  const namespace = new UserMessageHandlersNamespace()
  for (const name of ["camera", "nativeApp", "turbo"]) {
    const handler = new UserMessageHandler()
    names.set(handler, name)
    Object.defineProperty(namespace, name, { value: handler, configurable: true })
  }
  const webkit = new WebKitNamespace()
  const get = Object.getOwnPropertyDescriptor({ get messageHandlers() { return this === webkit ? namespace : undefined } }, "messageHandlers").get
  Object.defineProperty(WebKitNamespace.prototype, "messageHandlers", { get: native("messageHandlers", get), enumerable: true, configurable: true })
  Object.defineProperty(window, "webkit", { value: webkit, enumerable: true })
})`

const ANDROID = `((window, object, methods) => {
  const natives = {}
  for (const name of Object.keys(methods)) natives[name] = methods[name].bind(natives)
  Object.defineProperty(window, object, { value: natives, writable: true, enumerable: true, configurable: true })
})`

/** A page in an app for iOS. `answer(handler, body)` returns what native code answers. */
export class AppPage extends FakePage {
  constructor({ answer = () => Promise.resolve(undefined), realm = makeRealm(), prepare, ...options } = {}) {
    super({ ...options, realm, prepare: (window) => {
      realm.run(APP)(window, answer)
      prepare?.(window)
    } })
  }

  run(source) {
    const { global, run } = this.realm
    global.window = this.window
    return run(source, { filename: this.window.location.href })
  }

  /** The response to a request of the daemon, which follows the entries. */
  async ask(method, params, id = 1) {
    this.receive({ id, method, params })
    await this.entries()
    return this.response(id)
  }

  /** The entries that were sent on the newest socket. The clock moves, because they are written later. */
  async entries() {
    for (let index = 0; index < 5; index++) {
      await turn()
      this.clock.advance(0)
    }
    return this.sent("page.observed").flatMap(({ params }) => params.entries)
  }
}


export const addInterface = (realm, window, object, methods) => realm.run(ANDROID)(window, object, methods)
