// Part of bridge.js, for pages in an app of their own: copies of values, made without running anything of the page.
// `structuredClone` would run getters once more than the page expects. (Only the traps of a Proxy run, which the app
// refuses without running them.)

/** The greatest number of members to copy of one value. */
const MAX_COPIED = 50_000

/** Copies a value. What cannot be read without running code of the page is undefined in the copy. */
class QuietCopy {
  /** Whether the value has no getters: then nothing of the page runs while the browser reads it. */
  isPlain = true
  value
  #count = 0
  #seen = null

  constructor(value) {
    try {
      this.value = this.#copy(value, 0)
    } catch {
      this.isPlain = false // The trap of a Proxy threw, or the value is too deep.
      this.value = undefined
    }
  }

  #copy(value, depth) {
    if (typeof value === "function" || typeof value === "symbol") return undefined
    if (typeof value !== "object" || value === null) return value
    if (depth === 0) this.#seen = new Table()
    else if (this.#seen.has(value)) return this.#seen.get(value)
    if (depth > MAX_DEPTH || this.#count > MAX_COPIED) {
      this.isPlain = false
      return undefined
    }
    if (getPrototypeOf(value) === datePrototype) return new Date(getTime(value))
    const isList = isArray(value)
    const copy = isList ? [] : {}
    this.#seen.set(value, copy)
    const keys = keysOf(value)
    for (let index = 0; index < keys.length && this.#count++ <= MAX_COPIED; index++) {
      this.#copyMember(copy, keys[index], propertyOf(value, keys[index]), depth)
    }
    if (isList && copy.length < value.length) copy.length = min(value.length, MAX_COPIED)
    return copy
  }

  #copyMember(copy, key, property, depth) {
    if (!property || property.get || property.set) this.isPlain = false
    const value = property && !property.get && !property.set ? this.#copy(property.value, depth + 1) : undefined
    define(copy, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** Writes a copy as the members NAME and `types`; what can't be sent is undefined. */
const copiedMembers = (name, value) => {
  try {
    return ScriptValueEncoder.members(name, value)
  } catch {
    return `"${name}":null,"types":{"":"undefined"}`
  }
}
