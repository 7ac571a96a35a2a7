// Part of bridge.js: `window.webkit.messageHandlers`, as WebKit shows it.

/** Whether the next document will use this window object, too, as it does after an initial about:blank. */
const isReusable = () => location.href === "about:blank"

/** Whether this frame was removed. Then it has no handlers any more. */
const isDetached = () => window.top === null

const constructionKey = {}
/** The constructors have no parameters, as those of WebKit. */
const requireKey = (list) => {
  if (first(list) !== constructionKey) throw new TypeError("Illegal constructor")
}

class WebKitNamespace {
  constructor() {
    requireKey(arguments)
  }

  get messageHandlers() {
    return namespaces.get(this)
  }
}

class UserMessageHandlersNamespace {
  constructor() {
    requireKey(arguments)
  }
}

class UserMessageHandler {
  constructor() {
    requireKey(arguments)
  }

  /**
   * @param {unknown} body
   * @returns {Promise<unknown>} the handler's reply; undefined, as soon as it has run, for a handler that never replies
   */
  postMessage(body) {
    const registration = registrations.get(this)
    if (!registration) {
      const text = "Can only call UserMessageHandler.postMessage on instances of UserMessageHandler"
      return rejected(new TypeError(text))
    }
    if (arguments.length === 0) return rejected(new TypeError("Not enough arguments"))
    const { name, replies, outbox, isRetired } = registration
    // In WebKit, nothing settles the promises of a frame that was removed.
    if (isDetached()) return new Promise(() => {})
    if (isRetired) {
      const text = "The object does not support the operation or argument."
      return rejected(new DOMException(text, "InvalidAccessError"))
    }
    try {
      const outcome = outbox.post(name, replies, ScriptValueEncoder.members("body", body))
      return outbox === bridge.outbox ? outcome : ofThisRealm(outcome)
    } catch (error) {
      // This is done later, because the search may run Proxy traps, and WebKit runs none.
      queueMicrotask(() => reportUncloneable(name, error))
      return new Promise(() => {})
    }
  }
}

/** The `messageHandlers` of each WebKitNamespace. */
const namespaces = new WeakTable()
/** `{name, replies, outbox, isRetired}` of each UserMessageHandler. A frame shares the table of the page around it. */
const registrations = sharedRegistrations ?? new WeakTable()

/** Copies an outcome into this realm: `postMessage` may be called with a handler of another frame as `this`. */
const ofThisRealm = (outcome) =>
  new Promise((resolve, reject) => {
    then(outcome, (value) => resolve(structuredClone(value)), (error) => reject(new Error(error.message)))
  })

const rejected = (reason) => new Promise((_, reject) => reject(reason))

const reportUncloneable = (name, error) => {
  const { at, type } = error.findPart()
  const refuses = type === TOO_DEEP ? "bridged" : "WebKit"
  const what = `the value${at && ` at ${at}`} is a ${type}, which ${refuses} does not deliver`
  report("warn", `postMessage to "${name}": ${what}. The promise stays pending, as in WebKit. Post plain data.`)
}

/** Makes a class look like one of the browser: its members print as native code and are enumerable. */
const publish = (type, members) => {
  const { name, prototype } = type
  const value = disguise(type)
  each(members, (member) => {
    const property = propertyOf(prototype, member)
    const kind = property.get ? "get" : "value"
    property[kind] = disguise(property[kind])
    define(prototype, member, { ...property, enumerable: true })
  })
  define(prototype, "constructor", { value })
  define(prototype, toStringTag, { value: name, configurable: true })
  define(window, name, { value, writable: true, configurable: true })
}
publish(UserMessageHandler, ["postMessage"])
publish(UserMessageHandlersNamespace, [])
publish(WebKitNamespace, ["messageHandlers"])

/** `window.webkit`, which exists while there is a handler. */
class MessageHandlers {
  /** UserMessageHandler by name. */
  #handlers = new Table()
  #outbox
  #namespace = disguise(new WebKitNamespace(constructionKey))
  #isShown = false
  #replacement = null // `{value}`, once the page has assigned to `webkit`

  constructor(outbox) {
    this.#outbox = outbox
    this.#hideFromKeys()
    const find = (key) => (isDetached() ? undefined : this.#handlers.get(key))
    // As in WebKit, a handler can be found by its name, but is not enumerated.
    namespaces.set(this.#namespace, disguise(new UserMessageHandlersNamespace(constructionKey), {
      has: (target, key) => key in target || find(key) !== undefined,
      get: (target, key) => (key in target ? target[key] : find(key)),
      getOwnPropertyDescriptor(target, key) {
        const value = key in target ? undefined : find(key)
        if (value === undefined) return propertyOf(target, key)
        return { __proto__: null, value, writable: false, enumerable: true, configurable: true }
      }
    }))
  }

  update(list) {
    const handlers = new Table()
    for (let index = 0; index < list.length; index++) {
      const { name, replies } = bare(list[index])
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

  /** Defines `window.webkit`. A page can assign to it, but can neither delete, redefine nor enumerate it. */
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
    define(window, "webkit", { get: disguise(get), set: disguise(set), enumerable: false, configurable })
  }

  /** What WebKit says about `window.webkit`: its value can't be changed, although a page can assign to it. */
  get #property() {
    const isChangeable = this.#replacement !== null
    return { value: window.webkit, writable: isChangeable, enumerable: true, configurable: isChangeable }
  }

  /** Hides `webkit` from the window's keys. As in WebKit, it is nevertheless said to be enumerable. */
  #hideFromKeys() {
    const hide = (method, target, list) => {
      const names = apply(method, target, list)
      if (list[0] !== window || !this.#isShown) return names
      return setPrototypeOf(filter(names, (name) => name !== "webkit"), getPrototypeOf(names))
    }
    override(Object, "getOwnPropertyNames", hide)
    override(Reflect, "ownKeys", hide)
    const look = (method, target, list) => {
      const property = apply(method, target, list)
      return property && this.#isShown && list[0] === window && list[1] === "webkit" ? this.#property : property
    }
    override(Object, "getOwnPropertyDescriptor", look)
    override(Reflect, "getOwnPropertyDescriptor", look)
    override(objectPrototype, "propertyIsEnumerable", (method, object, list) => {
      return (this.#isShown && object === window && list[0] === "webkit") || apply(method, object, list)
    })
  }
}
