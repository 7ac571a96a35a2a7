/**
 * The page's half of bridged: WKWebView's message handlers in any browser. First in <head>:
 *
 *     <script src="http://localhost:2734/bridge.js" data-web-view="main"></script>
 *
 * The web view may be named in the page's address, too: `?bridged-web-view=modal`. A tab keeps it.
 * `document.bridged` is `{state, page, url, webView}`: "connecting", "connected" or "away", the daemon's id of this
 * document or null, its WebSocket, and the web view's name. `document` gets "bridged:state" with `detail: {state, page,
 * attempt}` at each change.
 */
(function start(tag, isOwn) {
  "use strict"

  const settings = /* bridged:settings */ null

  // A policy may ask for trusted types, and list `bridged` as one that may be made.
  const plain = { createScript: (text) => text, createScriptURL: (url) => url }
  const makeTrust = () => {
    try {
      return window.trustedTypes.createPolicy("bridged", plain)
    } catch {
      return plain
    }
  }
  const trust = tag?.trust ?? makeTrust()

  if (isOwn) window.document.currentScript.remove()

  // What a script of another origin throws or rejects is muted ("Script error."), and so is what it evaluates.
  // Therefore the text runs once more, as the document's own, where its policy has nothing against that.
  if (!isOwn && tag?.src && new window.URL(tag.src).origin !== window.location.origin) {
    const script = window.document.createElement("script")
    script.nonce = tag.nonce
    script.tag = tag
    tag.trust = trust
    const text = `(${start})(document.currentScript.tag, document.currentScript.hasRun = true)`
    script.textContent = trust.createScript(text)
    tag.after(script)
    script.remove()
    if (script.hasRun) return
  }

  let nonce = tag?.nonce ?? ""

  // Built-ins, taken before the page patches them. For the same reason a message passes no iterator, array method or
  // `then` on its way.

  const { console, crypto, document, history, location, navigator, performance } = window
  const { CustomEvent, DOMException, Error, ErrorEvent, Function, MessageChannel, Promise } = window
  const { Proxy, TypeError, URL, WebSocket, clearTimeout, fetch, queueMicrotask, setTimeout, structuredClone } = window
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, keys: keysOf } = Object
  const { isArray } = Array
  const { isView } = ArrayBuffer
  const { isFinite } = Number
  const { min } = Math
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const globalEval = window.eval
  const currentEvent = getOwnPropertyDescriptor(window, "event")?.get.bind(window) ?? (() => undefined)

  /** `uncurry(method)(object, ...args)` */
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

  /** With methods of their own, which the page can't patch. (A default constructor asks JavaScriptCore's arrays to iterate.) */
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

  const MAX_KEPT = 10_000
  const MAX_KEPT_BYTES = 64 * 1024 * 1024
  const MAX_BEACON_BYTES = 60 * 1024
  const MAX_DEPTH = 2_000 // The daemon's JSON parser stops at 2,048 levels, the envelope included.
  const TOO_DEEP = `value nested more than ${MAX_DEPTH} levels deep`
  const MAX_ENTRY_LENGTH = 10_000
  const MAX_ENTRIES_PER_SECOND = 100
  const MAX_ENTRIES_KEPT = 1_000
  const FIRST_RETRY_MS = 100
  const LAST_RETRY_MS = 5_000

  const LAST_LEFT = "bridged-left"

  /** What a tab keeps from document to document. A sandbox has no such thing. */
  const tab = {
    get(key) {
      try {
        return window.sessionStorage.getItem(key)
      } catch {
        return null
      }
    },
    set(key, value) {
      try {
        window.sessionStorage.setItem(key, value)
      } catch {}
    },
    remove(key) {
      try {
        window.sessionStorage.removeItem(key)
      } catch {}
    }
  }

  const utf8 = new TextEncoder()
  const byteLength = (text) => encodeUTF8(utf8, text).byteLength
  const clip = (text) => (text.length > MAX_ENTRY_LENGTH ? `${slice(text, 0, MAX_ENTRY_LENGTH)}… (cut)` : text)

  // With the u flag a surrogate matches only where it stands alone.
  const hasLoneSurrogate = (text) => exec(/[\ud800-\udfff]/u, text) !== null
  const wellFormed = (text) => (hasLoneSurrogate(text) ? replace(text, /[\ud800-\udfff]/gu, "\ufffd") : text)
  const quote = (text) => stringify(wellFormed(text))

  /** The object has no prototype, or the page's `toJSON` would be asked. */
  const json = (object) => stringify(object, (_, value) => (typeof value === "string" ? wellFormed(value) : value))
  const frame = (id, members) => `{"jsonrpc":"2.0",${id === undefined ? "" : `"id":${stringify(id)},`}${members}}`
  const call = (method, params, id) => frame(id, `"method":"${method}","params":${params}`)
  const failure = (id, code, message, data) => frame(id, `"error":${json({ __proto__: null, code, message, data })}`)

  const typeName = (value) => (typeof value === "object" ? slice(classString(value), 8, -1) : typeof value)

  /** A value for the log. Runs no getters. */
  const describe = (value, depth = 0) => {
    if (typeof value === "string") return depth > 0 ? quote(value) : value
    if (typeof value === "function") return `function ${value.name}`
    if (value === null || typeof value !== "object") return String(value)
    const type = typeName(value)
    if (/Error|Exception/.test(type)) return String(value.stack || errorString(value))
    if (!/^(Object|Array)$/.test(type) || depth > 3) return `[object ${type}]`
    const parts = keysOf(value).slice(0, 50).map((key) => {
      const property = getOwnPropertyDescriptor(value, key)
      const text = property.get ? "(getter)" : describe(property.value, depth + 1)
      return type === "Array" ? text : `${key}: ${text}`
    })
    return type === "Array" ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`
  }

  /** As the console prints it; `%c` styles are left out. */
  const formatArguments = (list) => {
    const rest = [...list]
    const fill = (match) => (rest.length === 0 ? match : match === "%c" ? (rest.shift(), "") : describe(rest.shift()))
    const first = typeof rest[0] === "string" ? [rest.shift().replace(/%[sdifoOc]/g, fill)] : []
    return [...first, ...rest.map((value) => describe(value))].join(" ")
  }

  /** Thrown for a value that WebKit does not carry. */
  class Uncloneable {
    constructor(value, type) {
      this.value = value
      this.type = type
    }

    /** The culprit's JSON Pointer and type. May run getters and Proxy traps. */
    find() {
      const seen = new Set()
      const search = (value, at) => {
        if (seen.has(value) || isCloneable(value)) return null
        seen.add(value)
        const type = typeName(value)
        if (!/^(Object|Array)$/.test(type)) return { at, type }
        let culprit = { at, type: "Proxy" } // It is refused, and nothing in it is.
        for (const key of keysOf(value)) {
          const property = getOwnPropertyDescriptor(value, key)
          const place = `${at}/${escapeToken(key)}`
          const found = property.get ? null : search(property.value, place)
          if (found) return found
          if (property.get) culprit = { at: place, type: "getter" }
        }
        return culprit
      }
      try {
        return (!this.type && search(this.value, "")) || { at: "", type: this.type ?? typeName(this.value) }
      } catch {
        return { at: "", type: "Proxy" } // A trap threw.
      }
    }
  }

  const isCloneable = (value) => {
    try {
      structuredClone(value)
      return true
    } catch {
      return false
    }
  }

  const wholeIsUndefined = {}

  // RFC 6901, section 3
  const escapeToken = (key) => (exec(/[~/]/, key) ? replace(replace(key, /~/g, "~0"), /\//g, "~1") : key)

  /** Prints a value as JSON with its `types` (protocol: "Script values"). */
  class ScriptValueEncoder {
    #types = ""
    #places = new Table()
    #isBody

    /** @returns {string} the members `"NAME":…` and, where needed, `"types":…` @throws {Uncloneable} */
    static members(name, value) {
      const encoder = new ScriptValueEncoder()
      encoder.#isBody = name === "body"
      try {
        const text = encoder.#write(snapshot(value), null, "", 0)
        return `"${name}":${text}${encoder.#types && `,"types":{${encoder.#types}}`}`
      } catch (error) {
        if (error === wholeIsUndefined) return `"${name}":null,"types":{"":"undefined"}`
        throw error instanceof Uncloneable ? error : new Uncloneable(value, TOO_DEEP) // The stack is full.
      }
    }

    /** `parent` is the container's own `{parent, key}`, or null. */
    #write(value, parent, key, depth) {
      switch (typeof value) {
        case "string":
          return hasLoneSurrogate(value) ? this.#mark("utf16", units(value), parent, key) : stringify(value)
        case "number":
          if (isFinite(value) && !is(value, -0)) return `${value}`
          return this.#mark("number", is(value, -0) ? '"-0"' : `"${value}"`, parent, key)
        case "boolean": return `${value}`
        case "object": return value === null ? "null" : this.#writeObject(value, parent, key, depth)
        default: return this.#mark("undefined", "null", parent, key) // BigInt, too
      }
    }

    #writeObject(value, parent, key, depth) {
      const prototype = getPrototypeOf(value)
      if (prototype === datePrototype) {
        return this.#mark("date", isFinite(getTime(value)) ? `"${toISOString(value)}"` : "null", parent, key)
      }
      const first = this.#places.get(value)
      if (first) return this.#mark("ref", quote(pointer(first.parent, first.key)), parent, key)
      if (depth > MAX_DEPTH) throw new Uncloneable(value, TOO_DEEP)
      const place = { parent, key }
      this.#places.set(value, place)
      const isList = isArray(value)
      const isIndexed = prototype === stringPrototype || (isView(value) && prototype !== dataViewPrototype)
      if (!isList && !isIndexed && prototype !== objectPrototype) return platformValue(value)
      const keys = isList ? value : keysOf(value)
      let text = ""
      for (let index = 0; index < keys.length; index++) {
        const name = isList ? `${index}` : keys[index]
        if (name === "__proto__" && this.#isBody) continue
        const member = hasOwn(value, name) ? value[name] : undefined // a hole
        text += `${text && ","}${isList ? "" : `${quote(name)}:`}${this.#write(member, place, name, depth + 1)}`
      }
      return isList ? `[${text}]` : `{${text}}`
    }

    #mark(type, text, parent, key) {
      this.#types += `${this.#types && ","}${quote(pointer(parent, key))}:"${type}"`
      return text
    }
  }

  /** WebKit empties Map, Set, RegExp, Error … */
  const platformValue = (value) => {
    const type = typeName(value)
    if (exec(/^DOM/, type)) throw wholeIsUndefined // Even around a DOMRect or DOMException.
    return exec(/^(Blob|File|FileList|ImageData)$/, type) ? "null" : "{}"
  }

  const pointer = (parent, key) => (parent ? `${pointer(parent.parent, parent.key)}/${escapeToken(key)}` : "")

  const units = (text) => {
    let list = ""
    for (let index = 0; index < text.length; index++) list += (index > 0 ? "," : "") + charCodeAt(text, index)
    return `[${list}]`
  }

  const languageNamespaces = new WeakTable()
  for (const name of ["Math", "JSON", "Reflect", "Intl", "Atomics", "WebAssembly"]) {
    if (window[name]) languageNamespaces.set(window[name], name)
  }

  /** Structured clone refuses what WebKit refuses, runs getters once, in order, and asks no `toJSON`. */
  const snapshot = (value) => {
    if (value === null || !exec(/^(object|function|symbol)$/, typeof value)) return value
    if (languageNamespaces.has(value)) throw new Uncloneable(value)
    try {
      return structuredClone(value)
    } catch (error) {
      throw new Uncloneable(value, error?.name === "RangeError" ? TOO_DEEP : undefined)
    }
  }

  const decoders = {
    undefined: () => undefined,
    date: (text) => new Date(text ?? NaN),
    number: Number,
    utf16: (list) => list.map((unit) => String.fromCharCode(unit)).join("")
  }

  /** As in WebKit, properties are set, not defined: `__proto__` is the prototype, and a setter of the page's runs. */
  const decodeScriptValue = (value, types = {}) => {
    const root = { whole: value }
    const locate = (path) => {
      const tokens = `whole${path}`.split("/").map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"))
      const key = tokens.pop()
      return { holder: Object(tokens.reduce((at, token) => at?.[token], root)), key }
    }
    const follow = (path) => {
      const { holder, key } = locate(path)
      return holder[key]
    }
    const decode = (path, change) => {
      const { holder, key } = locate(path)
      defineProperty(holder, key, { value: change(holder[key]) })
    }
    const paths = keysOf(types)
    for (const path of paths) if (types[path] !== "ref") decode(path, decoders[types[path]])
    for (const path of paths) if (types[path] === "ref") decode(path, follow)
    const made = new Table()
    const make = (value) => {
      if (typeof value !== "object" || value === null || getPrototypeOf(value) === datePrototype) return value
      if (made.has(value)) return made.get(value)
      const copy = isArray(value) ? [] : {}
      made.set(value, copy)
      for (const key of keysOf(value)) copy[key] = make(value[key])
      return copy
    }
    return make(root.whole)
  }

  /** A Proxy around a function prints as native code; around an object, structured clone refuses it. */
  const disguise = (target, traps = {}) => new Proxy(target, traps)

  /** The window of an initial about:blank goes on with the document that is loaded next. */
  const isReusable = () => location.href === "about:blank"

  const isFrame = window !== window.top

  /** In a frame that was removed there are no handlers any more. */
  const isDetached = () => window.top === null

  const constructionKey = {}
  const requireKey = (key) => {
    if (key !== constructionKey) throw new TypeError("Illegal constructor")
  }

  class WebKitNamespace {
    constructor(key) {
      requireKey(key)
    }

    get messageHandlers() {
      return namespaces.get(this)
    }
  }

  class UserMessageHandlersNamespace {
    constructor(key) {
      requireKey(key)
    }
  }

  class UserMessageHandler {
    constructor(key) {
      requireKey(key)
    }

    /** @param {unknown} body @returns {Promise<unknown>} the handler's reply, or undefined once a plain one has run */
    postMessage(body) {
      const registration = registrations.get(this)
      if (!registration) {
        const text = "Can only call UserMessageHandler.postMessage on instances of UserMessageHandler"
        return rejected(new TypeError(text))
      }
      if (arguments.length === 0) return rejected(new TypeError("Not enough arguments"))
      const { name, replies, outbox, isRetired } = registration
      if (isRetired || isDetached()) {
        const text = "The object does not support the operation or argument."
        return rejected(new DOMException(text, "InvalidAccessError"))
      }
      try {
        const outcome = outbox.post(name, replies, ScriptValueEncoder.members("body", body))
        return outbox === bridge.outbox ? outcome : ofThisRealm(outcome)
      } catch (error) {
        // Later, because the search may run Proxy traps, and WebKit runs none.
        queueMicrotask(() => tellUncloneable(name, error))
        return new Promise(() => {})
      }
    }
  }

  const namespaces = new WeakTable() // WebKitNamespace → its `messageHandlers`
  /** UserMessageHandler → `{name, replies, outbox, isRetired}`; frames that got this file from their parent share it. */
  const registrations = tag?.registrations ?? new WeakTable()

  /** A method that is borrowed for another frame's handler answers in its own realm. */
  const ofThisRealm = (outcome) =>
    new Promise((resolve, reject) => {
      then(outcome, (value) => resolve(structuredClone(value)), (error) => reject(new Error(error.message)))
    })

  const rejected = (reason) => new Promise((_, reject) => reject(reason))

  const tellUncloneable = (name, error) => {
    const { at, type } = error.find()
    const what = `the value${at && ` at ${at}`} is a ${type}, which WebKit does not deliver`
    tell("warn", `postMessage to "${name}": ${what}. The promise stays pending, as there. Post plain data.`)
  }

  /** As a class of the browser's own: what it has prints as native code, and its members can be listed. */
  const publish = (type, members) => {
    const { name, prototype } = type
    const value = disguise(type)
    for (const member of members) {
      const property = getOwnPropertyDescriptor(prototype, member)
      for (const key of ["value", "get"]) if (property[key]) property[key] = disguise(property[key])
      defineProperty(prototype, member, { ...property, enumerable: true })
    }
    defineProperty(prototype, "constructor", { value })
    defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true })
    defineProperty(window, name, { value, writable: true, configurable: true })
  }
  publish(UserMessageHandler, ["postMessage"])
  publish(UserMessageHandlersNamespace, [])
  publish(WebKitNamespace, ["messageHandlers"])

  class MessageHandlers {
    #handlers = new Table() // name → UserMessageHandler
    #outbox
    #namespace = disguise(new WebKitNamespace(constructionKey))
    #isShown = false
    #replacement = null // `{value}`, once the page has assigned to `webkit`

    constructor(outbox) {
      this.#outbox = outbox
      const find = (key) => (isDetached() ? undefined : this.#handlers.get(key))
      // As in WebKit, a handler is there by its name, and in no listing.
      namespaces.set(this.#namespace, disguise(new UserMessageHandlersNamespace(constructionKey), {
        has: (target, key) => key in target || find(key) !== undefined,
        get: (target, key) => (key in target ? target[key] : find(key)),
        getOwnPropertyDescriptor(target, key) {
          const value = key in target ? undefined : find(key)
          if (value === undefined) return getOwnPropertyDescriptor(target, key)
          return { value, writable: false, enumerable: true, configurable: true }
        }
      }))
    }

    update(list) {
      const handlers = new Table()
      for (let index = 0; index < list.length; index++) {
        const { name, replies } = list[index]
        const known = this.#handlers.get(name)
        handlers.set(name, known && registrations.get(known).replies === replies ? known : this.#make(name, replies))
      }
      this.#handlers.forEach((handler, name) => {
        if (handlers.get(name) !== handler) registrations.get(handler).isRetired = true
      })
      this.#handlers = handlers
      this.#show()
    }

    #make(name, replies) {
      const handler = disguise(new UserMessageHandler(constructionKey))
      registrations.set(handler, { name, replies, outbox: this.#outbox, isRetired: false })
      return handler
    }

    /** There while a handler is: it can be replaced, but neither deleted nor redefined. */
    #show() {
      if (this.#isShown || this.#handlers.size === 0) return
      if ("webkit" in window && typeName(window.webkit) !== "WebKitNamespace") return // the page's own
      this.#isShown = true
      const get = () => {
        if (this.#replacement) return this.#replacement.value
        return this.#handlers.size === 0 || isDetached() ? undefined : this.#namespace
      }
      const set = (value) => (this.#replacement = { value })
      const configurable = isReusable()
      defineProperty(window, "webkit", { get: disguise(get), set: disguise(set), enumerable: true, configurable })
    }
  }

  /** Sends what one turn queued as one batch, and keeps each message until it is acknowledged. */
  class Outbox {
    #connection
    #seq = 0
    #oldest = 1
    #kept = new Table() // seq → message
    #keptBytes = 0
    #replies = new Table() // seq → message
    #held = [] // messages without a number
    #isHolding = false
    #ready = [] // `{message}`, `{text, isLasting}` or `{text, isResponse}`
    #isScheduled = false
    #isRefusing = false
    #leaving = null // the head of beacons, while the page goes away
    #isSuspended = false
    #isLingering = false
    #document = null

    constructor(connection) {
      this.#connection = connection
    }

    get lastingCount() {
      return this.#connection.isOpen ? 0 : this.#ready.length
    }

    post(name, replies, members) {
      const message = { name, replies, members }
      message.promise = new Promise((resolve, reject) => {
        message.resolve = resolve
        message.reject = reject
      })
      if (this.#isHolding && currentEvent()?.type === "beforeunload") this.#held[this.#held.length] = message
      else this.#number(message)
      return message.promise
    }

    /** What is posted by listeners of `beforeunload` comes behind what else is posted until `release`. */
    hold() {
      this.#isHolding = true
    }

    release() {
      const held = this.#held
      this.#held = []
      this.#isHolding = false
      for (let index = 0; index < held.length; index++) this.#number(held[index])
    }

    #number(message) {
      message.seq = this.#seq + 1
      message.params = `{"seq":${message.seq},"handler":${quote(message.name)},${message.members}}`
      message.bytes = byteLength(message.params)
      const isFull = this.#kept.size >= MAX_KEPT || this.#keptBytes + message.bytes > MAX_KEPT_BYTES
      if (isFull) this.#refuse(message)
      else this.#keep(message)
    }

    /** Only a lasting frame waits for a connection. */
    send(text, isLasting = false) {
      this.#add({ text, isLasting })
    }

    /** To what the daemon asked. It leaves with the page, too. */
    respond(text) {
      this.#add({ text, isResponse: true })
    }

    /** Of a frame that was removed from a page that stays: until all is answered. */
    linger() {
      this.#isLingering = true
      this.#flush()
      this.#endLingering()
    }

    #endLingering() {
      if (this.#isLingering && this.#kept.size === 0 && this.#replies.size === 0) this.#connection.close()
    }

    acknowledge(seq) {
      for (; this.#oldest <= min(seq, this.#seq); this.#oldest++) {
        const message = this.#take(this.#oldest)
        if (message && !message.replies) message.resolve(undefined)
      }
      this.#endLingering()
    }

    settle(seq, { result, error }) {
      const message = this.#replies.get(seq)
      if (!message) return
      this.#take(seq)
      this.#replies.delete(seq)
      this.#endLingering()
      if (!error) return message.resolve(decodeScriptValue(result?.value, result?.types))
      const reason = new Error(replyErrorText(message.name, error))
      for (const key of ["stack", "fileName", "lineNumber", "columnNumber"]) delete reason[key] // WebKit's has none.
      message.reject(reason)
    }

    /** Queues what the daemon has not got. */
    resume({ resumed, lastSeq }) {
      this.acknowledge(lastSeq)
      this.#replies.forEach((message, seq) => {
        if (resumed || this.#kept.has(seq)) return
        this.#replies.delete(seq)
        fail(message, "the daemon started again before the handler replied")
      })
      const others = this.#ready
      this.#ready = []
      for (let index = 0; index < others.length; index++) if (!others[index].message) this.#add(others[index])
      for (let seq = this.#oldest; seq <= this.#seq; seq++) {
        if (this.#kept.has(seq)) this.#add({ message: this.#kept.get(seq) })
      }
    }

    disconnected() {
      this.#ready = this.#ready.filter((item) => item.isLasting)
    }

    /**
     * Until `stay`, messages go by beacon as well: nobody waits for a leaving page's socket.
     * @param {string} attach what introduces a document that never attached, as a member; else ""
     */
    leave(document, attach) {
      this.#flush()
      this.#document = document
      this.#leaving = `"document":"${document}"${attach}`
      this.#sendBeacons([])
    }

    /** As in WebKit, nothing comes from a page that is kept for the way back, until it is shown again. */
    suspend() {
      this.#isSuspended = this.#leaving !== null
    }

    stay() {
      this.#leaving = null
      this.#isSuspended = false
    }

    #keep(message) {
      this.#isRefusing = false
      this.#seq = message.seq
      this.#kept.set(message.seq, message)
      this.#keptBytes += message.bytes
      if (message.replies) this.#replies.set(message.seq, message)
      this.#add({ message })
    }

    #add(item) {
      if (!item.isLasting && !this.#connection.isOpen && this.#leaving === null) return
      this.#ready[this.#ready.length] = item
      if (this.#isLingering || (this.#leaving !== null && isFrame)) return this.#flush() // It runs no microtasks any more.
      if (this.#isScheduled) return
      this.#isScheduled = true
      queueMicrotask(() => this.#flush())
    }

    #flush() {
      this.#isScheduled = false
      const ready = this.#ready
      if (this.#leaving === null && !this.#connection.isOpen) return
      this.#ready = []
      if (this.#connection.isOpen) this.#sendFrames(ready)
      if (this.#leaving !== null && !this.#isSuspended) this.#sendBeacons(this.#connection.isOpen ? [] : ready)
    }

    #sendFrames(items) {
      const limit = this.#connection.maxMessageBytes
      const texts = []
      for (let index = 0; index < items.length; index++) {
        const text = frameText(items[index])
        const bytes = byteLength(text)
        if (items[index].message && bytes > limit) this.#drop(items[index].message, bytes, limit)
        else texts[texts.length] = text
      }
      inBatches(texts, limit - 2, (batch, count) => this.#connection.send(count > 1 ? `[${batch}]` : batch))
    }

    /** All that is kept, each time: beacons overtake each other, and the daemon takes messages in order, once. */
    #sendBeacons(items) {
      const texts = []
      this.#kept.forEach((message) => (texts[texts.length] = call("message.post", message.params)))
      for (let index = 0; index < items.length; index++) {
        if (items[index].isResponse) texts[texts.length] = items[index].text
      }
      inBatches(texts, MAX_BEACON_BYTES, (batch) => this.#connection.beacon(`{${this.#leaving},"messages":[${batch}]}`))
      // So that the next document's messages come behind these.
      if (!isFrame) tab.set(LAST_LEFT, json({ __proto__: null, document: this.#document, seq: this.#seq }))
    }

    #take(seq) {
      const message = this.#kept.get(seq)
      this.#kept.delete(seq)
      this.#keptBytes -= message?.bytes ?? 0
      return message
    }

    #refuse(message) {
      fail(message, "too many messages wait for the daemon")
      if (this.#isRefusing) return
      this.#isRefusing = true
      const waiting = `${this.#kept.size} of ${MAX_KEPT} messages, ${this.#keptBytes} of ${MAX_KEPT_BYTES} bytes`
      tell("error", `${waiting} wait for the daemon; further ones are refused.`)
    }

    #drop(message, bytes, limit) {
      this.#take(message.seq)
      this.#replies.delete(message.seq)
      const text = `it has ${bytes} bytes, and the daemon takes ${limit} a message`
      fail(message, text)
      tell("error", `a message to "${message.name}" was not sent: ${text}.`)
    }
  }

  const inBatches = (texts, limit, send) => {
    let batch = ""
    let count = 0
    let bytes = 0
    for (let index = 0; index < texts.length; index++) {
      const size = byteLength(texts[index]) + 1
      if (count > 0 && bytes + size > limit) {
        send(batch, count)
        batch = ""
        count = bytes = 0
      }
      batch += `${batch && ","}${texts[index]}`
      count++
      bytes += size
    }
    if (count > 0) send(batch, count)
  }

  const frameText = ({ message, text }) =>
    message ? call("message.post", message.params, message.replies ? message.seq : undefined) : text

  /** The rejection counts as handled: a burst is told once, not once a message. */
  const fail = (message, text) => {
    then(message.promise, undefined, () => {})
    message.reject(new Error(`bridged: the message to "${message.name}" was not delivered: ${text}.`))
  }

  const replyErrorText = (name, { code, message, data }) => {
    if (code === -32003) return message
    if (code === -32001) return `bridged: no handler "${name}". Register it, or use one of: ${data?.handlers}.`
    return `bridged: no reply from "${name}": ${message} (${code}).`
  }

  /** Decides when to connect again; jitter keeps many pages apart. */
  class ConnectionMonitor {
    #connect
    #timer = null
    isRunning = false
    attempt = 0

    constructor(connect) {
      this.#connect = connect
    }

    start() {
      if (this.isRunning) return
      this.isRunning = true
      this.#connect()
    }

    stop() {
      this.isRunning = false
      clearTimeout(this.#timer)
      this.#timer = null
    }

    connected() {
      this.attempt = 0
    }

    disconnected() {
      if (!this.isRunning || this.#timer !== null) return
      const delay = min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt++) * (0.5 + window.Math.random() / 2)
      this.#timer = setTimeout(() => this.retry(), delay)
    }

    retry() {
      if (this.#timer === null) return
      clearTimeout(this.#timer)
      this.#timer = null
      this.#connect()
    }
  }

  /**
   * A WebSocket that calls `hear(type, {data, code, reason})`. Frames that got this file from the page around them use that
   * page's, so that replies reach whoever waits for them after the frame was removed.
   */
  const openSocket = (url, protocols, hear) => {
    const socket = new WebSocket(url, protocols)
    for (const type of ["open", "message", "close"]) {
      socket.addEventListener(type, ({ data, code, reason }) => hear(type, { data, code, reason }))
    }
    return { send: (text) => sendFrame(socket, text), close: () => socket.close() }
  }

  /** One WebSocket at a time; an earlier one is not heard any more. */
  class Connection {
    #socket = null
    #protocols
    #delegate
    isOpen = false
    maxMessageBytes = Infinity

    constructor(url, token, delegate) {
      this.url = url
      this.#protocols = token ? ["bridge.page.v1", `bridge.token.${token}`] : ["bridge.page.v1"]
      this.#delegate = delegate
    }

    open() {
      const open = tag?.openSocket ?? openSocket
      let socket
      const hear = (type, { data, code, reason }) => {
        if (socket !== this.#socket) return
        if (type === "open") return this.#delegate.opened()
        if (type === "message") return this.#delegate.received(data)
        this.close()
        this.#delegate.closed(code, reason)
      }
      try {
        this.#socket = socket = open(this.url, this.#protocols, hear)
      } catch (error) {
        this.#delegate.refused(error.message || "the browser forbids it.")
      }
    }

    close() {
      const socket = this.#socket
      this.#socket = null
      this.isOpen = false
      socket?.close()
    }

    send(text) {
      this.#socket.send(text)
    }

    beacon(text) {
      const url = replace(replace(this.url, /^ws/, "http"), /\/page$/, "/beacon")
      if (sendBeacon(navigator, url, text)) return
      // Over the browser's limit of 64 KiB. A page that is kept for the way back goes on sending.
      fetch(url, { method: "POST", mode: "no-cors", body: text }).catch(() => {})
    }
  }

  let canEval = null
  const allowsEval = () => {
    try {
      return (canEval ??= globalEval(trust.createScript("true")))
    } catch {
      isViolationOurs = true
      return (canEval = false)
    }
  }

  /** The page is not told what only this file was forbidden; and of a connection, as in WebKit, behind its error. */
  let isViolationOurs = false
  const filterViolation = (event) => {
    const { type, target, effectiveDirective, blockedURI, isTrusted } = event
    const isOurs = isViolationOurs && blockedURI === "eval"
    const isEarly = isTrusted && effectiveDirective === "connect-src"
    if (!isOurs && !isEarly) return
    event.stopImmediatePropagation()
    if (isOurs) isViolationOurs = false
    else setTimeout(() => dispatch(target, new window.SecurityPolicyViolationEvent(type, event)))
  }

  let canRunScripts = null
  const allowsScripts = () => (canRunScripts ??= runScript("", {}).didEnd)

  const parses = (source) => {
    if (!allowsEval()) return probe(source)
    try {
      new Function(trust.createScript(source))
      return true
    } catch {
      return false
    }
  }

  /** The parser's answer where a policy forbids eval, and lets a script element pass that has its nonce. */
  let isProbing = false
  const probe = (source) => {
    isProbing = true
    const { didEnd } = runScript(`(function(){${source}\n})`, {})
    isProbing = false
    return didEnd
  }

  const PREFIX = "document.currentScript.begin();"

  /**
   * Runs global code as the browser runs a script element: `let`, `const` and `class` last, `var` can't be deleted.
   * @returns {{didEnd: boolean, value: unknown}} whether it came to its end; the value of `last`, an expression behind it
   */
  const runScript = (source, { url, last, isUserScript = false }) => {
    const script = document.createElementNS("http://www.w3.org/1999/xhtml", "script")
    const outcome = { didEnd: false, value: undefined }
    script.begin = () => {
      script.remove()
      if (isUserScript) defineProperty(document, "currentScript", { value: null, configurable: true })
    }
    script.tell = (value) => (outcome.value = value)
    script.end = (...last) => {
      outcome.didEnd = true
      if (last.length > 0) outcome.value = last[0]
    }
    script.nonce = nonce
    const strict = exec(STRICT, source)?.[0] ?? ""
    const end = isUserScript ? "" : `${last ? "" : "\n;"}document.currentScript.end(${last ? `${last}\n` : ""})`
    const text = `${strict}${PREFIX}${source}${end}${url ? `\n//# sourceURL=${url}` : ""}`
    script.textContent = trust.createScript(text)
    ;(document.head ?? document.documentElement ?? document).appendChild(script)
    script.remove()
    if (isUserScript) delete document.currentScript
    return outcome
  }

  const STRICT = /^\s*(?:"use strict"|'use strict')\s*;?/
  const MAX_SPLITS = 400

  /** Whether code that parses declares something global; asked of the engine's own parser. */
  const declares = (source) => {
    const found = source.match(/\b(?:var|let|const|class|function)\b[\s*]*[^=;(]*/g)
    if (!found) return false
    const words = new Set(found.join(" ").match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
    const names = [...words].filter((name) => parses(`let ${name}`))
    return names.length > 0 && !parses(`${source}\n;let ${names}`)
  }

  /** Where the last statement begins: both sides parse, and no line break joins them. 0: there is only one. */
  const findLastStatement = (source) => {
    let splits = 0
    for (let at = source.length - 1; at > 0 && splits < MAX_SPLITS; at--) {
      if (!/[;}\n\r\u2028\u2029]/.test(source[at])) continue
      const rest = source.slice(at + 1)
      const code = rest.replace(/\/\*[^]*?\*\/|\/\/.*/g, "").trim()
      if (code === "" || code === ";" || (source[at] !== ";" && /^[(\[`/*+.,-]/.test(code))) continue
      const line = /[^\n\r\u2028\u2029]*$/.exec(source.slice(0, at))[0]
      if (/[;}]/.test(source[at]) && line.includes("//")) continue // Maybe in a comment.
      splits++
      if (parses(rest) && parses(source.slice(0, at + 1))) return at + 1
    }
    return 0
  }

  const isExpression = (source) =>
    !/^\s*(?:$|\{|(?:async\s+)?function\b|class\b)/.test(source) && parses(`(${source}\n)`)

  /** A statement of which the blocks that are run last tell their value. */
  const withValue = (source) => {
    if (isExpression(source)) return `document.currentScript.tell(${source}\n)`
    if (!/^\s*(?:try|if|\{)/.test(source)) return source
    for (let open = source.indexOf("{"); open >= 0; open = source.indexOf("{", open + 1)) {
      for (let close = source.indexOf("}", open); close >= 0; close = source.indexOf("}", close + 1)) {
        const body = source.slice(open + 1, close)
        if (!parses(body)) continue
        const split = findLastStatement(body)
        const told = body.slice(0, split) + withValue(body.slice(split).replace(/[;\s]+$/, ""))
        source = source.slice(0, open + 1) + told + source.slice(close)
        open += told.length
        break
      }
    }
    return source
  }

  /**
   * Runs global code for its completion value. Eval alone has the value, a script element alone makes declarations that
   * last: so what declares goes into a script element, and the last statement, where it declares nothing, is evaluated.
   * What is thrown is not caught, so that it is reported with its place.
   */
  class Program {
    #url
    /** How far to the right of its place in the source the first line of what runs begins. */
    shift = 0

    constructor(url) {
      this.#url = url
    }

    /** @returns {{value: unknown} | null} null: an exception ended a script element, and was reported */
    run(source, depth = 0) {
      if (!allowsEval()) return this.#runWithoutEval(source)
      if (!parses(source) || !declares(source)) return { value: this.evaluate(source) }
      const split = depth < 20 ? findLastStatement(source) : 0
      if (split === 0) return this.#runScript(source)
      const first = source.slice(0, split)
      const blank = first.replace(/[^\n\r\u2028\u2029]/g, " ") // Places stay what they are.
      const strict = STRICT.exec(first)?.[0] ?? ""
      const last = strict + blank.slice(strict.length) + source.slice(split)
      if (!declares(last)) return this.#runScript(first) && { value: this.evaluate(last) }
      if (/^\s*(async\s+)?function\b/.test(source.slice(split))) return this.#runScript(last) && this.run(first, depth + 1)
      const result = this.run(first, depth + 1)
      return result && this.#runScript(last) && result
    }

    /** An expression, where eval is forbidden. */
    evaluate(source) {
      this.shift = 0
      const named = this.#url ? `${source}\n//# sourceURL=${this.#url}` : source
      return allowsEval() ? globalEval(trust.createScript(named)) : this.#runScript("", source)?.value
    }

    #runWithoutEval(source) {
      if (!parses(source)) return this.#runScript(source)
      const split = findLastStatement(source)
      const last = source.slice(split).replace(/[;\s]+$/, "")
      if (isExpression(last)) return this.#runScript(source.slice(0, split), last)
      return this.#runScript(source.slice(0, split) + withValue(last))
    }

    #runScript(source, last) {
      if (allowsScripts()) {
        this.shift = PREFIX.length
        const { didEnd, value } = runScript(source, { url: this.#url, last })
        return didEnd ? { value } : null
      }
      this.evaluate(source)
      return { value: undefined }
    }
  }

  /** Runs the daemon's requests in order, each in a task of its own. */
  class Evaluator {
    #requests = []
    #current = null // `{id, params, state: "running" | "ended" | "threw", event, finish}`
    #answers = new Table() // id → response, or null while it runs
    #ids = []
    #bytes = 0
    #respond
    #port

    constructor(respond) {
      this.#respond = respond
      const { port1, port2 } = new MessageChannel()
      // All microtasks run between two listeners: as in WebKit, the result is taken after them.
      port1.addEventListener("message", () => this.#run())
      port1.addEventListener("message", () => this.#finish())
      port1.start()
      this.#port = port2
    }

    /** What was asked before is answered to nobody. */
    forget() {
      this.#answers = new Table()
      this.#ids = []
      this.#bytes = 0
    }

    findPosition(event) {
      return findPosition(event, this.#current)
    }

    get isCallingAsync() {
      return this.#current?.method === "script.callAsync"
    }

    /** A repeated request gets the answer it had, once there is one. */
    perform(call) {
      if (this.#answers.has(call.id)) {
        const answer = this.#answers.get(call.id)
        if (answer) this.#respond(answer, call.id)
        return
      }
      if (call.id !== undefined) this.#remember(call.id)
      this.#requests.push(call)
      this.#port.postMessage(null)
    }

    /** @returns {boolean} whether an error event tells of the exception that ends what is evaluated */
    takes(event) {
      const current = this.#current
      if (!current || current.state === "ended" || (current.state === "threw" && current.event)) return false
      current.event = event // While it runs, another one may follow: the last one ends a script element.
      return current.state === "threw"
    }

    #run() {
      const { id, method, params } = this.#requests.shift()
      if (method === "page.navigate") return navigate(params)
      const program = new Program(method === "script.evaluate" ? scriptURL(params) : undefined)
      const current = (this.#current = { id, params, method, program, state: "running", event: null, finish: null })
      if (!allowsEval() && !allowsScripts()) {
        bridge.tellForbidden("script-src")
        current.state = "ended"
        current.finish = () => failure(id, 4, FORBIDDEN_EVAL, NO_PLACE)
        return
      }
      try {
        if (method === "script.callAsync") this.#callAsync(current)
        else this.#evaluate(current)
      } finally {
        if (current.state === "running") {
          current.state = "threw"
          current.event = null
        }
      }
    }

    #evaluate(current) {
      const outcome = current.program.run(`${current.params.source}`)
      current.state = outcome ? "ended" : "failed"
      if (outcome) current.finish = () => result(current.id, outcome.value)
    }

    /** As in WebKit, names are spliced in: `{x}` and `...rest` work. */
    #callAsync(current) {
      const { id, params, program } = current
      const values = decodeScriptValue(params.arguments ?? {}, params.types)
      const names = keysOf(values)
      const run = program.evaluate(`(async function(${names.join(",")}){${params.body}})`)
      const promise = apply(run, undefined, names.map((name) => values[name]))
      current.state = "ended"
      const settle = async () => {
        try {
          const value = await promise
          this.#answer(id, result(id, value))
        } catch (error) {
          this.#answer(id, exception(id, { error }))
        }
      }
      settle()
    }

    #finish() {
      const current = this.#current
      this.#current = null
      if (!current) return
      const { id, method, state, event, finish } = current
      if (state === "ended") return finish && this.#answer(id, finish())
      this.#answer(id, exception(id, event ?? {}, method === "script.evaluate" ? current : undefined))
    }

    #remember(id) {
      this.#answers.set(id, null)
      this.#ids.push(id)
      while (this.#ids.length > MAX_KEPT || (this.#bytes > MAX_KEPT_BYTES && this.#ids.length > 1)) {
        const oldest = this.#ids.shift()
        this.#bytes -= this.#answers.get(oldest)?.length ?? 0
        this.#answers.delete(oldest)
      }
    }

    #answer(id, text) {
      if (!this.#answers.has(id)) return
      this.#answers.set(id, text)
      this.#bytes += text.length
      this.#respond(text, id)
    }
  }

  const UNSUPPORTED = "JavaScript execution returned a result of an unsupported type"
  const EVALUATOR_METHODS = /^(script\.evaluate|script\.callAsync|page\.navigate)$/

  /** What the engine is told to call a script: its own URL, or the document's, where it names itself otherwise. */
  const scriptURL = ({ source, sourceURL }) => {
    if (sourceURL && URL.canParse(sourceURL) && !/\s/.test(sourceURL)) return sourceURL
    return /\/\/[#@]\s*sourceURL=/.test(source) ? documentURL() : undefined
  }

  const documentURL = () => location.href.replace(/#.*/, "")

  const navigate = ({ url, reload, delta }) => {
    if (url) location.assign(url)
    else if (reload) location.reload()
    else history.go(delta)
  }

  const result = (id, value) => {
    try {
      return frame(id, `"result":{${ScriptValueEncoder.members("value", value)}}`)
    } catch (error) {
      const { type } = error.find()
      return failure(id, 5, UNSUPPORTED, { __proto__: null, type })
    }
  }

  /** Of an error event. `evaluation` only of `script.evaluate`: nothing else has positions in WebKit. */
  const exception = (id, event, evaluation) => {
    const { error } = event
    const { name, stack } = Object(error)
    return failure(id, 4, "A JavaScript exception occurred", {
      __proto__: null,
      name: typeof name === "string" ? name : undefined,
      message: exceptionMessage(error),
      ...(evaluation ? findPosition(event, evaluation) : { line: 0, column: 0 }),
      stack: typeof stack === "string" ? stack : undefined
    })
  }

  const exceptionMessage = (error) => {
    try {
      return /Error|DOMException/.test(classString(error)) ? errorString(error) : `${error}`
    } catch {
      return ""
    }
  }

  /** Firefox calls evaluated code `URL line 1 > eval`, WebKit `undefined`. A clash with an earlier declaration has no place in WebKit. */
  const findPosition = ({ filename, lineno = 0, colno = 0, error }, { params, program }) => {
    const { source = "" } = params
    const own = scriptURL(params) ?? documentURL()
    const isClash = Object(error).name === "SyntaxError" && parses(source) && parses(`class A { static {${source}\n} }`)
    if (isClash) return { line: 0, column: 0, sourceURL: own }
    const isOwn = !filename || filename === own || /^undefined$| > /.test(filename)
    if (!isOwn) return { line: lineno, column: colno, sourceURL: filename }
    const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
    const line = min(lineno, lines.length)
    const column = line === 1 ? colno - program.shift : colno
    return { line, column: webKitColumn(lines[line - 1] ?? "", column), sourceURL: own }
  }

  /** WebKit's column of a `throw` is behind what is thrown; other engines tell where it begins. */
  const webKitColumn = (line, column) => {
    const start = /\bthrow\s+$/.exec(line.slice(0, column - 1))?.index ?? column - 1
    if (!/^throw\b/.test(line.slice(start))) return column
    for (let end = start + 6; end <= line.length; end++) {
      if (/^\s*(?:[;}]|$)/.test(line.slice(end)) && parses(line.slice(start, end))) return end + 1
    }
    return column
  }

  const FORBIDDEN_EVAL =
    "the page's Content-Security-Policy forbids eval, so native code can't evaluate script here; messages still work. " +
    "Give the tag of bridge.js the policy's nonce, or add 'unsafe-eval' to its script-src in development."
  const NO_PLACE = { __proto__: null, name: "EvalError", message: FORBIDDEN_EVAL, line: 0, column: 0 }

  /** Of a user script: `scheme://host/path`, where `*` stands for any text. As in WebKit, ports are not looked at. */
  const matchesPattern = (pattern) => {
    const [, scheme, host, path] = /^(\*|\w+):\/\/([^/]*)(\/.*)$/.exec(pattern) ?? []
    if (!scheme) return false
    const glob = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*")
    const hosts = host.replace(/^\*\./, "") === host ? glob(host) : `(.*\\.)?${glob(host.slice(2))}`
    const url = new RegExp(`^${scheme === "*" ? "https?" : scheme}://${hosts}${glob(path)}$`)
    return url.test(`${location.protocol}//${location.hostname}${location.pathname}${location.search}`)
  }

  const concernsPage = ({ include = [], exclude = [] }) =>
    (include.length === 0 || include.some(matchesPattern)) && !exclude.some(matchesPattern)

  /** WebKit's user scripts: their errors reach the page without details, and they leave no element behind. */
  class UserScripts {
    #scripts
    #hasEnded = false
    isRunning = false

    /** @param {{source, at: "start" | "end", mainFrameOnly, include?: string[], exclude?: string[]}[]} scripts */
    constructor(scripts) {
      this.#scripts = scripts
    }

    start() {
      if (this.#scripts.length > 0) inBareDocument(() => this.#run("start"))
      atDocumentEnd(() => {
        this.#hasEnded = true
        this.#run("end")
      })
    }

    /** Those at document end are the ones that there are by then. */
    update(scripts) {
      if (!this.#hasEnded) this.#scripts = scripts
    }

    #run(time) {
      this.isRunning = true
      for (let index = 0; index < this.#scripts.length; index++) {
        const { source, at, mainFrameOnly } = this.#scripts[index]
        const isMeant = at === time && !(mainFrameOnly && isFrame) && concernsPage(this.#scripts[index])
        if (isMeant) this.#runOne(source, `user-script:${index + 1}`)
      }
      this.isRunning = false
    }

    #runOne(source, url) {
      if (allowsScripts()) return runScript(source, { url, isUserScript: true })
      if (!allowsEval()) return tell("error", `${url} did not run. ${FORBIDDEN_SCRIPT}`)
      try {
        globalEval(trust.createScript(`${source}\n//# sourceURL=${url}`))
      } catch (error) {
        tell("error", `${url} failed: ${exceptionMessage(error)}`)
      }
    }
  }

  const FORBIDDEN_SCRIPT =
    "The page's Content-Security-Policy forbids inline scripts, too. Give the tag of bridge.js the policy's nonce, or add " +
    "'unsafe-inline' to its script-src in development."

  /** At document start WebKit's document is `<html>` alone. The parser has made a head for this file's tag, too. */
  const inBareDocument = (run) => {
    const { head, documentElement: html, body } = document
    const isBare = head && !body && head.children.length === 0 && html.firstElementChild === head
    if (isBare) head.remove()
    run()
    if (isBare && !document.head) html.append(head)
  }

  /** Behind the page's own listeners of DOMContentLoaded, and before `load`, whatever the page stops. */
  const atDocumentEnd = (run) => {
    let hasRun = document.readyState !== "loading"
    if (hasRun) return run()
    const runOnce = () => {
      if (!hasRun) run()
      hasRun = true
    }
    listen(window, "DOMContentLoaded", () => listen(window, "DOMContentLoaded", runOnce), true)
    listen(window, "readystatechange", () => document.readyState === "complete" && runOnce(), true)
  }

  /** The page's own scripts don't run; this file's and native code's do, by a nonce or by eval. */
  const forbidContentScripts = () => {
    const nonce = makeUUID()
    const meta = document.createElement("meta")
    meta.httpEquiv = "Content-Security-Policy"
    meta.content = `script-src 'nonce-${nonce}' 'unsafe-eval'`
    ;(document.head ?? document.documentElement.appendChild(document.createElement("head"))).append(meta)
    meta.remove()
    return nonce
  }

  /** In an app it is native code that closes a web view, or does not. */
  const keepOpen = () => {
    const apply = () => tell("info", "the page called window.close(), which is left to native code in an app.")
    defineProperty(window, "close", { value: disguise(window.close, { apply }), configurable: true, writable: true })
  }

  /** What the page can list of its requests. WebKit asks for no icon. */
  const hideRequests = () => {
    const { prototype } = window.Performance
    const isForeign = ({ name }) => name !== tag?.src && !/\/favicon\.ico$/.test(name)
    for (const method of ["getEntries", "getEntriesByType", "getEntriesByName"]) {
      const value = disguise(prototype[method], {
        apply: (method, object, list) => apply(method, object, list).filter(isForeign)
      })
      defineProperty(prototype, method, { value, writable: true, enumerable: true, configurable: true })
    }
  }

  /** `navigator.userAgent` by the browser's own getter, which knows a wrong `this`. */
  const showUserAgent = (userAgent) => {
    const values = { userAgent, appVersion: userAgent.replace(/^Mozilla\//, "") }
    for (const key of keysOf(values)) {
      const property = getOwnPropertyDescriptor(getPrototypeOf(navigator), key)
      property.get = disguise(property.get, {
        apply: (get, object) => {
          apply(get, object, [])
          return values[key]
        }
      })
      defineProperty(getPrototypeOf(navigator), key, property)
    }
  }

  /** Firefox ends connections as it asks for the next document, and decides then whether to keep this one. */
  const keepsNoSockets = "mozInnerScreenX" in window
  const STAY_MS = 300 // Whoever is still here by then asked for a download, or waits for a slow server.

  /** Has a document leave as in WebKit: in its order, and kept for the way back where WebKit would keep it. */
  class Departure {
    #bridge
    #outbox
    #restoreUnload
    #isInScript = false
    #navigationType = null // of the navigation that began last

    constructor(bridge) {
      this.#bridge = bridge
      this.#outbox = bridge.outbox
    }

    start() {
      this.#restoreUnload = deferUnload()
      // Between two listeners all microtasks run, unless a script is still running.
      listen(window, "beforeunload", () => {
        this.#isInScript = true
        queueMicrotask(() => (this.#isInScript = false))
      }, true)
      listen(window, "beforeunload", () => this.#ask(), true)
      listen(window, "pagehide", (event) => this.#hide(event), true)
      window.navigation?.addEventListener("navigate", ({ navigationType }) => (this.#navigationType = navigationType))
    }

    /** Chromium and Firefox ask in the middle of the script that leads away, WebKit when it has ended. */
    #ask() {
      if (this.#isInScript) {
        this.#outbox.hold()
        setTimeout(() => this.#outbox.release())
      }
      if (!keepsNoSockets) return
      this.#bridge.leave()
      this.#bridge.disconnect()
      setTimeout(() => this.#bridge.stay(), STAY_MS)
    }

    #hide(event) {
      this.#outbox.release()
      const isKept = /^(push|traverse)$/.test(this.#navigationType)
      if (isKept) defineProperty(event, "persisted", { value: true, configurable: true })
      this.#bridge.leave()
      if (!event.persisted) return this.#restoreUnload()
      setTimeout(() => this.#outbox.suspend()) // Ahead of the timers that the page's own listeners start.
      this.#bridge.disconnect() // An open socket forbids the back/forward cache.
    }
  }

  /**
   * WebKit keeps a page for the way back though it listens to `unload`, and does not call it then. Chromium and Firefox
   * don't keep such a page: so they learn of the listeners when it is clear that the page is not kept.
   * @returns {() => void} lets the listeners have the event
   */
  const deferUnload = () => {
    const { prototype } = window.EventTarget
    const deferred = []
    let onunload = null
    const isDeferred = (target, type) => type === "unload" && (target === window || target === undefined)
    prototype.addEventListener = disguise(prototype.addEventListener, {
      apply(method, target, list) {
        if (!isDeferred(target, list[0])) return apply(method, target, list)
        deferred.push(list.slice(1))
      }
    })
    prototype.removeEventListener = disguise(prototype.removeEventListener, {
      apply(method, target, list) {
        const at = isDeferred(target, list[0]) ? deferred.findIndex(([listener]) => listener === list[1]) : -1
        if (at >= 0) deferred.splice(at, 1)
        return apply(method, target, list)
      }
    })
    defineProperty(window, "onunload", {
      get: () => onunload,
      set: (value) => (onunload = typeof value === "function" ? value : null),
      enumerable: true, configurable: true
    })
    return () => {
      for (const list of deferred.splice(0)) listen(window, "unload", ...list)
      if (onunload) listen(window, "unload", onunload)
    }
  }

  /** Frames that load nothing (about:blank, srcdoc) get this file from the page around them. */
  const FRAMES = "iframe, frame, object"
  const EMPTY_FRAMES = "iframe:not([src], [srcdoc]), frame:not([src])" // Nothing comes behind their first document.

  class ChildFrames {
    #webView

    constructor(webView) {
      this.#webView = webView
    }

    start() {
      // A script may look into a frame before an observer hears of it.
      for (const name of ["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement"]) {
        for (const key of ["contentWindow", "contentDocument"]) this.#watch(window[name].prototype, key)
      }
      const adopt = (node) => {
        if (node.localName && node.matches(EMPTY_FRAMES)) this.#adopt(node)
        if (node.firstElementChild) for (const frame of node.querySelectorAll(EMPTY_FRAMES)) this.#adopt(frame)
      }
      const observer = new window.MutationObserver((records) => {
        for (const { addedNodes } of records) for (const node of addedNodes) adopt(node)
      })
      observer.observe(document, { subtree: true, childList: true })
      listen(document, "load", ({ target }) => target.matches?.(FRAMES) && this.#adopt(target), true)
    }

    #watch(prototype, key) {
      const property = getOwnPropertyDescriptor(prototype, key)
      property.get = disguise(property.get, {
        apply: (get, element) => {
          const value = apply(get, element, [])
          const child = key === "contentWindow" ? value : value?.defaultView
          if (child) this.#adopt(element, child)
          return value
        }
      })
      defineProperty(prototype, key, property)
    }

    #adopt(element, child = element.contentWindow) {
      try {
        const { document, location } = child
        const loads = element.getAttribute(element.localName === "object" ? "data" : "src")
        const isBlank = location.href === "about:blank" && !element.hasAttribute("srcdoc")
        if (document.bridged || !(isBlank ? /^(about:.*)?$/.test(loads ?? "") : location.href === "about:srcdoc")) return
        const script = document.createElement("script")
        script.nonce = nonce
        const dataset = { webView: this.#webView }
        const isLeaving = () => bridge.isLeaving
        const shared = { trust, registrations, openSocket: tag?.openSocket ?? openSocket, isLeaving }
        script.tag = { src: tag?.src, nonce: script.nonce, dataset, remove() {}, ...shared }
        script.textContent = trust.createScript(`(${start})(document.currentScript.tag, true)`)
        ;(document.head ?? document.documentElement).append(script)
        script.remove()
      } catch {} // The frame has another origin, or is gone.
    }
  }

  /** Forwards console calls and uncaught errors, slowly enough that a log storm delays no message. */
  class ConsoleForwarder {
    #outbox
    #count = 0
    #leftOut = 0
    #timer = null
    #isFormatting = false

    constructor(outbox) {
      this.#outbox = outbox
    }

    start() {
      for (const level of keysOf(native)) {
        console[level] = disguise(native[level], {
          apply: (method, object, list) => {
            apply(method, object, list)
            this.#forwardCall(level, list)
          }
        })
      }
      window.addEventListener("unhandledrejection", ({ reason }) => {
        this.forward("error", exceptionMessage(reason), "rejection", { url: location.href, stack: reason?.stack })
      })
    }

    forwardError({ message, filename, lineno, colno, error }) {
      this.forward("error", message, "exception", { url: filename, line: lineno, column: colno, stack: error?.stack })
    }

    forward(level, text, kind = "console", { url, line, column, stack } = {}) {
      this.#timer ??= setTimeout(() => this.#endSecond(), 1_000)
      if (this.#count++ >= MAX_ENTRIES_PER_SECOND || this.#outbox.lastingCount >= MAX_ENTRIES_KEPT) {
        this.#leftOut++
        return
      }
      const details = { url, line, column, stack: stack && clip(`${stack}`) }
      const entry = { __proto__: null, level, text: clip(text), kind, ...details }
      this.#outbox.send(call("console.entry", json(entry)), true)
    }

    #forwardCall(level, list) {
      if (this.#isFormatting) return // A value's own code logs.
      this.#isFormatting = true
      let text = "(a value that could not be made into text)"
      try {
        text = formatArguments(list)
      } catch {}
      this.#isFormatting = false
      this.forward(level, text)
    }

    #endSecond() {
      const leftOut = this.#leftOut
      this.#timer = null
      this.#count = 0
      this.#leftOut = 0
      if (leftOut > 0) this.forward("warn", `bridged left out ${leftOut} console entries, which came too fast.`)
    }
  }

  class PageObserver {
    #outbox
    #told = {}
    #isLoaded = document.readyState === "complete"

    constructor(outbox) {
      this.#outbox = outbox
      const check = () => this.check()
      // Later: "complete" ends a load for native code, after what the page posts in `load` and `pageshow`.
      window.addEventListener("load", () => setTimeout(() => this.#loaded()))
      for (const type of ["popstate", "hashchange", "load", "pageshow"]) window.addEventListener(type, check)
      for (const type of ["readystatechange", "visibilitychange"]) document.addEventListener(type, check)
      window.navigation?.addEventListener("currententrychange", check) // pushState and replaceState
      const options = { subtree: true, childList: true, characterData: true }
      new window.MutationObserver(check).observe(document.head ?? document.documentElement, options)
    }

    describe() {
      const { title, visibilityState: visibility } = document
      const readyState = document.readyState === "complete" && !this.#isLoaded ? "interactive" : document.readyState
      const status = performance.getEntriesByType("navigation")[0]?.responseStatus || undefined
      return { __proto__: null, url: location.href, title, readyState, visibility, status }
    }

    attached({ url, title, readyState }) {
      this.#told = { url, title, readyState }
      this.check()
    }

    #loaded() {
      this.#isLoaded = true
      this.check()
    }

    check() {
      const now = this.describe()
      const changes = { __proto__: null }
      const keys = keysOf(now)
      for (let index = 0; index < keys.length; index++) {
        if (now[keys[index]] !== this.#told[keys[index]]) changes[keys[index]] = now[keys[index]]
      }
      this.#told = now
      if (keysOf(changes).length > 0) this.#outbox.send(call("page.update", json(changes)))
    }
  }

  const SCRIPT_ERROR = { message: "Script error." }

  class Bridge {
    status
    #document = makeUUID()
    #previous // `{document, seq}`: how far the document before this one came
    #attachedAs = null
    #hasAttached = false
    #hasToldOutage = false
    #toldFailures = new Set()
    #told = null // the error event of ours
    isLeaving = false

    /** `scope`: the web view's handlers, user scripts and user agent. */
    constructor(url, webView, scope) {
      this.status = { state: "connecting", page: null, url, webView }
      this.webView = webView
      this.scope = scope
      this.connection = new Connection(url, settings.token, this)
      this.outbox = new Outbox(this.connection)
      this.handlers = new MessageHandlers(this.outbox)
      this.evaluator = new Evaluator((response, id) => this.#respond(response, id))
      this.monitor = new ConnectionMonitor(() => this.#connect())
      this.console = new ConsoleForwarder(this.outbox)
      this.userScripts = new UserScripts(scope.userScripts ?? [])
    }

    start() {
      if (!isFrame) this.#previous = takeLastLeft()
      this.handlers.update(this.scope.handlers)
      if (this.scope.userAgent) showUserAgent(this.scope.userAgent)
      if (this.scope.contentScripts === false) nonce = forbidContentScripts()
      if (!isFrame) keepOpen()
      hideRequests()
      this.console.start()
      listen(window, "error", (event) => this.#receiveError(event))
      this.observer = new PageObserver(this.outbox)
      window.addEventListener("online", () => this.monitor.retry())
      document.addEventListener("visibilitychange", () => document.hidden || this.monitor.retry())
      listen(window, "securitypolicyviolation", filterViolation, true)
      document.addEventListener("securitypolicyviolation", (event) => this.#tellViolation(event))
      new Departure(this).start()
      window.addEventListener("pageshow", ({ persisted }) => persisted && this.stay())
      this.monitor.start()
      new ChildFrames(this.webView).start()
      tag?.remove()
      this.userScripts.start()
    }

    opened() {
      this.#attachedAs = this.#describe()
      this.connection.send(call("page.attach", json(this.#attachedAs), "attach"))
    }

    received(text) {
      const frame = parse(text)
      if (!isArray(frame)) return this.#handle(frame)
      for (let index = 0; index < frame.length; index++) this.#handle(frame[index])
    }

    closed(code, reason) {
      this.outbox.disconnected()
      const limit = this.connection.maxMessageBytes
      if (code === 1008 || code === 1009) {
        tell("error", `the daemon hung up (${code} ${reason}). It takes ${limit} bytes a message.`)
      } else if (code !== 1013 && this.monitor.attempt > 0 && !this.#hasToldOutage) {
        native.warn(`bridged: no connection to ${this.status.url}. Is the daemon running? Messages are kept.`)
        this.#hasToldOutage = true
      }
      this.monitor.disconnected()
      this.#setState("away")
    }

    /** Mixed content, or a policy: trying again would not help. */
    refused(reason) {
      if (!this.monitor.isRunning) return // A policy is told once for each of its violations.
      const { url } = this.status
      const both = `${url.replace(/page$/, "")} ${url.replace(/^ws(.*)page$/, "http$1")}`
      native.error(`bridged: no connection to ${url}: ${reason} ${location.protocol === "https:"
        ? "Use http for the page, or wss for the daemon."
        : `Add to the policy's connect-src (or default-src), in development: ${both}`}`)
      this.#giveUp()
    }

    #giveUp() {
      this.monitor.stop()
      this.connection.close()
      this.#setState("away")
    }

    /** The page hears of exceptions in WebKit's words: no "Uncaught", and nothing about user scripts. */
    #receiveError(event) {
      const { message, filename, error } = event
      if (isProbing) {
        event.stopImmediatePropagation()
        event.preventDefault()
        return
      }
      if (event === this.#told || message === undefined) return // A resource that did not load has no message.
      if (this.evaluator.takes(event)) {
        const { line: lineno, column: colno, sourceURL } = this.evaluator.findPosition(event)
        const members = { message: exceptionMessage(error), filename: sourceURL, lineno, colno, error }
        this.#tellPage(event, this.evaluator.isCallingAsync ? SCRIPT_ERROR : members)
      } else {
        this.console.forwardError(event)
        const isMuted = this.userScripts.isRunning || exec(/^user-script:/, filename)
        if (isMuted) this.#tellPage(event, SCRIPT_ERROR)
      }
    }

    #tellPage(event, members) {
      event.stopImmediatePropagation()
      this.#told = new ErrorEvent("error", { ...members, cancelable: true })
      if (!dispatch(window, this.#told)) event.preventDefault()
    }

    #respond(response, id) {
      const limit = this.connection.maxMessageBytes
      const isTooLarge = byteLength(response) > limit
      const type = `result over ${limit} bytes`
      this.outbox.respond(isTooLarge ? failure(id, 5, UNSUPPORTED, { __proto__: null, type }) : response)
    }

    #connect() {
      this.#setState("connecting")
      this.connection.open()
    }

    #describe() {
      const { url, title, readyState } = this.observer.describe()
      return {
        __proto__: null,
        document: this.#document,
        webView: this.webView,
        frame: { __proto__: null, url, origin: window.origin, isMainFrame: !isFrame },
        title,
        readyState,
        userAgent: navigator.userAgent,
        resume: this.#hasAttached,
        previous: this.#hasAttached ? undefined : this.#previous
      }
    }

    #handle(frame) {
      try {
        if (frame.method === undefined) this.#handleResponse(frame)
        else this.#handleCall(frame)
      } catch (error) {
        tell("error", `could not handle ${frame?.method ?? "a response"} from the daemon: ${error}`)
      }
    }

    #handleResponse(response) {
      if (response.id === null) this.#notificationFailed(response.error)
      else if (response.id !== "attach") this.outbox.settle(response.id, response)
      else if (response.error) this.#attachFailed(response.error)
      else this.#attached(response.result)
    }

    #handleCall({ id, method, params }) {
      if (method === "page.ack") this.outbox.acknowledge(params.seq)
      else if (method === "handlers.changed") this.#changed(params)
      else if (exec(EVALUATOR_METHODS, method)) this.evaluator.perform({ id, method, params })
      else if (id !== undefined) this.outbox.send(failure(id, -32601, `This page knows no method "${method}"`))
    }

    #changed({ handlers, userScripts }) {
      this.handlers.update(handlers)
      if (userScripts) this.userScripts.update(userScripts)
    }

    #attached({ page, resumed, lastSeq, handlers, maxMessageBytes }) {
      this.#hasAttached = true
      this.#hasToldOutage = false
      this.connection.isOpen = true
      this.connection.maxMessageBytes = maxMessageBytes
      this.monitor.connected()
      if (!resumed) this.evaluator.forget() // Another run of the daemon counts its requests anew.
      this.handlers.update(handlers)
      this.observer.attached({ ...this.#attachedAs, url: this.#attachedAs.frame.url }) // First: native code commits the load.
      this.outbox.resume({ resumed, lastSeq })
      this.#setState("connected", page)
    }

    #attachFailed({ code, message }) {
      native.error(`bridged: the daemon refused this page: ${message} (${code}). Reload it once that is put right.`)
      this.#giveUp()
    }

    /** An error without an id is about a frame that wants no answer. */
    #notificationFailed({ code, message }) {
      if (this.#toldFailures.has(message)) return
      this.#toldFailures.add(message)
      tell("error", `the daemon could not take a message of this page: ${message} (${code})`)
    }

    /** From now on beacons carry what the connection may not. */
    leave() {
      if (tag?.isLeaving && !tag.isLeaving()) return this.outbox.linger()
      this.isLeaving = true
      const attach = this.#hasAttached ? "" : `,"attach":${json(this.#describe())}`
      this.outbox.leave(this.#document, attach)
      this.monitor.stop()
    }

    disconnect() {
      this.connection.close()
      this.outbox.disconnected()
    }

    stay() {
      this.isLeaving = false
      this.outbox.stay()
      this.monitor.start()
    }

    #tellViolation({ effectiveDirective, blockedURI }) {
      if (effectiveDirective !== "connect-src" || !blockedURI.startsWith(new URL(this.status.url).origin)) return
      if (this.monitor.isRunning) this.tellForbidden(effectiveDirective)
      this.refused("the page's Content-Security-Policy forbids it.")
    }

    /** Once. The policy lets in scripts from the daemon: so one carries the news. */
    tellForbidden(directive) {
      if (this.#toldFailures.has(directive)) return
      this.#toldFailures.add(directive)
      if (directive === "script-src") tell("error", FORBIDDEN_EVAL)
      const url = new URL("/bridge.js", this.status.url.replace(/^ws/, "http"))
      url.search = new window.URLSearchParams({ blocked: directive, from: location.href })
      if (settings.token) url.searchParams.set("token", settings.token)
      const script = document.createElement("script")
      script.nonce = nonce
      script.src = trust.createScriptURL(url.href)
      document.documentElement.append(script)
      script.remove()
    }

    #setState(state, page = this.status.page) {
      this.status = { ...this.status, state, page }
      const detail = { state, page, attempt: this.monitor.attempt }
      document.dispatchEvent(new CustomEvent("bridged:state", { detail }))
    }
  }

  /** RFC 9562, section 5.4; plain http has no `crypto.randomUUID`. */
  const makeUUID = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  }

  /** @returns {{document: string, seq: number} | undefined} */
  const takeLastLeft = () => {
    const [, document, seq] = exec(/^{"document":"([\w-]+)","seq":(\d+)}$/, tab.get(LAST_LEFT) ?? "") ?? []
    tab.remove(LAST_LEFT)
    return document && { __proto__: null, document, seq: Number(seq) }
  }

  /** The web view of the page that opened this window, if that is in reach. */
  const findOpener = () => {
    try {
      return isFrame ? undefined : window.opener?.document.bridged?.webView
    } catch {
      return undefined // It has another origin.
    }
  }

  /** A name in the page's address is kept by the tab. */
  const findWebView = (tag) => {
    const named = tag?.dataset?.webView || settings.webView
    if (named) return named
    const asked = new URL(location.href).searchParams.get("bridged-web-view")
    if (asked) tab.set("bridged-web-view", asked)
    return asked || tab.get("bridged-web-view") || "main"
  }

  const findURL = (tag) => {
    if (!tag?.src) return settings.url
    return new URL("/page", tag.src).href.replace(/^http/, "ws")
  }

  let bridge = null

  const tell = (level, text) => {
    apply(native[level], console, [`bridged: ${text}`])
    bridge?.console.forward(level, `bridged: ${text}`)
  }

  if (document.bridged) return tell("warn", "bridge.js is on this page twice. Remove one tag.")
  if (!settings) return tell("error", "load bridge.js from the daemon: http://localhost:2734/bridge.js")
  const name = findWebView(tag)
  const scopes = settings.webViews ?? {}
  // A window that a page opens is a web view of its own, made like that of its opener.
  const isPopup = [name, `${name}.popup`].includes(findOpener())
  const webView = isPopup ? `${name}.popup` : name
  bridge = new Bridge(findURL(tag), webView, hasOwn(scopes, name) ? scopes[name] : settings)
  defineProperty(document, "bridged", { get: () => bridge.status, configurable: true })
  if (document.readyState !== "loading" && tag?.isConnected) {
    native.info("bridged: put bridge.js first in <head>, so that the handlers are there before any script.")
  }
  bridge.start()
})(window.document.currentScript)
