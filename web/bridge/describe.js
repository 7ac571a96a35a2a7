// Part of bridge.js: how values look in the log.

const typeName = (value) => (typeof value === "object" ? slice(classString(value), 8, -1) : typeof value)

/** Returns a value's text for the log. It runs no getters. */
const describe = (value, depth = 0) => {
  if (typeof value === "string") return depth > 0 ? quote(value) : value
  if (typeof value === "function") return `function ${value.name}`
  if (value === null || typeof value !== "object") return String(value)
  const type = typeName(value)
  if (/Error|Exception/.test(type)) return String(value.stack || errorString(value))
  if (!/^(Object|Array)$/.test(type) || depth > 3) return `[object ${type}]`
  const parts = keysOf(value).slice(0, 50).map((key) => {
    const property = getOwnPropertyDescriptor(value, key)
    const text = property.get ? "(getter)" : describe(property.value, depth + 1)
    return type === "Array" ? text : `${key}: ${text}`
  })
  return type === "Array" ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`
}

/** Formats the arguments of a console call as the console does, without the styles of `%c`. */
const formatArguments = (list) => {
  const rest = [...list]
  const fill = (match) => (rest.length === 0 ? match : match === "%c" ? (rest.shift(), "") : describe(rest.shift()))
  const first = typeof rest[0] === "string" ? [rest.shift().replace(/%[sdifoOc]/g, fill)] : []
  return [...first, ...rest.map((value) => describe(value))].join(" ")
}
