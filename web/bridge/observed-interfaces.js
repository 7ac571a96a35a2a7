// Part of bridge.js, for pages in an app of their own: observes Android's interface objects (`addJavascriptInterface`) and
// the objects of `WebMessageListener`.

/** Replaces an interface object by a Proxy: its own methods can't be replaced, because they are Java's. */
const observeInterface = (observations, name) => {
  const property = propertyOf(window, name)
  const object = property.value
  /** The stand-in of each method, by the method. */
  const standIns = new WeakTable()
  const standInOf = (key, method) => {
    if (!standIns.has(method)) {
      standIns.set(method, makeStandIn(method, (self, list) => {
        const target = self === proxy ? object : self
        // What registers a listener is no message.
        if (matches(key, /^(add|remove)EventListener$/)) return apply(method, target, list)
        return observedCall(observations, name, key, list, () => apply(method, target, list))
      }))
    }
    return standIns.get(method)
  }
  const get = (target, key) => {
    const value = target[key]
    if (typeof value !== "function" || typeof key !== "string" || key in objectPrototype || key === "onmessage") return value
    const own = propertyOf(target, key)
    return own && !own.configurable && !own.writable ? value : standInOf(key, value)
  }
  const set = (target, key, value) => {
    target[key] = value
    return true
  }
  const proxy = new Proxy(object, { __proto__: null, get, set })
  define(window, name, { ...property, value: proxy })
  if (typeof object.addEventListener !== "function" || typeof object.postMessage !== "function") return
  // Native code answers a WebMessageListener's object by an event.
  object.addEventListener("message", (event) => {
    const { values, size } = copyAll([dataOf(event)])
    observations.add((seq) => evaluateEntry(seq, `${name}.onmessage`, values), undefined, undefined, size)
  })
}

const observedCall = (observations, handler, name, list, run) => {
  const { values, size } = copyAll(list)
  const head = `"kind":"message","handler":${quote(handler)},"name":${quote(name)}`
  const of = observations.add((seq) => `{"seq":${seq},${head},${copiedMembers("body", values)}}`, undefined, undefined, size)
  const start = now()
  const answer = (members, size) => {
    const duration = now() - start
    const reply = `"kind":"reply","of":${of},"handler":${quote(handler)},"durationMs":${duration}`
    if (of > 0) observations.add((seq) => `{"seq":${seq},${reply},${members()}}`, undefined, undefined, size)
  }
  let value
  try {
    value = run()
  } catch (error) {
    hideFrames(error)
    const text = clip(exceptionMessage(error))
    answer(() => `"error":${quote(text)}`, 0)
    throw error
  }
  if (value !== undefined) {
    const copy = new QuietCopy(value)
    answer(() => copiedMembers("value", copy.value), copy.size)
  }
  return value
}
