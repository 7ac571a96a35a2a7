// Part of bridge.js: values as JSON, and back (docs/protocol.md, "Script values").

/** Thrown for a value that WebKit does not deliver. */
class Uncloneable {
  constructor(value, type) {
    this.value = value
    this.type = type
  }

  /**
   * Finds the part that prevents delivery. This may run getters and Proxy traps.
   * @returns {{at: string, type: string}} its JSON Pointer (RFC 6901) and its type
   */
  findPart() {
    const seen = new Table()
    const search = (value, at) => {
      if (seen.has(value) || isCloneable(value)) return null
      seen.set(value, true)
      const type = typeName(value)
      if (!matches(type, /^(Object|Array)$/)) return { at, type }
      let culprit = { at, type: "Proxy" } // The object is refused, but nothing in it is.
      const keys = keysOf(value)
      for (let index = 0; index < keys.length; index++) {
        const property = propertyOf(value, keys[index])
        const place = `${at}/${escapeToken(keys[index])}`
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

/** Writes a value as JSON, and as `types` what JSON can't express. */
class ScriptValueEncoder {
  #types = ""
  #places = new Table()
  #isBody
  #hasHole = false

  /**
   * @param {"body" | "value"} name
   * @returns {string} the members `"NAME":…` and, if needed, `"types":…`
   * @throws {Uncloneable}
   */
  static members(name, value) {
    let encoder
    try {
      const copy = snapshot(value)
      const plain = isSandbox ? undefined : writePlain(copy)
      if (plain !== undefined) return `"${name}":${plain}`
      encoder = new ScriptValueEncoder()
      encoder.#isBody = name === "body"
      let text = encoder.#write(copy, null, "", 0)
      if (encoder.#hasHole && fillHoles(copy, value)) {
        encoder = new ScriptValueEncoder()
        encoder.#isBody = name === "body"
        text = encoder.#write(copy, null, "", 0)
      }
      return `"${name}":${text}${encoder.#types && `,"types":{${encoder.#types}}`}`
    } catch (error) {
      if (error === wholeIsUndefined) return `"${name}":null,"types":{"":"undefined"}`
      throw error instanceof Uncloneable ? error : new Uncloneable(value, TOO_DEEP) // The stack overflowed.
    }
  }

  /** `parent` is the container's own `{parent, key}`, or null. */
  #write(value, parent, key, depth) {
    switch (typeof value) {
      case "string":
        return hasLoneSurrogate(value) ? this.#mark("utf16", units(value), parent, key) : stringify(value)
      case "number":
        if (isFinite(value) && !isSame(value, -0)) return `${value}`
        return this.#mark("number", isSame(value, -0) ? '"-0"' : `"${value}"`, parent, key)
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
      const isHole = isList && !hasOwn(value, name)
      this.#hasHole ||= isHole
      const member = isHole ? undefined : value[name]
      text += `${text && ","}${isList ? "" : `${quote(name)}:`}${this.#write(member, place, name, depth + 1)}`
    }
    return isList ? `[${text}]` : `{${text}}`
  }

  #mark(type, text, parent, key) {
    this.#types += `${this.#types && ","}${quote(pointer(parent, key))}:"${type}"`
    return text
  }
}

/**
 * Writes a copy that has nothing for `types`: an object of strings, numbers and the like. JSON.stringify does so at once.
 * @returns {string | undefined} undefined for all others
 */
const writePlain = (copy) => {
  if (typeof copy !== "object" || copy === null || getPrototypeOf(copy) !== objectPrototype) return undefined
  if ("toJSON" in copy) return undefined // The page may have put it on `Object.prototype`.
  const keys = keysOf(copy)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]
    const value = copy[key]
    const type = typeof value
    const isPlain = type === "string" || type === "boolean" || value === null ||
      (type === "number" && isFinite(value) && !isSame(value, -0))
    if (!isPlain || key === "__proto__") return undefined
  }
  const text = stringify(copy)
  return indexOf(text, "\\ud") < 0 ? text : undefined // That is how it writes lone surrogates.
}

/** WebKit delivers Map, Set, RegExp, Error and other objects as empty ones. */
const platformValue = (value) => {
  const type = typeName(value)
  if (exec(/^DOM/, type)) throw wholeIsUndefined // In WebKit the whole value is then undefined.
  return exec(/^(Blob|File|FileList|ImageData)$/, type) ? "null" : "{}"
}

const pointer = (parent, key) => (parent ? `${pointer(parent.parent, parent.key)}/${escapeToken(key)}` : "")

const units = (text) => {
  let list = ""
  for (let index = 0; index < text.length; index++) list += (index > 0 ? "," : "") + charCodeAt(text, index)
  return `[${list}]`
}

const languageNamespaces = new WeakTable()
each(["Math", "JSON", "Reflect", "Intl", "Atomics", "WebAssembly"], (name) => {
  if (window[name]) languageNamespaces.set(window[name], name)
})

/** Copies a value. Structured clone refuses what WebKit refuses, runs each getter once, and calls no `toJSON`. */
const snapshot = (value) => {
  const type = typeof value
  if (value === null || (type !== "object" && type !== "function" && type !== "symbol")) return value
  if (languageNamespaces.has(value)) throw new Uncloneable(value)
  try {
    const copy = structuredClone(value)
    return isSandbox ? value : copy
  } catch (error) {
    throw new Uncloneable(value, error?.name === "RangeError" ? TOO_DEEP : undefined)
  }
}

const isObject = (value) => value !== null && typeof value === "object"

/**
 * Fills the holes that structured clone leaves in a list for items that are not enumerable. WebKit delivers those.
 * @returns {boolean} whether there was one
 */
const fillHoles = (copy, value, seen = new Table()) => {
  if (!isObject(copy) || !isObject(value) || seen.has(copy)) return false // A getter may have replaced the value.
  seen.set(copy, true)
  let hasFilled = false
  const fill = (key) => {
    const property = propertyOf(value, key)
    if (!property || property.get) return
    if (hasOwn(copy, key)) return (hasFilled = fillHoles(copy[key], property.value, seen) || hasFilled)
    define(copy, key, { value: snapshot(property.value), writable: true, enumerable: true, configurable: true })
    hasFilled = true
  }
  if (isArray(copy)) for (let index = 0; index < copy.length; index++) fill(`${index}`)
  else each(keysOf(copy), fill)
  return hasFilled
}

const decoders = {
  __proto__: null,
  undefined: () => undefined,
  date: (text) => new Date(text ?? NaN),
  number: Number,
  utf16: (list) => join(map(list, (unit) => fromCharCode(unit)), "")
}

/**
 * Makes a value from JSON and its `types`. As in WebKit, properties are set, not defined: `__proto__` sets the
 * prototype, and setters of the page run.
 */
const decodeScriptValue = (value, types = {}) => {
  const root = { whole: value }
  const locate = (path) => {
    const tokens = map(split(`whole${path}`, /\//g), (token) => replace(replace(token, /~1/g, "/"), /~0/g, "~"))
    let holder = root
    for (let index = 0; index < tokens.length - 1; index++) holder = holder?.[tokens[index]]
    return { holder: Object(holder), key: tokens[tokens.length - 1] }
  }
  const follow = (path) => {
    const { holder, key } = locate(path)
    return holder[key]
  }
  const decode = (path, change) => {
    const { holder, key } = locate(path)
    define(holder, key, { value: change(holder[key]) })
  }
  const paths = keysOf(types)
  each(paths, (path) => types[path] !== "ref" && decode(path, decoders[types[path]]))
  each(paths, (path) => types[path] === "ref" && decode(path, follow))
  const made = new Table()
  const make = (value) => {
    if (typeof value !== "object" || value === null || getPrototypeOf(value) === datePrototype) return value
    if (made.has(value)) return made.get(value)
    const copy = isArray(value) ? [] : {}
    made.set(value, copy)
    each(keysOf(value), (key) => (copy[key] = make(value[key])))
    return copy
  }
  return make(root.whole)
}
