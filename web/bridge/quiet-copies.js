// Part of bridge.js, for pages in an app of their own: copies of values, made without running anything of the page.
// `structuredClone` would run getters once more than the page expects. (Only the traps of a Proxy run, which the app
// refuses without running them.)

/** The greatest number of members to copy of one value. */
const MAX_COPIED = 50_000

/**
 * Copies a value, quickly: the page waits for it. What cannot be read without running code of the page is undefined in the
 * copy. Its objects have no prototypes, so that no setter of the page runs while members are set.
 */
class QuietCopy {
  /** Whether the value has no getters: then nothing of the page runs while the browser reads it. */
  isPlain = true
  value = undefined
  count = 0
  /** About how many bytes the copy has as JSON. */
  size = 0
  /** The copies of objects, once there is one in another. */
  seen = null

  constructor(value) {
    if (typeof value !== "object" || value === null) {
      if (typeof value !== "function" && typeof value !== "symbol") this.value = value
      if (typeof value === "string") this.size = value.length
      return
    }
    try {
      this.value = copyObject(this, value, null, null, 0)
    } catch {
      this.isPlain = false // The trap of a Proxy threw, or the value is too deep.
    }
  }
}

/** `parent` and `parentCopy` are the object around this one, or null. */
const copyObject = (state, value, parent, parentCopy, depth) => {
  if (depth > MAX_DEPTH || state.count > MAX_COPIED) {
    state.isPlain = false
    return undefined
  }
  if (depth > 0) {
    if (!state.seen) (state.seen = new Table()).set(parent, parentCopy)
    if (state.seen.has(value)) return state.seen.get(value)
  }
  if (getPrototypeOf(value) === datePrototype) return new Date(getTime(value))
  const isList = isArray(value)
  const copy = isList ? makeList() : { __proto__: null }
  state.seen?.set(value, copy)
  const keys = keysOf(value)
  for (let index = 0; index < keys.length && state.count++ <= MAX_COPIED; index++) {
    const key = keys[index]
    // A property without a getter runs nothing of the page. (`getOwnPropertyDescriptor` takes twice as long.)
    if (lookupGetter(value, key) !== undefined) {
      state.isPlain = false
      copy[key] = undefined
      continue
    }
    const member = value[key]
    const type = typeof member
    if (type === "object" && member !== null) copy[key] = copyObject(state, member, value, copy, depth + 1)
    else copy[key] = type === "function" || type === "symbol" ? undefined : member
    state.size += (isList ? 0 : key.length) + (type === "string" ? member.length : 8)
  }
  if (isList && copy.length < value.length) copy.length = min(value.length, MAX_COPIED)
  return copy
}

/** Copies the arguments of a call. */
const copyAll = (list) => {
  let size = 0
  const values = map(list, (value) => {
    const copy = new QuietCopy(value)
    size += copy.size
    return copy.value
  })
  return { __proto__: null, values, size }
}

/** Writes a copy as the members NAME and `types`; what can't be sent is undefined. */
const copiedMembers = (name, value) => {
  try {
    return ScriptValueEncoder.members(name, value)
  } catch {
    return `"${name}":null,"types":{"":"undefined"}`
  }
}
