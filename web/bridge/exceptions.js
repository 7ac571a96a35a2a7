// Part of bridge.js: what is known about an exception, and the errors that reject replies.

/** What a page learns of an exception in a script that is not its own. */
const SCRIPT_ERROR = { message: "Script error." }

/** A text that belongs to what the page has thrown. A getter of the page may run, and throw. */
const textMember = (thrown, key) => {
  try {
    const text = Object(thrown)[key]
    return typeof text === "string" ? text : undefined
  } catch {
    return undefined
  }
}

const exceptionMessage = (error) => {
  try {
    return matches(classString(error), /Error|DOMException/) ? errorString(error) : `${error}`
  } catch {
    return ""
  }
}

/** What an ErrorEvent says. */
const detailsOf = (event) => ({
  message: messageOf(event),
  filename: filenameOf(event),
  lineno: lineOf(event) ?? 0,
  colno: columnOf(event) ?? 0,
  error: errorOf(event)
})

/** The errors that have no stack. */
const stackless = new WeakTable()

/** The error that rejects the promise of a message whose handler did not reply. */
const replyError = (name, error) => {
  const reason = new Error(replyErrorText(name, error))
  // WebKit's error has none of these properties.
  each(["stack", "fileName", "lineNumber", "columnNumber"], (key) => delete reason[key])
  stackless.set(reason, true)
  return reason
}

const replyErrorText = (name, { code, message, data }) => {
  if (code === -32003) return message
  if (code === -32001) return `bridged: no handler "${name}". Register it, or use one of: ${join(bare(data).handlers ?? [], ",")}.`
  return `bridged: no reply from "${name}": ${message} (${code}).`
}
