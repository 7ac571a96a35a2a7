// Runs bridge.js in a fake page. The test acts as the daemon and moves the clock.

import { webcrypto } from "node:crypto"
import { readFileSync } from "node:fs"
import { compileFunction } from "node:vm"
import { ownRealm } from "./realm.mjs"

const read = (name) => readFileSync(new URL(`../../../web/${name}`, import.meta.url), "utf8")

/** bridge.js with its parts, as the daemon puts it together. */
export const source = read("bridge.js").replace(/\/\* bridged:part (\S+) \*\//g, (_, name) => read(`bridge/${name}.js`))

/** Lets every microtask run. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

class FakeEvent extends Event {
  constructor(type, members) {
    super(type, { cancelable: members?.cancelable === true })
    for (const [key, value] of Object.entries(members ?? {})) {
      Object.defineProperty(this, key, { value, configurable: true })
    }
  }
}

class FakePerformance {
  now() { return performance.now() }
  getEntries() { return [] }
  getEntriesByType() { return [] }
  getEntriesByName() { return [] }
}

class FakeClock {
  now = 0
  #timers = new Map()
  #nextID = 1

  setTimeout = (run, delay) => {
    this.#timers.set(this.#nextID, { run, due: this.now + delay })
    return this.#nextID++
  }

  clearTimeout = (id) => this.#timers.delete(id)

  get delays() {
    return [...this.#timers.values()].map(({ due }) => due - this.now)
  }

  advance(ms) {
    this.now += ms
    for (const [id, { run, due }] of this.#timers) {
      if (due <= this.now && this.#timers.delete(id)) run()
    }
  }
}

/**
 * A port whose listeners run one by one, with all microtasks in between, as in a browser. Exceptions go to `report`.
 */
class FakeMessagePort extends EventTarget {
  listeners = []
  #last = Promise.resolve()

  start() {}

  postMessage() {
    this.other.#last = this.other.#last.then(() => this.other.#deliver())
  }

  async #deliver() {
    for (const listener of this.listeners) {
      await turn()
      try {
        listener()
      } catch (error) {
        this.report(error)
      }
    }
  }
}

class FakeMessageChannel {
  constructor(report) {
    this.port1 = Object.assign(new FakeMessagePort(), { report })
    this.port2 = Object.assign(new FakeMessagePort(), { other: this.port1 })
  }
}

/** A class for synchronous requests. `answer(request, body)` returns the status and the text, or throws. */
const makeRequestType = (answer) => class {
  open(method, url, isAsync) { Object.assign(this, { method, url, isAsync }) }
  setRequestHeader(name, value) { this.header = `${name}: ${value}` }
  getResponseHeader(name) { return this.headers?.[name] ?? null }
  send(body) { Object.assign(this, answer(this, JSON.parse(body))) }
}

class FakeNavigator {
  constructor(beacons) {
    this.beacons = beacons
  }

  sendBeacon(url, text) { return this.beacons.push({ url, ...JSON.parse(text) }) }
  get userAgent() { return "fake" }
  get appVersion() { return "fake" }
}

class FakeDocument extends EventTarget {
  running = null // the script element that runs

  createElement() { return { remove() {} } }
  createElementNS() { return { remove() {} } }
  get currentScript() { return this.running }
}

class FakeHistory {
  went = []
  go(delta) { this.went.push(delta) }
}

class FakeTextEncoder {
  encode(text) { return Buffer.from(text) }
}

/** A page's own class, so that a test may replace its methods. */
class FakeURL extends URL {}

class FakeFrame {
  get contentWindow() { return null }
  get contentDocument() { return null }
}

/** A page with bridge.js in it. `sockets` are the connections that it has made, the newest last. */
export class FakePage {
  clock = new FakeClock()
  sockets = []
  beacons = []
  logged = []
  states = []
  loaded = []
  stored = {} // in the tab's storage
  event // the event whose listeners run

  /**
   * @param {object} options
   * @param {object} options.settings additional settings in the script
   * @param {Function} options.answer answers the calls of interface objects
   * @param {(window: object) => void} options.prepare changes the window before bridge.js runs
   * @param {import("./realm.mjs").Realm} options.realm where the page's scripts run, with built-ins of their own
   */
  constructor({
    handlers = [{ name: "nativeApp", replies: false }], globals, url = "http://localhost/", settings, answer,
    prepare, realm = ownRealm
  } = {}) {
    this.answer = answer
    this.realm = realm
    this.handlers = handlers
    this.settings = settings
    this.window = this.#makeWindow(url, globals)
    this.window.document.addEventListener("bridged:state", ({ detail }) => this.states.push(detail.state))
    if (realm !== ownRealm) realm.global.document = this.window.document
    prepare?.(this.window)
    this.load()
  }

  /** Runs bridge.js as its script tag does. */
  load() {
    const { handlers } = this
    const settings = { url: "ws://localhost:2734/page", handlers, userScripts: [], version: "0", ...this.settings }
    const text = source.replace("/* bridged:settings */ null", () => JSON.stringify(settings))
    compileFunction(text, ["window"], { filename: "http://localhost:2734/bridge.js", parsingContext: this.realm.context })(this.window)
  }

  get socket() {
    return this.sockets.at(-1)
  }

  get handler() {
    return this.window.webkit.messageHandlers.nativeApp
  }

  /** Answers `page.attach`. */
  accept(result = {}) {
    const { handlers } = this
    const whole = { page: "p1", resumed: false, lastSeq: 0, handlers, maxMessageBytes: 1_000_000, ...result }
    this.receive({ id: "attach", result: whole })
  }

  /** Opens the newest socket, answers its `page.attach`, and forgets all earlier frames. */
  async attach(result) {
    this.socket.emit("open")
    this.accept(result)
    await turn()
    this.socket.sent.splice(0)
  }

  /** Receives frames from the daemon. */
  receive(...frames) {
    const list = frames.map((frame) => ({ jsonrpc: "2.0", ...frame }))
    this.socket.emit("message", { data: JSON.stringify(list.length === 1 ? list[0] : list) })
  }

  /** Receives a request from the daemon, and waits for the page's response. */
  async call(method, params, id = 1) {
    this.receive({ id, method, params })
    return this.response(id)
  }

  async response(id) {
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = this.frames.find((frame) => frame.id === id && !frame.method)
      if (found) return found
      await turn()
    }
    return undefined
  }

  /** All frames on the newest socket, those of batches one by one. */
  get frames() {
    return this.socket.sent.flatMap((text) => JSON.parse(text))
  }

  sent(method) {
    return this.frames.filter((frame) => frame.method === method)
  }

  /** Posts a value, and returns what the page sent for it. */
  async cross(value) {
    this.handler.postMessage(value)
    await turn()
    const { body, types } = this.sent("message.post").at(-1)?.params ?? {}
    return { body, types }
  }

  #makeWindow(url, globals) {
    const page = this
    class FakeWebSocket extends EventTarget {
      sent = []

      constructor(url, protocols) {
        super()
        Object.assign(this, { url, protocols: typeof protocols === "string" ? [protocols] : [...protocols] })
        page.sockets.push(this)
      }

      send(text) {
        this.sent.push(text)
      }

      close() {}

      emit(type, members) {
        this.dispatchEvent(new FakeEvent(type, members))
      }
    }
    /** bridge.js changes the prototype, so each page has its own class. */
    class PageEventTarget extends EventTarget {
      addEventListener(...list) { this.listeners?.push(list[1]) ?? super.addEventListener(...list) }
      removeEventListener(...list) {
        if (this.listeners) this.listeners = this.listeners.filter((listener) => listener !== list[1])
        else super.removeEventListener(...list)
      }
      dispatchEvent(event) { return super.dispatchEvent(event) }
    }
    const document = Object.assign(new FakeDocument(), {
      title: "A page", readyState: "loading", visibilityState: "visible",
      head: { children: [], appendChild: (script) => this.#runScript(script) },
      documentElement: { appendChild: (script) => this.loaded.push(script.src) }
    })
    const report = (error) => this.#report(error)
    const window = Object.assign(new PageEventTarget(), {
      DOMException, EventTarget: PageEventTarget, TextEncoder: FakeTextEncoder, URL: FakeURL,
      crypto: webcrypto, queueMicrotask,
      eval: this.realm.eval,
      structuredClone: this.realm.structuredClone,
      document, Document: FakeDocument, WebSocket: FakeWebSocket,
      XMLHttpRequest: makeRequestType((request, body) => this.answer(request, body)),
      MessagePort: FakeMessagePort,
      MessageChannel: class extends FakeMessageChannel { constructor() { super(report) } },
      setTimeout: this.clock.setTimeout, clearTimeout: this.clock.clearTimeout,
      location: { href: url, origin: new URL(url).origin }, history: new FakeHistory(), History: FakeHistory, origin: new URL(url).origin,
      navigator: new FakeNavigator(this.beacons), Navigator: FakeNavigator,
      HTMLIFrameElement: FakeFrame, HTMLFrameElement: FakeFrame, HTMLObjectElement: FakeFrame,
      performance: new FakePerformance(), Performance: FakePerformance, close() {},
      console: Object.fromEntries(["log", "info", "warn", "error", "debug"].map((level) =>
        [level, (...list) => this.logged.push({ level, text: list.join(" ") })])),
      MutationObserver: class { observe() {} },
      CustomEvent: FakeEvent, ErrorEvent: FakeEvent,
      sessionStorage: {
        getItem: (key) => this.stored[key] ?? null,
        setItem: (key, value) => (this.stored[key] = value),
        removeItem: (key) => delete this.stored[key]
      },
      Math: { min: Math.min, random: () => 1 },
      ...globals
    })
    window.top ??= window
    Object.defineProperty(window, "event", { get: () => this.event, configurable: true })
    return window
  }

  /** Runs a script element as a browser does when it is added to the document. */
  #runScript(script) {
    const { document } = this.window
    const { global, run } = this.realm
    if (global.document !== document) global.document = document
    document.running = script
    try {
      run(script.textContent, { filename: "http://localhost/" })
    } catch (error) {
      this.#report(error)
    } finally {
      document.running = null
      if (global === globalThis) delete global.document
    }
  }

  #report(error) {
    const position = /(?:<anonymous>|http:\/\/localhost\/|app:[^:]*):(\d+):(\d+)/
    const [, line = 0, column = 0] = position.exec(error?.stack) ?? []
    const [filename = "http://localhost/"] = /app:[^:]*/.exec(error?.stack) ?? []
    const place = { filename, lineno: Number(line), colno: Number(column) }
    const text = typeof error === "object" && error ? Error.prototype.toString.call(error) : String(error)
    this.dispatch("error", { message: `Uncaught ${text}`, error, ...place })
  }

  /** Breaks the connection as a daemon does that ends. */
  disconnect(code = 1006, reason = "") {
    this.socket.emit("close", { code, reason })
  }

  dispatch(type, members) {
    this.window.dispatchEvent(new FakeEvent(type, members))
  }
}

/** A page that is attached. */
export const attachedPage = async (options, result) => {
  const page = new FakePage(options)
  await page.attach(result)
  return page
}
