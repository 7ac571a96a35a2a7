// Part of bridge.js, for pages in an app of their own: observes what the page posts to the app's message handlers.

/** The names that handlers have in frameworks. */
const KNOWN_HANDLERS = ["turbo", "bridge", "strada", "nativeApp", "bridgeComponents"]

/** Watches a promise of the app. The page gets the result in place of the promise, and can't tell the difference. */
const watchReply = (observations, promise, handler, of) => {
  const start = getNow(performance)
  const head = (seq) => `{"seq":${seq},"kind":"reply","of":${of},"handler":${quote(handler)},"durationMs":${duration}`
  let duration
  return derive(promise, (value) => {
    duration = getNow(performance) - start
    // Handlers that never reply fulfill the promise with undefined.
    if (value === undefined || of === 0) return value
    const copy = new QuietCopy(value)
    observations.add((seq) => `${head(seq)},${copiedMembers("value", copy.value)}}`)
    return value
  }, (error) => {
    duration = getNow(performance) - start
    hideFrames(error)
    const message = textMember(error, "message") ?? exceptionMessage(error)
    if (of > 0) observations.add((seq) => `${head(seq)},"error":${quote(clip(message))}}`)
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
    const head = `"kind":"message","handler":${quote(handler)}`
    const of = observations.add((seq) => `{"seq":${seq},${head},${copiedMembers("body", copy.value)}}`)
    // What the page has in the body runs now, and must find its own stack.
    if (!copy.isPlain) return apply(postMessage, self, list)
    const reply = pass(postMessage, self, list)
    return isObject(reply) ? watchReply(observations, reply, handler, of) : reply // iOS 13 returns nothing.
  }

  const lookFor = (name) => note(namespace[name], name)
  each(KNOWN_HANDLERS, lookFor)
  each(names, lookFor)
  const proxy = new Proxy(namespace, { __proto__: null, get: (target, key) => note(target[key], key) })
  standInFor(getPrototypeOf(window.webkit), "messageHandlers", (get, self, list) => {
    return self === window.webkit ? proxy : apply(get, self, list)
  })
}
