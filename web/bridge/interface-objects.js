// Part of bridge.js and driven.js: interface objects, as Android's `addJavascriptInterface` makes them. They are globals.

/**
 * A plain copy of an argument. Methods of interface objects take no objects, so an object appears only in the log. A
 * value that can't be sent at all becomes undefined.
 */
const plainArgument = (value) => {
  if (typeof value === "function" || typeof value === "symbol") return undefined
  if (typeof value !== "object" || value === null) return value
  try {
    const copy = parse(stringify(value))
    return typeof copy === "object" && copy !== null ? copy : {}
  } catch {
    return {}
  }
}

const encodeArguments = (list) => {
  const plain = map(list, plainArgument)
  try {
    return ScriptValueEncoder.members("body", plain)
  } catch {
    return ScriptValueEncoder.members("body", map(plain, (value) => (typeof value === "object" && value ? {} : value)))
  }
}

/** Takes the JSON-RPC response to a call: returns its value, or throws as Android's WebView does. */
const takeAnswer = (object, method, response) => {
  const { result, error } = bare(response)
  if (!error) {
    const { value, types } = bare(result)
    return decodeScriptValue(value, types)
  }
  const { message, data } = bare(error)
  native.error(`bridged: ${message}`)
  throw new Error(bare(data).exception ?? `bridged: ${object}.${method}() failed: ${message}`)
}

/** @param {(object: string, method: string, list: unknown[]) => unknown} callMethod blocks until native code answers */
const showInterfaces = (list, callMethod) => {
  each(list, ({ name, methods }) => {
    const object = {}
    each(methods, (method) => {
      const named = { [method]: (...list) => callMethod(name, method, list) }
      object[method] = disguise(named[method])
    })
    window[name] = object
  })
}
