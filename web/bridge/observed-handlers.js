// Part of bridge.js, for pages in an app of their own: observes what the page posts to the app's message handlers.

/** The names that handlers have in frameworks. */
const KNOWN_HANDLERS = ["turbo", "bridge", "strada", "nativeApp", "bridgeComponents"]

const writeMessage = (seq, handler, body) => {
  return `{"seq":${seq},"kind":"message","handler":${quote(handler)},${copiedMembers("body", body)}}`
}

const speciesOfPromise = propertyOf(Promise, species)?.get
let isUsual = false
/** Whether `then` finds the class of promises without running anything of the page. It is looked up once in a turn. */
const isPromiseUsual = () => {
  if (isUsual) return true
  isUsual = propertyOf(promisePrototype, "constructor")?.value === Promise &&
    propertyOf(Promise, species)?.get === speciesOfPromise
  if (isUsual) queueMicrotask(() => (isUsual = false))
  return isUsual
}

const noteReply = (observations, handler, of, start, size, write) => {
  if (of === 0) return // The message is left out.
  const duration = now() - start
  const head = `"kind":"reply","of":${of},"handler":${quote(handler)},"durationMs":${duration}`
  observations.add((seq) => `{"seq":${seq},${head},${write()}}`, undefined, undefined, size)
}

/** Watches a promise of the app. The page gets the result in place of the promise, and can't tell the difference. */
const watchReply = (observations, promise, handler, of) => {
  const start = now()
  return (isPromiseUsual() ? promiseThen : derive)(promise, (value) => {
    // Handlers that never reply fulfill the promise with undefined.
    if (value === undefined) return value
    const copy = new QuietCopy(value)
    noteReply(observations, handler, of, start, copy.size, () => copiedMembers("value", copy.value))
    return value
  }, (error) => {
    hideFrames(error)
    const message = textMember(error, "message") ?? exceptionMessage(error)
    noteReply(observations, handler, of, start, 0, () => `"error":${quote(clip(message))}`)
    throw error
  })
}

/** @param {string[]} names handlers that native code of this daemon has */
const observeHandlers = (observations, names) => {
  const namespace = window.webkit.messageHandlers
  /** The name of each handler. A handler itself does not tell it, and WebKit does not list them. */
  const known = new WeakTable()
  let prototype
  const note = (handler, name) => {
    if (!isObject(handler) || typeof name !== "string" || !hasOwn(getPrototypeOf(handler) ?? {}, "postMessage")) return handler
    known.set(handler, name)
    if (prototype) return handler
    prototype = getPrototypeOf(handler)
    standInFor(prototype, "postMessage", post)
    return handler
  }
  /** Calls `postMessage`. Errors have the stacks that they have without this call. */
  const pass = (postMessage, self, list) => {
    try {
      return apply(postMessage, self, list)
    } catch (error) {
      hideFrames(error)
      throw error
    }
  }
  const post = (postMessage, self, list) => {
    // Without a body, or for another object, the app's error has the page's stack.
    const isHandler = isObject(self) && list.length > 0 && getPrototypeOf(self) === prototype
    if (!isHandler) return apply(postMessage, self, list)
    const handler = known.get(self) ?? "(unknown)"
    const copy = new QuietCopy(list[0])
    const of = observations.add(writeMessage, handler, copy.value, copy.size)
    // What the page has in the body runs now, and must find its own stack.
    if (!copy.isPlain) return apply(postMessage, self, list)
    const reply = pass(postMessage, self, list)
    return isObject(reply) ? watchReply(observations, reply, handler, of) : reply // iOS 13 returns nothing.
  }

  const lookFor = (name) => note(namespace[name], name)
  each(KNOWN_HANDLERS, lookFor)
  each(names, lookFor)
  const get = (target, key) => {
    const handler = target[key]
    return known.get(handler) === key ? handler : note(handler, key)
  }
  const proxy = new Proxy(namespace, { __proto__: null, get })
  standInFor(getPrototypeOf(window.webkit), "messageHandlers", (get, self, list) => {
    return self === window.webkit ? proxy : apply(get, self, list)
  })
}
