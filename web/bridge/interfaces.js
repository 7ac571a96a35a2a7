// Part of bridge.js where native code has interface objects: globals whose methods answer while the page's thread stands
// still, as those of Android's `addJavascriptInterface`.

const MAX_CALL_BYTES = 1024 * 1024

const { XMLHttpRequest } = window
const openRequest = uncurry(XMLHttpRequest.prototype.open)
const setRequestHeader = uncurry(XMLHttpRequest.prototype.setRequestHeader)
const sendRequest = uncurry(XMLHttpRequest.prototype.send)
const callURL = replace(replace(bridge.status.url, /^ws/, "http"), /page$/, settings.token ? `call?token=${settings.token}` : "call")

/** No method takes an object: it is for the log alone. What can't be sent at all is undefined. */
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
  const plain = list.map(plainArgument)
  try {
    return ScriptValueEncoder.members("body", plain)
  } catch {
    return ScriptValueEncoder.members("body", plain.map((value) => (typeof value === "object" && value ? {} : value)))
  }
}

/**
 * The browser waits for the daemon. (A page that is being left may not: browsers forbid it.) Firefox goes on with tasks
 * meanwhile, and would evaluate in the midst of the script that calls.
 */
const postSynchronously = (batch) => {
  const request = new XMLHttpRequest()
  openRequest(request, "POST", callURL, false)
  setRequestHeader(request, "Content-Type", "application/json")
  bridge.evaluator.hold()
  try {
    sendRequest(request, `{${bridge.introduction},"messages":[${batch}]}`)
  } finally {
    bridge.evaluator.release()
  }
  bridge.isKnown = true
  return request
}

/** What the page posted before goes along: it may still wait for its socket, which stands still, too. */
const sendCall = (object, method, list) => {
  const given = encodeArguments(list)
  const { frames, seq } = bridge.outbox.takePlace()
  const params = `{"seq":${seq},"handler":${quote(object)},"method":${quote(method)},${given}}`
  frames.push(measured(call("interface.call", params, seq)))
  let request
  inBatches(frames, MAX_CALL_BYTES, (batch) => (request = postSynchronously(batch)))
  if (request.status !== 200) return { error: { message: request.responseText } }
  bridge.outbox.acknowledge(seq)
  return parse(request.responseText)
}

/** @throws {Error} as Android's WebView does; the console tells the reason, which Android keeps to itself */
const callInterface = (object, method, list) => {
  let response
  try {
    response = sendCall(object, method, list)
  } catch (error) {
    const text = `bridged: ${object}.${method}() was not called, or its answer is lost: ${error.message}`
    throw new Error(`${text} Is the daemon at ${callURL} running? Its log says more.`)
  }
  const { result, error } = response
  if (!error) return decodeScriptValue(result.value, result.types)
  native.error(`bridged: ${error.message}`)
  throw new Error(error.data?.exception ?? `bridged: ${object}.${method}() failed: ${error.message}`)
}

for (const { name, methods } of bridge.scope.interfaces ?? []) {
  const object = {}
  for (const method of methods) {
    const named = { [method]: (...list) => callInterface(name, method, list) }
    object[method] = disguise(named[method])
  }
  window[name] = object
}
