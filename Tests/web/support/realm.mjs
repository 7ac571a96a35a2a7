// Where a fake page's scripts run.

import { createContext, runInContext, runInThisContext } from "node:vm"

/**
 * @typedef {object} Realm
 * @property {object | undefined} context for `compileFunction`
 * @property {object} global the scripts' global object
 * @property {(source: string, options: object) => unknown} run runs a script
 */

/** The built-ins of the test itself. */
export const ownRealm = { context: undefined, global: globalThis, run: runInThisContext, eval, structuredClone }

/** Makes a realm with built-ins of its own, so that a test can replace them. */
export const makeRealm = () => {
  const context = createContext()
  const run = (source, options) => runInContext(source, context, options)
  const { make, eval: globalEval, settle } = run(`({
    eval,
    make: ((Date) => ({ array: () => [], object: () => ({}), date: (time) => new Date(time) }))(Date),
    // \`await\` asks the promise for its constructor, which a test may have replaced.
    settle: ((Promise, defineProperty) => async (promise, resolve, reject) => {
      defineProperty(promise, "constructor", { __proto__: null, value: Promise })
      try { resolve(await promise) } catch (error) { reject(error) }
    })(Promise, Object.defineProperty)
  })`)

  /** Makes a copy of the test's own value with the prototypes of the realm. */
  const adopt = (value) => {
    if (typeof value !== "object" || value === null) return value
    if (value instanceof Date) return make.date(value.getTime())
    const copy = Array.isArray(value) ? make.array() : make.object()
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, { value: adopt(value[key]), writable: true, enumerable: true, configurable: true })
    }
    return copy
  }
  return {
    context,
    run,
    adopt,
    global: run("globalThis"),
    eval: globalEval,
    structuredClone: (value) => adopt(structuredClone(value)),
    /** Waits for a promise of the realm. */
    settled: (promise) => new Promise((resolve, reject) => settle(promise, resolve, reject))
  }
}
