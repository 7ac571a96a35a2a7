// Part of bridge.js and driven.js: replaces parts of the browser so that they look like the browser's own.

/** Wraps a function, so that it prints as native code, or an object, so that structured clone refuses it. */
const disguise = (target, traps = {}) => new Proxy(target, bare(traps))

/**
 * Replaces a method or getter.
 * @param {(original: Function, object: unknown, list: unknown[]) => unknown} run called instead of it
 */
const override = (object, key, run) => {
  const property = propertyOf(object, key)
  const kind = property.get ? "get" : "value"
  property[kind] = disguise(property[kind], { apply: run })
  define(object, key, property)
}

const isFrame = window !== window.top
