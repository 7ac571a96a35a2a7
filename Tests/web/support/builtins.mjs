// Finds the built-ins that a page can replace, and replaces one.

/** What scripts can only reach through values. */
const HIDDEN = `[
  [][Symbol.iterator](), new Map().entries(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/x/g),
  function* () {}, async function () {}, async function* () {}
]`

/**
 * The properties of a global object, and of all that scripts can reach from it, which hold a function or a getter.
 * @param {import("./realm.mjs").Realm} realm
 * @returns {{name: string, holder: object, key: string | symbol}[]}
 */
export const languageBuiltIns = (realm) => {
  const found = []
  const seen = new Set([realm.global.document]) // It is the test's.
  const visit = (holder, path) => {
    if (holder === null || !/^(object|function)$/.test(typeof holder) || seen.has(holder)) return
    seen.add(holder)
    for (const key of Reflect.ownKeys(holder)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)
      const name = path ? `${path}.${String(key)}` : String(key)
      const isFunction = typeof property.value === "function" || property.get || property.set
      if (isFunction && (property.configurable || property.writable)) found.push({ name, holder, key })
      visit(property.value, name)
      visit(property.get, `get ${name}`)
    }
    visit(Object.getPrototypeOf(holder), `${path}'s prototype`)
  }
  visit(realm.global, "")
  realm.run(HIDDEN).forEach((value, index) => visit(value, `hidden ${index}`))
  return found
}

/** The functions of the fake page, which stand for those of the browser. */
export const browserBuiltIns = ({ window }) => {
  const found = []
  // `emit` is for the test itself.
  const add = (holder, path) => {
    for (const key of Reflect.ownKeys(holder)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)
      if (key === "constructor" || key === "emit" || !(typeof property.value === "function" || property.get)) continue
      if (property.configurable) found.push({ name: `${path}.${String(key)}`, holder, key })
    }
  }
  add(window, "window")
  for (const key of Object.keys(window)) {
    const { value } = Object.getOwnPropertyDescriptor(window, key)
    if (typeof value === "function" && value.prototype) add(value.prototype, key)
  }
  for (const key of ["console", "crypto", "document", "history", "location", "navigator", "performance"]) {
    add(window[key], key)
    const prototype = Object.getPrototypeOf(window[key])
    if (prototype !== Object.prototype && prototype !== EventTarget.prototype) add(prototype, key)
  }
  add(window.sessionStorage, "sessionStorage")
  return found
}

/** Replaces a built-in by a function that throws. Returns a function that restores it. */
export const replaceBuiltIn = ({ name, holder, key }) => {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  const replacement = function () {
    throw new Error(`The page has replaced ${name}.`)
  }
  const changed = { ...property }
  for (const kind of ["value", "get", "set"]) if (typeof property[kind] === "function") changed[kind] = replacement
  Object.defineProperty(holder, key, changed)
  return () => Object.defineProperty(holder, key, property)
}

/** Defines an unexpected property. Returns a function that removes it. */
export const pollute = (holder, key, property) => {
  Object.defineProperty(holder, key, { ...property, configurable: true })
  return () => delete holder[key]
}
