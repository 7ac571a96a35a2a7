// Part of bridge.js: how values look in the log.

const typeName = (value) => (typeof value === "object" ? slice(classString(value), 8, -1) : typeof value)

/** Whether a value is an error, also one that names its class itself. */
const isError = (value, type) => {
  if (matches(type, /Error|Exception/)) return true
  for (let holder = getPrototypeOf(value); holder; holder = getPrototypeOf(holder)) {
    if (holder === errorPrototype) return true
  }
  return false
}

/**
 * The frames of a stack as WebKit writes them: `function@place`, one a line. V8 writes the error's own text before them,
 * which may have several lines.
 */
const framesOf = (stack, text) => {
  const frames = slice(stack, 0, text.length) === text ? slice(stack, text.length) : stack
  if (!matches(frames, /^ +at /m)) return trim(frames)
  return join(
    map(findAll(frames, /^ +at (?:async )?(?:(.*) \()?(.*?)\)?$/gm), (match) => {
      const place = match[2] === "<anonymous>" ? "[native code]" : match[2]
      return `${replace(match[1] ?? "", /^new | \[as .*\]$/g, "")}@${place}`
    }), "\n")
}

/** An error's text, then its stack, then the errors that it has come from. */
const describeError = (error, type, depth) => {
  let text = type
  try {
    text = errorString(error)
  } catch {}
  if (depth > 3) return text
  const frames = framesOf(textMember(error, "stack") ?? "", text)
  if (frames) text += `\n${frames}`
  const cause = propertyOf(error, "cause")
  if (cause && !cause.get) text += `\nCaused by: ${describe(cause.value, depth + 1)}`
  const errors = propertyOf(error, "errors")?.value
  if (isArray(errors)) {
    each(errors, (inner, index) => {
      if (index < 50) text += `\nError ${index + 1} of ${errors.length}: ${describe(inner, depth + 1)}`
    })
  }
  return text
}

/** Returns a value's text for the log. It runs no getters but those of an error's name, message and stack. */
const describe = (value, depth = 0) => {
  if (typeof value === "string") return depth > 0 ? quote(value) : value
  if (typeof value === "function") return `function ${value.name}`
  if (value === null || typeof value !== "object") return String(value)
  const type = typeName(value)
  if (isError(value, type)) return describeError(value, type, depth)
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
