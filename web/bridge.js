/**
 * bridge.js is the page's half of bridged: it gives a page in any browser the message handlers that WKWebView would
 * give it, and runs what native code evaluates. Load it from the daemon, first in <head>:
 *
 *     <script src="http://localhost:2734/bridge.js"></script>
 *
 * The page then has `webkit.messageHandlers.NAME.postMessage(body)`, as in WebKit. `data-web-view="modal"` on the tag (or
 * `?bridged-web-view=modal` in the page's address) names the web view that the page is shown in; it is kept per tab.
 *
 * `window.bridged` tells `{state, page, url}`: `state` is "connecting", "connected" or "away", `page` the daemon's id of
 * this document or null, `url` the daemon's WebSocket. `document` gets a "bridged:state" event at each change, with
 * `detail: {state, page, attempt}`.
 *
 * The wire format is docs/protocol.md. What WebKit does, and this file does after it, is recorded in oracle/webkit.
 */
(() => {
  "use strict"

  const settings = /* bridged:settings */ null

  // Built-ins, taken before the page can patch them: real message handlers don't depend on the page's copies. For the
  // same reason the code that a message passes through uses no iterators, no array methods and no `then`.

  const { console, crypto, document, history, location, navigator, performance } = window
  const { Array, CustomEvent, DOMException, Error, Map, MessageChannel, Object, Promise, Proxy } = window
  const { TextEncoder, TypeError, URL, WebSocket } = window
  const { clearTimeout, queueMicrotask, reportError, setTimeout, structuredClone } = window
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, keys: keysOf } = Object
  const { isArray } = Array
  const { isView } = window.ArrayBuffer
  const { isFinite } = window.Number
  const { min, random } = window.Math
  const { parse, stringify } = window.JSON
  const { apply } = window.Reflect
  const globalEval = window.eval

  /** Makes a function of a method: `uncurry(method)(object, ...args)`. */
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
  const datePrototype = Date.prototype
  const stringPrototype = String.prototype
  const objectPrototype = Object.prototype
  const dataViewPrototype = DataView.prototype
  const native = {
    log: console.log, info: console.info, warn: console.warn, error: console.error, debug: console.debug
  }

  /** A Map whose methods are its own, so that a patched Map.prototype does not matter. */
  class Table extends Map {}
  for (const name of ["get", "set", "has", "delete", "forEach"]) defineProperty(Table.prototype, name, { value: Map.prototype[name] })

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

  // Text

  const utf8 = new TextEncoder()
  const byteLength = (text) => encodeUTF8(utf8, text).byteLength
  const clip = (text) => (text.length > MAX_ENTRY_LENGTH ? `${slice(text, 0, MAX_ENTRY_LENGTH)}… (cut)` : text)

  // In a Unicode pattern a surrogate stands for itself only where it is alone. Alone it can't be sent as UTF-8.
  const hasLoneSurrogate = (text) => exec(/[\ud800-\udfff]/u, text) !== null
  const wellFormed = (text) => (hasLoneSurrogate(text) ? replace(text, /[\ud800-\udfff]/gu, "\ufffd") : text)
  const quote = (text) => stringify(wellFormed(text))

  /** JSON of an object of our own. It must have no prototype, or a page's `Object.prototype.toJSON` would be asked. */
  const json = (object) => stringify(object, (_, value) => (typeof value === "string" ? wellFormed(value) : value))
  const notification = (method, params) => `{"jsonrpc":"2.0","method":"${method}","params":${params}}`
  const request = (id, method, params) => `{"jsonrpc":"2.0","id":${stringify(id)},"method":"${method}","params":${params}}`
  const success = (id, fields) => `{"jsonrpc":"2.0","id":${stringify(id)},"result":{${fields}}}`
  const failure = (id, code, message, data) =>
    `{"jsonrpc":"2.0","id":${stringify(id)},"error":${json({ __proto__: null, code, message, data })}}`

  /** The name of a value's type, for people: "function", "HTMLBodyElement", "Promise". */
  const typeName = (value) =>
    value === null || typeof value !== "object" ? typeof value : slice(classString(value), 8, -1)

  /** Any value as a short text for the log. Runs no getters. */
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

  /** The arguments of a console call as one text, with `%s` and its like filled in, and `%c` styles left out. */
  const formatArguments = (list) => {
    const rest = [...list]
    const fill = (match) => (rest.length === 0 ? match : match === "%c" ? (rest.shift(), "") : describe(rest.shift()))
    const first = typeof rest[0] === "string" ? [rest.shift().replace(/%[sdifoOc]/g, fill)] : []
    return [...first, ...rest.map((value) => describe(value))].join(" ")
  }

  // Script values

  /** Thrown for a value that WebKit does not carry. */
  class Uncloneable {
    constructor(value, type) {
      this.value = value
      this.type = type
    }

    /** The culprit's place in the value, as a JSON Pointer, and its type. May fire Proxy traps, but no getters. */
    find() {
      const seen = new Set()
      const search = (value, at) => {
        if (seen.has(value) || isCloneable(value)) return null
        seen.add(value)
        const type = typeName(value)
        if (!/^(Object|Array)$/.test(type)) return { at, type }
        let culprit = { at, type: "Proxy" } // Where nothing in it is wrong, only a Proxy is refused.
        for (const key of keysOf(value)) {
          const property = getOwnPropertyDescriptor(value, key)
          const place = `${at}/${escapeToken(key)}`
          const found = property.get ? null : search(property.value, place)
          if (found) return found
          if (property.get) culprit = { at: place, type: "getter" }
        }
        return culprit
      }
      return (!this.type && search(this.value, "")) || { at: "", type: this.type ?? typeName(this.value) }
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

  /** Thrown inside the encoder where one part makes WebKit deliver the whole value as undefined. */
  const wholeIsUndefined = {}

  /** Escapes a key for a JSON Pointer (RFC 6901, section 3). */
  const escapeToken = (key) => (exec(/[~/]/, key) ? replace(replace(key, /~/g, "~0"), /\//g, "~1") : key)

  /** Prints one JavaScript value as JSON with a `types` table (protocol: "Script values"). */
  class ScriptValueEncoder {
    #types = ""
    #places = new Table()

    /**
     * The members `"NAME":…` and, where needed, `"types":…` of a JSON object.
     * The value is a snapshot: getters run once, in order, and `toJSON` is never asked.
     * @param {string} name @param {unknown} value @returns {string} @throws {Uncloneable}
     */
    static members(name, value) {
      const encoder = new ScriptValueEncoder()
      try {
        const text = encoder.#write(snapshot(value), null, "", 0)
        return `"${name}":${text}${encoder.#types && `,"types":{${encoder.#types}}`}`
      } catch (error) {
        if (error === wholeIsUndefined) return `"${name}":null,"types":{"":"undefined"}`
        throw error instanceof Uncloneable ? error : new Uncloneable(value, TOO_DEEP) // The stack is full.
      }
    }

    /** `parent` is the place of the container, `{parent, key}` in turn, or null for the whole value. */
    #write(value, parent, key, depth) {
      switch (typeof value) {
        case "string": return hasLoneSurrogate(value) ? this.#mark("utf16", units(value), parent, key) : stringify(value)
        case "number":
          if (isFinite(value) && !is(value, -0)) return `${value}`
          return this.#mark("number", is(value, -0) ? '"-0"' : `"${value}"`, parent, key)
        case "boolean": return `${value}`
        case "object": return value === null ? "null" : this.#writeObject(value, parent, key, depth)
        default: return this.#mark("undefined", "null", parent, key) // undefined; BigInt, too, arrives so.
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
        if (name === "__proto__") continue
        const member = hasOwn(value, name) ? value[name] : undefined // A hole must not show what the prototype has.
        text += `${text && ","}${isList ? "" : `${quote(name)}:`}${this.#write(member, place, name, depth + 1)}`
      }
      return isList ? `[${text}]` : `{${text}}`
    }

    #mark(type, text, parent, key) {
      this.#types += `${this.#types && ","}${quote(pointer(parent, key))}:"${type}"`
      return text
    }
  }

  /** What WebKit makes of the other values that can be cloned: Map, Set, RegExp, Error … are emptied. */
  const platformValue = (value) => {
    const type = typeName(value)
    if (exec(/^DOM/, type)) throw wholeIsUndefined // DOMRect, DOMMatrix, DOMException …
    return exec(/^(Blob|File|FileList|ImageData)$/, type) ? "null" : "{}"
  }

  const pointer = (parent, key) => (parent ? `${pointer(parent.parent, parent.key)}/${escapeToken(key)}` : "")

  const units = (text) => {
    let list = ""
    for (let index = 0; index < text.length; index++) list += (index > 0 ? "," : "") + charCodeAt(text, index)
    return `[${list}]`
  }

  /** A deep copy by the browser's structured clone, which refuses what WebKit refuses: Proxies, functions, nodes … */
  const snapshot = (value) => {
    if (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol") return value
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

  /** Makes the JavaScript value of JSON with its `types` table. */
  const decodeScriptValue = (value, types = {}) => {
    const root = { whole: value }
    const locate = (path) => {
      const tokens = `whole${path}`.split("/").map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"))
      const key = tokens.pop()
      return { holder: tokens.reduce((at, token) => at?.[token], root), key }
    }
    const replaceAt = (path, decode) => {
      const { holder, key } = locate(path)
      if (holder) holder[key] = decode(holder[key])
    }
    const follow = (path) => {
      const { holder, key } = locate(path)
      return holder?.[key]
    }
    const paths = keysOf(types)
    for (const path of paths) if (types[path] !== "ref") replaceAt(path, decoders[types[path]])
    for (const path of paths) if (types[path] === "ref") replaceAt(path, follow)
    return root.whole
  }

  // window.webkit, as WebKit shapes it

  const constructionKey = {}
  const requireKey = (key) => {
    if (key !== constructionKey) throw new TypeError("Illegal constructor")
  }

  class WebKitNamespace {
    #messageHandlers

    constructor(key, messageHandlers) {
      requireKey(key)
      this.#messageHandlers = messageHandlers
    }

    get messageHandlers() {
      return this.#messageHandlers
    }
  }

  class UserMessageHandlersNamespace {
    constructor(key) {
      requireKey(key)
    }
  }

  let retire = null // Makes a handler refuse further messages, as WebKit does once it is removed.

  class UserMessageHandler {
    #name
    #replies
    #outbox
    #isRetired = false

    constructor(key, name, replies, outbox) {
      requireKey(key)
      this.#name = name
      this.#replies = replies
      this.#outbox = outbox
    }

    static {
      retire = (handler) => (handler.#isRetired = true)
    }

    /**
     * Queues a snapshot of `body` for native code; never blocks, never throws.
     * @param {unknown} body
     * @returns {Promise<unknown>} the reply of a replying handler, else undefined once the handler has run
     */
    postMessage(body) {
      if (typeof this !== "object" || this === null || !(#outbox in this)) {
        const text = "Can only call UserMessageHandler.postMessage on instances of UserMessageHandler"
        return rejected(new TypeError(text))
      }
      if (arguments.length === 0) return rejected(new TypeError("Not enough arguments"))
      if (this.#isRetired) {
        const text = "The object does not support the operation or argument."
        return rejected(new DOMException(text, "InvalidAccessError"))
      }
      try {
        return this.#outbox.post(this.#name, this.#replies, ScriptValueEncoder.members("body", body))
      } catch (error) {
        // Told later, because looking for the culprit may fire Proxy traps, and WebKit fires none.
        queueMicrotask(() => tellUncloneable(this.#name, error))
        return new Promise(() => {})
      }
    }
  }

  const rejected = (reason) => new Promise((_, reject) => reject(reason))

  const tellUncloneable = (name, error) => {
    const { at, type } = error instanceof Uncloneable ? error.find() : { at: "", type: String(error) }
    tell("warn", `postMessage to "${name}": the value${at && ` at ${at}`} is a ${type}, which WebKit does not deliver. ` +
      "Nothing was sent, and the promise stays pending, as in WKWebView. Post plain data instead.")
  }

  for (const type of [UserMessageHandler, UserMessageHandlersNamespace, WebKitNamespace]) {
    defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true })
    defineProperty(window, type.name, { value: type, writable: true, configurable: true })
  }
  defineProperty(WebKitNamespace.prototype, "messageHandlers", { enumerable: true })
  defineProperty(UserMessageHandler.prototype, "postMessage", { enumerable: true })

  /** Keeps `window.webkit` in step with the daemon's handlers. */
  class MessageHandlers {
    #registrations = new Table()
    #outbox
    #namespace

    constructor(outbox) {
      this.#outbox = outbox
      const find = (name) => this.#registrations.get(name)?.handler
      // The properties are there when asked for by name, and in no listing: that is how WebKit's named getter behaves.
      const messageHandlers = new Proxy(new UserMessageHandlersNamespace(constructionKey), {
        has: (target, key) => key in target || find(key) !== undefined,
        get: (target, key) => (key in target ? target[key] : find(key)),
        getOwnPropertyDescriptor(target, key) {
          const value = key in target ? undefined : find(key)
          if (value === undefined) return getOwnPropertyDescriptor(target, key)
          return { value, writable: false, enumerable: true, configurable: true }
        }
      })
      this.#namespace = new WebKitNamespace(constructionKey, messageHandlers)
    }

    /** @param {{name: string, replies: boolean}[]} handlers all handlers there are now */
    update(handlers) {
      const registrations = new Table()
      for (let index = 0; index < handlers.length; index++) {
        const { name, replies } = handlers[index]
        const known = this.#registrations.get(name)
        const isKept = known?.replies === replies
        const handler = isKept ? known.handler : new UserMessageHandler(constructionKey, name, replies, this.#outbox)
        registrations.set(name, { handler, replies })
      }
      this.#registrations.forEach(({ handler }, name) => {
        if (registrations.get(name)?.handler !== handler) retire(handler)
      })
      this.#registrations = registrations
      this.#show()
    }

    /** As in WebKit, `webkit` is there while there is any handler. A page's own value under the name is left alone. */
    #show() {
      if (this.#registrations.size === 0) {
        if (window.webkit === this.#namespace) delete window.webkit
      } else if (!("webkit" in window)) {
        defineProperty(window, "webkit", { value: this.#namespace, writable: true, configurable: true })
      }
    }
  }

  // What waits to be sent

  /**
   * Holds everything that goes to the daemon: sends what one turn of the page queued as one batch, and keeps each
   * posted message until the daemon has acknowledged it.
   */
  class Outbox {
    #connection
    #seq = 0
    #oldest = 1 // The lowest seq that may still be kept.
    #kept = new Table() // seq → message without acknowledgement
    #keptBytes = 0
    #replies = new Table() // seq → message that waits for its reply
    #ready = [] // What the next flush sends, in order: `{message}` or `{text, isLasting}`
    #isScheduled = false
    #isRefusing = false
    #leaving = null // The head of each beacon, while the page goes away.

    constructor(connection) {
      this.#connection = connection
    }

    /** How many frames wait that outlast a connection. */
    get lastingCount() {
      return this.#connection.isOpen ? 0 : this.#ready.length
    }

    /** @returns {Promise<unknown>} settled by the acknowledgement, or by the reply of a replying handler */
    post(name, replies, members) {
      const seq = this.#seq + 1
      const params = `{"seq":${seq},"handler":${quote(name)},${members}}`
      const message = { seq, name, replies, params, bytes: byteLength(params) }
      message.promise = new Promise((resolve, reject) => {
        message.resolve = resolve
        message.reject = reject
      })
      const isFull = this.#kept.size >= MAX_KEPT || this.#keptBytes + message.bytes > MAX_KEPT_BYTES
      if (isFull) this.#refuse(message)
      else this.#keep(message)
      return message.promise
    }

    /** Queues any other frame. One that is not `lasting` is dropped when the connection breaks. */
    send(text, isLasting = false) {
      this.#add({ text, isLasting })
    }

    /** Drops the messages up to `seq`, and fulfils the promises of plain handlers. */
    acknowledge(seq) {
      for (; this.#oldest <= min(seq, this.#seq); this.#oldest++) {
        const message = this.#take(this.#oldest)
        if (message && !message.replies) message.resolve(undefined)
      }
    }

    /** Settles the promise of the message `seq` with a JSON-RPC response. */
    settle(seq, { result, error }) {
      const message = this.#replies.get(seq)
      if (!message) return
      this.#take(seq)
      this.#replies.delete(seq)
      if (!error) return message.resolve(decodeScriptValue(result?.value, result?.types))
      const reason = new Error(replyErrorText(message.name, error))
      delete reason.stack // WebKit's has a message and nothing else.
      message.reject(reason)
    }

    /** Queues what the daemon has not got, after a connection was made. */
    resume({ resumed, lastSeq }) {
      this.acknowledge(lastSeq)
      if (!resumed) this.#failUnanswered()
      const others = this.#ready
      this.#ready = []
      for (let seq = this.#oldest; seq <= this.#seq; seq++) {
        if (this.#kept.has(seq)) this.#add({ message: this.#kept.get(seq) })
      }
      for (let index = 0; index < others.length; index++) if (!others[index].message) this.#add(others[index])
    }

    /** Forgets what makes no sense on another connection. Kept messages come back with `resume`. */
    disconnected() {
      this.#ready = this.#ready.filter((item) => item.isLasting)
    }

    /**
     * Until `stay`, messages go by beacon as well: nobody waits for the socket of a page that goes away.
     * @param {string} head the beacon's members before `messages`
     */
    leave(head) {
      this.#flush()
      this.#leaving = head
      const items = []
      this.#kept.forEach((message) => items.push({ message }))
      this.#sendBeacons(items)
    }

    stay() {
      this.#leaving = null
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
      this.#ready[this.#ready.length] = item
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
      if (this.#leaving !== null) this.#sendBeacons(ready)
    }

    #sendFrames(items) {
      const limit = this.#connection.maxMessageBytes
      const texts = []
      for (let index = 0; index < items.length; index++) {
        const text = frameText(items[index])
        const bytes = byteLength(text)
        if (bytes > limit) this.#drop(items[index].message, bytes, limit)
        else texts[texts.length] = text
      }
      inBatches(texts, limit - 2, (batch, count) => this.#connection.send(count > 1 ? `[${batch}]` : batch))
    }

    #sendBeacons(items) {
      const texts = []
      for (let index = 0; index < items.length; index++) {
        const { message } = items[index]
        if (message) texts[texts.length] = notification("message.post", message.params)
      }
      inBatches(texts, MAX_BEACON_BYTES, (batch) => this.#connection.beacon(`{${this.#leaving},"messages":[${batch}]}`))
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
      tell("error", `${this.#kept.size} messages (${this.#keptBytes} bytes) wait for the daemon, and the page keeps ` +
        `${MAX_KEPT} or ${MAX_KEPT_BYTES} bytes. Further ones are refused until the daemon takes some: is it running?`)
    }

    #drop(message, bytes, limit) {
      const text = `has ${bytes} bytes, and the daemon takes ${limit} a message`
      tell("error", `${message ? `a message to "${message.name}"` : "an answer"} was not sent: it ${text}.`)
      if (!message) return
      this.#take(message.seq)
      this.#replies.delete(message.seq)
      fail(message, `it ${text}`)
    }

    #failUnanswered() {
      this.#replies.forEach((message, seq) => {
        if (this.#kept.has(seq)) return
        this.#replies.delete(seq)
        fail(message, "the daemon was started again before the handler replied")
      })
    }
  }

  /** Joins texts by commas, as many as fit in `limit` bytes, and hands each batch on with its count. */
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

  const frameText = ({ message, text }) => {
    if (!message) return text
    return message.replies ? request(message.seq, "message.post", message.params) : notification("message.post", message.params)
  }

  /** Rejects a message's promise. It counts as handled: a burst of refusals is told once, not once a message. */
  const fail = (message, text) => {
    then(message.promise, undefined, () => {})
    message.reject(new Error(`bridged: the message to "${message.name}" was not delivered: ${text}.`))
  }

  const replyErrorText = (name, { code, message, data }) => {
    if (code === -32003) return message
    if (code === -32001) return `bridged: the daemon has no handler "${name}". It has: ${data?.handlers}.`
    return `bridged: no reply from "${name}": ${message} (${code}).`
  }

  // The connection

  /** Decides when to connect again: at once, then ever later, up to five seconds; jitter keeps many pages apart. */
  class ConnectionMonitor {
    #connect
    #timer = null
    #isRunning = false
    attempt = 0

    constructor(connect) {
      this.#connect = connect
    }

    start() {
      if (this.#isRunning) return
      this.#isRunning = true
      this.#connect()
    }

    stop() {
      this.#isRunning = false
      clearTimeout(this.#timer)
      this.#timer = null
    }

    connected() {
      this.attempt = 0
    }

    disconnected() {
      if (!this.#isRunning || this.#timer !== null) return
      const delay = min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt++) * (0.5 + random() / 2)
      this.#timer = setTimeout(() => this.retry(), delay)
    }

    /** Ends a pause early, where there is one. */
    retry() {
      if (this.#timer === null) return
      clearTimeout(this.#timer)
      this.#timer = null
      this.#connect()
    }
  }

  /** One WebSocket at a time to the daemon. Events of an earlier socket are not heard any more. */
  class Connection {
    #socket = null
    #delegate
    isOpen = false // True once the daemon has accepted this document.
    maxMessageBytes = Infinity

    constructor(url, delegate) {
      this.url = url
      this.#delegate = delegate
    }

    open() {
      try {
        this.#socket = new WebSocket(this.url, "bridge.page.v1")
      } catch (error) {
        return this.#delegate.refused(error)
      }
      const socket = this.#socket
      const listen = (type, handle) => {
        socket.addEventListener(type, (event) => socket === this.#socket && handle(event))
      }
      listen("open", () => this.#delegate.opened())
      listen("message", (event) => this.#delegate.received(event.data))
      listen("close", ({ code, reason }) => {
        this.close()
        this.#delegate.closed(code, reason)
      })
    }

    close() {
      const socket = this.#socket
      this.#socket = null
      this.isOpen = false
      socket?.close()
    }

    send(text) {
      sendFrame(this.#socket, text)
    }

    /** Posts text that outlives the page. The browser takes 64 KiB at a time. */
    beacon(text) {
      const url = replace(replace(this.url, /^ws/, "http"), /\/page$/, "/beacon")
      if (!sendBeacon(navigator, url, text)) tell("error", "the browser took no beacon: what the page posts now may be lost.")
    }
  }

  // What native code asks for

  /** Runs the daemon's requests, one after another, each in a task of its own. */
  class Evaluator {
    #requests = []
    #current = null
    #answers = new Table() // id → response, or null while it runs
    #ids = [] // of the answers, oldest first
    #bytes = 0
    #respond
    #port
    isReporting = false // True while an evaluation's own exception is dispatched to the page.

    /** @param {(response: string) => void} respond */
    constructor(respond) {
      this.#respond = respond
      const { port1, port2 } = new MessageChannel()
      // Two listeners, because browsers run all microtasks between them: as in WebKit, messages that the script's
      // microtasks post go before its result, and the result is what they leave of it.
      port1.addEventListener("message", () => this.#run())
      port1.addEventListener("message", () => this.#finish())
      port1.start()
      this.#port = port2
    }

    /** A request that came before is not run again: it gets the answer that it had, once there is one. */
    perform(call) {
      if (this.#answers.has(call.id)) {
        const answer = this.#answers.get(call.id)
        if (answer) this.#respond(answer)
        return
      }
      if (call.id !== undefined) this.#remember(call.id)
      this.#requests.push(call)
      this.#port.postMessage(null)
    }

    #run() {
      const { id, method, params } = this.#requests.shift()
      this.#current = null
      if (method === "page.navigate") return navigate(params)
      try {
        if (method === "script.callAsync") return this.#callAsync(id, params)
        this.#current = { id, value: globalEval(`${params.source}\n//# sourceURL=${scriptURL(params)}`) }
      } catch (error) {
        this.#answer(id, exception(id, error, params, true))
        this.#report(error)
      }
    }

    #finish() {
      if (this.#current) this.#answer(this.#current.id, result(this.#current.id, this.#current.value))
      this.#current = null
    }

    /** Arguments are spliced into the source as WebKit does, so names such as `{x}` or `...rest` work. */
    #callAsync(id, params) {
      const values = decodeScriptValue(params.arguments ?? {}, params.types)
      const names = keysOf(values)
      const source = `(async function(${names.join(",")}){${params.body}})\n//# sourceURL=${scriptURL(params)}`
      const promise = apply(globalEval(source), undefined, names.map((name) => values[name]))
      const settle = async () => {
        try {
          const value = await promise
          this.#answer(id, result(id, value))
        } catch (error) {
          this.#answer(id, exception(id, error, params, false))
        }
      }
      settle()
    }

    /** Shows the page the exception as the uncaught error that it is; the log has it as the evaluation's answer. */
    #report(error) {
      this.isReporting = true
      try {
        reportError(error)
      } finally {
        this.isReporting = false
      }
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
      this.#answers.set(id, text)
      this.#bytes += text.length
      this.#respond(text)
    }
  }

  const scriptURL = ({ sourceURL }) => (sourceURL && !/\s/.test(sourceURL) ? sourceURL : "bridged-evaluation")

  const navigate = ({ url, reload, delta }) => {
    if (url) location.assign(url)
    else if (reload) location.reload()
    else history.go(delta)
  }

  const result = (id, value) => {
    try {
      return success(id, ScriptValueEncoder.members("value", value))
    } catch (error) {
      const { type } = error instanceof Uncloneable ? error.find() : { type: typeName(value) }
      const text = "JavaScript execution returned a result of an unsupported type"
      return failure(id, 5, text, { __proto__: null, type })
    }
  }

  /** An exception as WebKit tells it. Only `evaluate` has a position there. */
  const exception = (id, error, params, hasPosition) => {
    const position = hasPosition ? findPosition(error, params) : { line: 0, column: 0, sourceURL: undefined }
    return failure(id, 4, "A JavaScript exception occurred", {
      __proto__: null,
      name: typeof error?.name === "string" ? error.name : undefined,
      message: isEvalForbidden(error) ? FORBIDDEN_EVAL : exceptionMessage(error),
      ...position,
      stack: typeof error?.stack === "string" ? error.stack : undefined
    })
  }

  const exceptionMessage = (error) => {
    try {
      return /Error|DOMException/.test(classString(error)) ? errorString(error) : `${error}`
    } catch {
      return ""
    }
  }

  /** The top frame of the stack that has a position: `at f (URL:LINE:COLUMN)` in Chromium, `f@URL:LINE:COLUMN` in Firefox. */
  const findPosition = (error, { source, sourceURL }) => {
    const ownURL = sourceURL ?? location.href
    const frame = /(?:\(|@|at )([^\s()@]+):(\d+):(\d+)\)?$/m.exec(String(error?.stack ?? ""))
    const isSyntaxError = error?.name === "SyntaxError" && frame?.[1] !== scriptURL({ sourceURL })
    if (isSyntaxError || !frame) {
      // Engines don't say where a syntax error in evaluated text is, but one line has no other.
      return { line: isSyntaxError && !/\n/.test(source) ? 1 : 0, column: 0, sourceURL: ownURL }
    }
    const url = frame[1] === "bridged-evaluation" ? ownURL : frame[1]
    return { line: Number(frame[2]), column: Number(frame[3]), sourceURL: url }
  }

  const FORBIDDEN_EVAL = "This page's Content-Security-Policy forbids evaluation: its script-src directive lacks " +
    "'unsafe-eval'. Add it in development, or serve the page without the policy."

  const isEvalForbidden = (error) => {
    if (error?.name !== "EvalError") return false
    try {
      globalEval("0")
      return false
    } catch {
      return true
    }
  }

  // What the daemon is told of the page

  /** Sends console calls and uncaught errors to the daemon, at most so many a second: a log storm delays no message. */
  class ConsoleForwarder {
    #outbox
    #count = 0
    #leftOut = 0
    #timer = null
    #isFormatting = false

    constructor(outbox) {
      this.#outbox = outbox
    }

    start(isOwnReport) {
      for (const level of keysOf(native)) {
        const forward = (list) => this.#forwardCall(level, list)
        console[level] = { [level](...list) { apply(native[level], console, list); forward(list) } }[level]
      }
      window.addEventListener("error", (event) => {
        if (isOwnReport() || event.message === undefined) return
        const { message, filename, lineno, colno, error } = event
        this.forward("error", message, "exception", { url: filename, line: lineno, column: colno, stack: error?.stack })
      })
      window.addEventListener("unhandledrejection", ({ reason }) => {
        this.forward("error", exceptionMessage(reason), "rejection", { url: location.href, stack: reason?.stack })
      })
    }

    forward(level, text, kind = "console", { url, line, column, stack } = {}) {
      this.#timer ??= setTimeout(() => this.#endSecond(), 1_000)
      if (this.#count++ >= MAX_ENTRIES_PER_SECOND || this.#outbox.lastingCount >= MAX_ENTRIES_KEPT) {
        this.#leftOut++
        return
      }
      const shortStack = typeof stack === "string" ? clip(stack) : undefined
      const entry = { __proto__: null, level, text: clip(text), kind, url, line, column, stack: shortStack }
      this.#outbox.send(notification("console.entry", json(entry)), true)
    }

    #forwardCall(level, list) {
      if (this.#isFormatting) return // A value's own code logs while it is made into text.
      this.#isFormatting = true
      try {
        this.forward(level, formatArguments(list))
      } catch {
        this.forward(level, "(a value that could not be made into text)")
      } finally {
        this.#isFormatting = false
      }
    }

    #endSecond() {
      const leftOut = this.#leftOut
      this.#timer = null
      this.#count = 0
      this.#leftOut = 0
      if (leftOut > 0) this.forward("warn", `bridged left out ${leftOut} console entries of this page: they came too fast.`)
    }
  }

  /** Tells the daemon what changed about the document. */
  class PageObserver {
    #outbox
    #told = {}

    constructor(outbox) {
      this.#outbox = outbox
      const check = () => this.check()
      for (const type of ["popstate", "hashchange", "load", "pageshow"]) window.addEventListener(type, check)
      for (const type of ["readystatechange", "visibilitychange"]) document.addEventListener(type, check)
      window.navigation?.addEventListener("currententrychange", check) // pushState and replaceState
      const options = { subtree: true, childList: true, characterData: true }
      new window.MutationObserver(check).observe(document.head ?? document.documentElement, options)
    }

    /** The state of the page, with what `page.attach` tells of it. */
    describe() {
      const { title, readyState, visibilityState: visibility } = document
      const status = performance.getEntriesByType("navigation")[0]?.responseStatus || undefined
      return { __proto__: null, url: location.href, title, readyState, visibility, status }
    }

    /** Remembers what the daemon knows, from `page.attach`. */
    attached({ url, title, readyState }) {
      this.#told = { url, title, readyState }
      this.check()
    }

    check() {
      const now = this.describe()
      const changes = { __proto__: null }
      for (const key of keysOf(now)) if (now[key] !== this.#told[key]) changes[key] = now[key]
      this.#told = now
      if (keysOf(changes).length > 0) this.#outbox.send(notification("page.update", json(changes)))
    }
  }

  // All of it together

  /** Connects this document with the daemon, and takes what the daemon sends to whom it concerns. */
  class Bridge {
    state = "connecting"
    page = null
    #document = makeUUID()
    #attachedAs = null // What the last `page.attach` told.
    #hasAttached = false
    #hasToldOutage = false

    constructor(url, webView) {
      this.url = url
      this.webView = webView
      this.connection = new Connection(url, this)
      this.outbox = new Outbox(this.connection)
      this.handlers = new MessageHandlers(this.outbox)
      this.evaluator = new Evaluator((response) => this.outbox.send(response))
      this.monitor = new ConnectionMonitor(() => this.#connect())
      this.console = new ConsoleForwarder(this.outbox)
    }

    start() {
      this.handlers.update(settings.handlers)
      this.console.start(() => this.evaluator.isReporting)
      this.observer = new PageObserver(this.outbox)
      window.addEventListener("online", () => this.monitor.retry())
      document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.monitor.retry())
      document.addEventListener("securitypolicyviolation", (event) => this.#tellViolation(event))
      window.addEventListener("pagehide", ({ persisted }) => this.#leave(persisted))
      window.addEventListener("pageshow", ({ persisted }) => persisted && this.#return())
      this.monitor.start()
    }

    opened() {
      this.#attachedAs = this.#describe()
      this.connection.send(request("attach", "page.attach", json(this.#attachedAs)))
    }

    received(text) {
      const frame = parse(text)
      if (!isArray(frame)) return this.#handle(frame)
      for (let index = 0; index < frame.length; index++) this.#handle(frame[index])
    }

    closed(code, reason) {
      this.outbox.disconnected()
      if (code === 1009) tell("error", `the daemon closed the connection: a message was over its limit. ${reason}`)
      if (code === 1008) tell("error", `the daemon closed the connection: ${reason || "it could not read what came"}.`)
      if (!this.#hasToldOutage && code !== 1013) {
        this.#hasToldOutage = true
        native.warn(`bridged: no connection to ${this.url}. Is the daemon running? Trying again; messages are kept.`)
      }
      this.monitor.disconnected()
      this.#setState("away")
    }

    /** The browser made no socket at all: mixed content, or a policy. */
    refused(error) {
      native.error(`bridged: the browser refused to connect to ${this.url}: ${error.message} A page on https needs a ` +
        `daemon behind wss, or serve the page over http in development. A Content-Security-Policy needs "connect-src ${this.url}".`)
      this.#setState("away")
    }

    #connect() {
      this.#setState("connecting")
      this.connection.open()
    }

    #describe() {
      const { url, title, readyState } = this.observer.describe()
      const frame = { __proto__: null, url, origin: location.origin, isMainFrame: window === window.top }
      const { userAgent } = navigator
      const resume = this.#hasAttached
      return { __proto__: null, document: this.#document, webView: this.webView, frame, title, readyState, userAgent, resume }
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
      if (response.id !== "attach") this.outbox.settle(response.id, response)
      else if (response.error) this.#attachFailed(response.error)
      else this.#attached(response.result)
    }

    #handleCall({ id, method, params }) {
      if (method === "page.ack") this.outbox.acknowledge(params.seq)
      else if (method === "handlers.changed") this.handlers.update(params.handlers)
      else if (/^(script\.(evaluate|callAsync)|page\.navigate)$/.test(method)) this.evaluator.perform({ id, method, params })
      else if (id !== undefined) this.outbox.send(failure(id, -32601, `This page knows no method "${method}"`))
    }

    #attached({ page, resumed, lastSeq, handlers, maxMessageBytes }) {
      this.page = page
      this.#hasAttached = true
      this.#hasToldOutage = false
      this.connection.isOpen = true
      this.connection.maxMessageBytes = maxMessageBytes
      this.monitor.connected()
      this.handlers.update(handlers)
      this.outbox.resume({ resumed, lastSeq })
      this.observer.attached({ ...this.#attachedAs, url: this.#attachedAs.frame.url })
      this.#setState("connected")
    }

    #attachFailed({ code, message }) {
      native.error(`bridged: the daemon did not take this page: ${message} (${code}). Reload the page once that is put right.`)
      this.monitor.stop()
      this.connection.close()
      this.#setState("away")
    }

    /** A document that never came to attach says in its beacon who it is. */
    #leave(persisted) {
      const attach = this.#hasAttached ? "" : `,"attach":${json(this.#describe())}`
      this.outbox.leave(`"document":"${this.#document}"${attach}`)
      this.monitor.stop()
      if (!persisted) return
      this.connection.close() // An open socket would keep the page out of the back/forward cache.
      this.outbox.disconnected()
    }

    #return() {
      this.outbox.stay()
      this.monitor.start()
    }

    #tellViolation({ effectiveDirective, blockedURI }) {
      if (effectiveDirective !== "connect-src" || !blockedURI.startsWith(new URL(this.url).origin)) return
      this.refused({ message: "the page's Content-Security-Policy forbids it." })
    }

    #setState(state) {
      this.state = state
      const detail = { state, page: this.page, attempt: this.monitor.attempt }
      document.dispatchEvent(new CustomEvent("bridged:state", { detail }))
    }
  }

  /** Version 4 (RFC 9562, section 5.4). `crypto.randomUUID` is missing on plain http, localhost aside. */
  const makeUUID = () => {
    const bytes = crypto.getRandomValues(new window.Uint8Array(16))
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  }

  /** The web view's name: from the script tag or the page's address, else as this tab had it before. */
  const findWebView = (script) => {
    const named = script?.dataset?.webView || new URL(location.href).searchParams.get("bridged-web-view")
    try {
      if (named) window.sessionStorage.setItem("bridged-web-view", named)
      return named || window.sessionStorage.getItem("bridged-web-view") || "main"
    } catch {
      return named || "main" // Storage may be forbidden.
    }
  }

  const findURL = (script) => {
    if (!script?.src) return settings.url
    const url = new URL("/page", script.src)
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
    return url.href
  }

  let bridge = null

  /** Says something in the page's console and in the daemon's log. */
  const tell = (level, text) => {
    apply(native[level], console, [`bridged: ${text}`])
    bridge?.console.forward(level, `bridged: ${text}`)
  }

  if (window.bridged) return tell("warn", "bridge.js is on this page twice; the second one does nothing. Remove one tag.")
  if (!settings) return tell("error", "load bridge.js from the daemon, http://localhost:2734/bridge.js, not from a file.")
  const script = document.currentScript
  bridge = new Bridge(findURL(script), findWebView(script))
  const status = { get state() { return bridge.state }, get page() { return bridge.page }, get url() { return bridge.url } }
  defineProperty(window, "bridged", { value: status, configurable: true })
  if (document.readyState !== "loading") {
    native.info("bridged: bridge.js came after the page. Put it first in <head>: WebKit has its handlers before any script.")
  }
  bridge.start()
})()
