// Part of bridge.js, for pages in an app of their own: functions that the page can't tell from those that they stand for.
//
// A Proxy would do for other pages. Here it would be noticed: JavaScriptCore prints it as "ProxyObject", and its frame is
// in stacks. So a stand-in is a function of the same kind, which ends with the original's call. JavaScriptCore removes
// the frame of a strict function at such a tail call, and stacks are as without the stand-in. V8 keeps the frame.

/** What each stand-in stands for. */
const originals = new WeakTable()

/** The URL of this program, as stacks name it. */
const ownURL = first(findAll(textMember(new Error(), "stack") ?? "", /\w+:\/\/[^\s()]*?(?=:\d+:\d+\)?$)/gm))?.[0]

const isNativeText = (run) => matches(functionText(run), /\{\s*\[native code\]\s*\}$/)

const isOwnFrame = (line) => ownURL !== undefined && indexOf(line, ownURL) >= 0

/** Removes the frames of this program from the stack of an error that goes to the page. */
const hideFrames = (error) => {
  if (typeof error !== "object" || error === null) return
  const property = propertyOf(error, "stack")
  // V8 has accessors for it.
  const isBrowsers = property?.get ? property.set && isNativeText(property.get) : property?.writable
  const stack = isBrowsers ? error.stack : undefined
  if (typeof stack !== "string" || !isOwnFrame(stack)) return
  error.stack = join(filter(split(stack, /\n/g), (line) => !isOwnFrame(line)), "\n")
}

/**
 * Makes the stand-in of a function.
 * @param {(self: unknown, list: IArguments) => unknown} run called instead; it should end with the original's call
 */
const makeStandIn = (original, run) => {
  let standIn
  if (hasOwn(original, "prototype")) {
    standIn = function () {
      return new.target ? construct(original, arguments, new.target) : run(this, arguments)
    }
  } else {
    standIn = { method() { return run(this, arguments) } }.method
  }
  each(ownKeys(original), (key) => tryDefine(standIn, key, propertyOf(original, key)))
  setPrototypeOf(standIn, getPrototypeOf(original))
  originals.set(standIn, original)
  return standIn
}

/**
 * Puts the stand-in of a method or getter in its place.
 * @param {(original: Function, self: unknown, list: IArguments) => unknown} run
 */
const standInFor = (object, key, run) => {
  const property = propertyOf(object, key)
  const kind = property?.get ? "get" : "value"
  const original = property?.[kind]
  if (typeof original !== "function" || originals.has(original)) return
  // A class that is called without `new` throws, and its text is looked at.
  if (kind === "value" && matches(functionText(original), /^class\b/)) return
  property[kind] = makeStandIn(original, (self, list) => run(original, self, list))
  tryDefine(object, key, property)
}

/** Makes stand-ins print as what they stand for. */
const hideTexts = () => {
  standInFor(functionPrototype, "toString", (toString, self, list) => {
    return apply(toString, (typeof self === "function" && originals.get(self)) || self, list)
  })
}
