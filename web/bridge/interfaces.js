// Part of bridge.js: interface objects, as Android's `addJavascriptInterface` makes them. They are globals, and their
// methods block the page until native code has answered.

const MAX_CALL_BYTES = 1024 * 1024

const { XMLHttpRequest } = window
const openRequest = uncurry(XMLHttpRequest.prototype.open)
const setRequestHeader = uncurry(XMLHttpRequest.prototype.setRequestHeader)
const sendRequest = uncurry(XMLHttpRequest.prototype.send)
const statusOf = getter("XMLHttpRequest", "status")
const answerOf = getter("XMLHttpRequest", "responseText")
const headerOf = uncurry(XMLHttpRequest.prototype.getResponseHeader)
const callPath = settings.token ? `call?token=${settings.token}` : "call"
const callURL = replace(httpOf(bridge.status.url), /page$/, callPath)

/**
 * Sends a request and blocks until the daemon has answered. (Browsers forbid this while a page unloads.) Firefox runs
 * other tasks meanwhile, so evaluations are held: they must not run in the middle of the script that calls.
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
  bridge.meet(headerOf(request, "Bridged-Run"))
  return request
}

/** A part without a call is answered with 204. */
const isAccepted = (request) => matches(`${statusOf(request)}`, /^20[024]$/)

/** Calls a method. The request contains earlier messages, too, because they may still wait for the blocked socket. */
const sendCall = (object, method, list) => {
  const given = encodeArguments(list)
  const { frames, seq } = bridge.outbox.reserveNumber()
  const params = `{"seq":${seq},"handler":${quote(object)},"method":${quote(method)},${given}}`
  frames[frames.length] = measure(call("interface.call", params, seq))
  let request
  // If a part is refused, the rest must not come before it.
  sendInBatches(frames, MAX_CALL_BYTES, (batch) => {
    if (!request || isAccepted(request)) request = postSynchronously(batch)
  })
  const status = statusOf(request)
  const answer = answerOf(request)
  if (!isAccepted(request)) return { error: { message: answer, data: undefined } }
  // 202 says that the records are not in the log yet. Then the messages are acknowledged over the connection.
  if (status === 200) bridge.outbox.acknowledge(seq)
  return parse(answer)
}

/** @throws {Error} what Android's WebView throws; the console has the reason, which Android does not give */
const callInterface = (object, method, list) => {
  let response
  try {
    response = sendCall(object, method, list)
  } catch (error) {
    const text = `bridged: ${object}.${method}() was not called, or its answer was lost: ${error.message}`
    throw new Error(`${text} Is the daemon at ${callURL} running? Its log says more.`)
  }
  return takeAnswer(object, method, response)
}

showInterfaces(bridge.scope.interfaces ?? [], callInterface)
