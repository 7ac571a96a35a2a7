// Part of bridge.js, for pages in an app of their own: observes the functions of the page that native code calls.

/** The objects whose functions native code calls, and the functions; all of them if none are named. */
const CALLED = [
  { path: "nativeBridge", only: ["register", "unregister", "replyWith"] },
  { path: "turboNative" }, { path: "bridge" }, { path: "webBridge" },
  { path: "Strada.web", only: ["receive"] }, { path: "HotwireNative.web", only: ["receive"] }
]
/** How long after the load to look for objects that the page has made meanwhile. */
const LOOK_AGAIN_MS = [0, 100, 500, 2_000, 10_000]

/**
 * Whether a call came from outside of the page: its stack has no frame of the page. Native code's own script has either
 * no URL or that of the document, as has an inline script; but then the document has a current script. JavaScriptCore
 * runs a script that is nothing but a call without any frame. (A strict function of the page whose last act is the call
 * leaves no frame either. If it listens to an event, that tells.)
 */
const comesFromOutside = () => {
  const limit = propertyOf(Error, "stackTraceLimit")?.value
  // V8 lets the page format stacks, if it wants to.
  const hasStacks = propertyOf(Error, "prepareStackTrace") === undefined && limit >= 10
  if (!hasStacks || currentScriptOf(document) || currentEvent()) return false
  const frames = split(framesOf(textMember(new Error(), "stack") ?? "", "Error"), /\n/g)
  const others = filter(frames, (line) => !isOwnFrame(line) && !matches(line, /@\[native code\]$/))
  if (frames.length === others.length) return false // It is not a stack, or not one that this program understands.
  const isBare = (line) => matches(line, /^[^@]*@(<anonymous>(:\d+:\d+)?|undefined)?$/)
  return !some(others, (line) => !isBare(line)) || (others.length === 1 && isGlobalCode(others[0]))
}

const isGlobalCode = (line) => {
  const { 1: url } = exec(/^global code@(.*):\d+:\d+$/, line) ?? []
  return url !== undefined && replace(url, /[?#].*$/, "") === replace(location.href, /[?#].*$/, "")
}

const evaluateEntry = (seq, path, list) => {
  return `{"seq":${seq},"kind":"call","function":${quote(path)},${copiedMembers("arguments", list)}}`
}

/** The object at a path of names. No getter runs. */
const resolve = (path) => {
  let object = window
  each(split(path, /\./g), (key) => {
    const property = isObject(object) || typeof object === "function" ? propertyOf(object, key) : undefined
    object = property && !property.get ? property.value : undefined
  })
  return object
}

class ObservedCalls {
  #observations
  #called

  /** @param {string[]} paths more objects, such as `myApp.bridge`, and functions, such as `myApp.shared` */
  constructor(observations, paths) {
    this.#observations = observations
    this.#called = makeList()
    each(CALLED, (item) => (this.#called[this.#called.length] = bare(item)))
    each(paths, (path) => (this.#called[this.#called.length] = { __proto__: null, path }))
  }

  start() {
    const look = () => this.look()
    const later = () => each(LOOK_AGAIN_MS, (delay) => setTimeout(look, delay))
    look()
    listen(document, "DOMContentLoaded", () => setTimeout(look, 0))
    listen(window, "load", later)
    each(["turbo:load", "turbolinks:load"], (type) => listen(document, type, look))
  }

  /** Puts stand-ins in the place of functions that have none. */
  look() {
    each(this.#called, ({ path, only }) => {
      const object = resolve(path)
      if (typeof object === "function") {
        const { 1: parent, 2: key } = exec(/^(?:(.*)\.)?([^.]*)$/, path)
        this.#observe(parent === undefined ? window : resolve(parent), key, path)
      }
      if (!isObject(object)) return
      for (let holder = object; holder && holder !== objectPrototype; holder = getPrototypeOf(holder)) {
        each(only ?? ownKeys(holder), (key) => {
          if (typeof key === "string" && key !== "constructor") this.#observe(holder, key, `${path}.${key}`)
        })
      }
    })
  }

  #observe(holder, key, path) {
    const property = propertyOf(holder, key)
    if (!property || typeof property.value !== "function") return
    // A bound function of the page has the text of a native one.
    const name = propertyOf(property.value, "name")?.value
    if (isNativeText(property.value) && !(typeof name === "string" && matches(name, /^bound /))) return
    standInFor(holder, key, (run, self, list) => {
      this.#note(`window.${path}`, list)
      return apply(run, self, list)
    })
  }

  #note(path, list) {
    if (!comesFromOutside()) return
    const { values, size } = copyAll(list)
    this.#observations.add((seq) => evaluateEntry(seq, path, values), undefined, undefined, size)
  }
}
