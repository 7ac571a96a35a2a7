// Part of bridge.js: how values look in the log.

const typeName = (value) => (typeof value === "object" ? slice(classString(value), 8, -1) : typeof value)

/** Returns a value's text for the log. It runs no getters. */
const describe = (value, depth = 0) => {
  if (typeof value === "string") return depth > 0 ? quote(value) : value
  if (typeof value === "function") return `function ${value.name}`
  if (value === null || typeof value !== "object") return String(value)
  const type = typeName(value)
  if (matches(type, /Error|Exception/)) return String(value.stack || errorString(value))
  if (!matches(type, /^(Object|Array)$/) || depth > 3) return `[object ${type}]`
  const parts = makeList()
  each(keysOf(value), (key, index) => {
    if (index >= 50) return
    const property = propertyOf(value, key)
    const text = property.get ? "(getter)" : describe(property.value, depth + 1)
    parts[parts.length] = type === "Array" ? text : `${key}: ${text}`
  })
  return type === "Array" ? `[${join(parts, ", ")}]` : `{${join(parts, ", ")}}`
}

/** Formats the arguments of a console call as the console does, without the styles of `%c`. */
const formatArguments = (list) => {
  if (typeof first(list) !== "string") return join(map(list, (value) => describe(value)), " ")
  let used = 1
  const fill = (match) => {
    const directive = match[0]
    if (used >= list.length) return directive
    const value = list[used++]
    return directive === "%c" ? "" : describe(value)
  }
  let text = replace(list[0], /%[sdifoOc]/g, fill)
  for (; used < list.length; used++) text += ` ${describe(list[used])}`
  return text
}
