// Part of bridge.js: the scripts and navigations that native code asks for.

/** Runs the daemon's requests in order. Each runs in its own task. */
class Evaluator {
  #requests = new Queue()
  /** @type {{id, method, params, program, state: "running" | "ended" | "failed" | "threw", event, finish} | null} */
  #current = null
  /** The response by request id, or null until there is one. */
  #responses = new Table()
  #ids = new Queue() // of #responses, the oldest first
  #bytes = 0 // of #responses
  #respond
  #port
  #holdCount = 0
  #delayedRuns = 0

  /** @param {(response: string, id: number) => void} respond */
  constructor(respond) {
    this.#respond = respond
    const { port1, port2 } = new MessageChannel()
    // All microtasks run between the two listeners, so the result is read after them, as in WebKit.
    listen(port1, "message", () => this.#holdCount || this.#run())
    listen(port1, "message", () => (this.#holdCount ? this.#delayedRuns++ : this.#finish()))
    port1.start()
    this.#port = port2
  }

  /** Delays all requests until `release` was called as often as this. */
  hold() {
    this.#holdCount++
  }

  release() {
    if (--this.#holdCount > 0) return
    for (; this.#delayedRuns > 0; this.#delayedRuns--) postToPort(this.#port, null)
  }

  /** Forgets all requests so far. Those that have not run yet still run, but no response is sent to any of them. */
  forget() {
    this.#responses = new Table()
    this.#ids = new Queue()
    this.#bytes = 0
  }

  findPosition(event) {
    return findPosition(event, this.#current)
  }

  get isCallingAsync() {
    return this.#current?.method === "script.callAsync"
  }

  /** Queues a request. If the daemon repeats one, the page does not run it again, but sends its response again. */
  perform(call) {
    if (this.#responses.has(call.id)) {
      const response = this.#responses.get(call.id)
      if (response) this.#respond(response, call.id)
      return
    }
    if (call.id !== undefined) this.#remember(call.id)
    this.#requests.append({ __proto__: null, ...call, responses: this.#responses })
    postToPort(this.#port, null)
  }

  /** @returns {boolean} whether the error event reports the exception that ended the current evaluation */
  claims(event) {
    const current = this.#current
    if (!current || current.state === "ended" || (current.state === "threw" && current.event)) return false
    // While a script element runs, it may cause several error events. The last one reports the exception that ended it.
    current.event = event
    return current.state === "threw"
  }

  #run() {
    const { id, method, params, responses } = this.#requests.takeFirst()
    if (method === "page.navigate") return navigate(params)
    const program = new Program(method === "script.evaluate" ? scriptURL(params) : undefined)
    const current = { id, params, method, responses, program, state: "running", event: null, finish: null }
    this.#current = current
    if (!allowsEval() && !allowsScripts()) {
      if (!isInApp) bridge.reportForbidden("script-src")
      current.state = "ended"
      current.finish = () => failure(id, 4, FORBIDDEN_EVAL, NO_PLACE)
      return
    }
    if (isInApp) return this.#runInApp(current)
    try {
      if (method === "script.callAsync") this.#callAsync(current)
      else this.#evaluate(current)
    } finally {
      if (current.state === "running") {
        current.state = "threw"
        current.event = null
      }
    }
  }

  /** In an app of its own the page must not hear of the exceptions of tools' scripts. Declarations do not last there. */
  #runInApp(current) {
    const { id, method, params, program } = current
    try {
      if (method === "script.callAsync") return this.#callAsync(current)
      const value = evaluateQuietly(program, `${params.source}`)
      current.finish = () => result(id, value)
    } catch (error) {
      current.finish = () => exception(id, error)
    } finally {
      current.state = "ended"
    }
  }

  #evaluate(current) {
    const outcome = current.program.run(`${current.params.source}`)
    current.state = outcome ? "ended" : "failed"
    if (outcome) current.finish = () => result(current.id, outcome.value)
  }

  /** Puts the arguments' names into the source as they are, as WebKit does. So `{x}` and `...rest` work. */
  #callAsync(current) {
    const { id, params, program } = current
    const values = decodeScriptValue(params.arguments ?? {}, params.types)
    const names = keysOf(values)
    const run = program.evaluate(`(async function(${join(names, ",")}){${params.body}})`)
    const promise = apply(run, window, map(names, (name) => values[name]))
    current.state = "ended"
    then(
      promise,
      (value) => this.#send(current, result(id, value)),
      (error) => this.#send(current, exception(id, error))
    )
  }

  #finish() {
    const current = this.#current
    this.#current = null
    if (!current) return
    const { id, method, state, event, finish } = current
    if (state === "ended") return finish && this.#send(current, finish())
    const place = method === "script.evaluate" ? findPosition(event, current) : undefined
    this.#send(current, exception(id, event ? errorOf(event) : undefined, place))
  }

  #remember(id) {
    this.#responses.set(id, null)
    this.#ids.append(id)
    while (this.#ids.length > MAX_KEPT || (this.#bytes > MAX_KEPT_BYTES && this.#ids.length > 1)) {
      const oldest = this.#ids.takeFirst()
      this.#bytes -= this.#responses.get(oldest)?.length ?? 0
      this.#responses.delete(oldest)
    }
  }

  /** Sends a response, unless the daemon that asked has ended: the next one may use the same id for another request. */
  #send({ id, responses }, response) {
    if (responses !== this.#responses || !responses.has(id)) return
    this.#responses.set(id, response)
    this.#bytes += response.length
    this.#respond(response, id)
  }
}

/** Evaluates source, and throws what it throws. Script elements, which run it if eval is forbidden, tell the page of that. */
const evaluateQuietly = (program, source) => {
  if (allowsEval()) return program.evaluate(source)
  const outcome = program.evaluate(`(() => { try { return { value: (${source}\n) } } catch (error) { return { error } } })()`)
  if (!outcome) throw new Error("the page's Content-Security-Policy forbids eval, so only an expression can be evaluated here")
  if (hasOwn(outcome, "error")) throw outcome.error
  return outcome.value
}

const UNSUPPORTED = "JavaScript execution returned a result of an unsupported type"
const EVALUATOR_METHODS = /^(script\.evaluate|script\.callAsync|page\.navigate)$/

/**
 * Returns the name that the engine gives a script, or undefined for its default: the URL that the request names, or the
 * document's URL if the source names itself by a comment.
 */
const scriptURL = ({ source, sourceURL }) => {
  if (sourceURL && canParse(sourceURL) && !matches(sourceURL, /\s/)) return sourceURL
  return matches(source, /\/\/[#@]\s*sourceURL=/) ? documentURL() : undefined
}

const documentURL = () => replace(location.href, /#.*/, "")

/** Whether native code navigates this document at the moment. */
let isNavigating = false

const navigate = ({ url, reload, delta }) => {
  isNavigating = true
  try {
    if (url) location.assign(url)
    else if (reload) location.reload()
    else goInHistory(history, delta)
  } finally {
    isNavigating = false
  }
}

const result = (id, value) => {
  try {
    return frame(id, `"result":{${ScriptValueEncoder.members("value", value)}}`)
  } catch (error) {
    const { type } = error.findPart()
    return failure(id, 5, UNSUPPORTED, { __proto__: null, type })
  }
}

/**
 * The error response for an exception.
 * @param error what was thrown
 * @param {{line, column, sourceURL}} place WebKit gives a place only for exceptions of `script.evaluate`
 */
const exception = (id, error, place = { line: 0, column: 0 }) => {
  return failure(id, 4, "A JavaScript exception occurred", {
    __proto__: null,
    name: textMember(error, "name"),
    message: exceptionMessage(error),
    ...place,
    stack: textMember(error, "stack")
  })
}

const NO_EVENT = { filename: undefined, lineno: 0, colno: 0, error: undefined }

/**
 * Returns the position of an exception as WebKit reports it. For evaluated code Firefox reports the file name
 * `URL line 1 > eval` and WebKitGTK `undefined`. WebKit gives no position if the source declares a name again.
 */
const findPosition = (event, { params, program }) => {
  const { filename, lineno, colno, error } = event ? detailsOf(event) : NO_EVENT
  const { source = "" } = params
  const own = scriptURL(params) ?? documentURL()
  const isRedeclaration =
    textMember(error, "name") === "SyntaxError" && parses(source) && parses(`class A { static {${source}\n} }`)
  if (isRedeclaration) return { line: 0, column: 0, sourceURL: own }
  const isOwn = !filename || filename === own || matches(filename, /^undefined$| > /)
  if (!isOwn) return { line: lineno, column: colno, sourceURL: filename }
  const lines = split(source, /\r\n|[\n\r\u2028\u2029]/g)
  const line = min(lineno, lines.length)
  const column = line === 1 ? colno - program.shift : colno
  return { line, column: webKitColumn(lines[line - 1] ?? "", column), sourceURL: own }
}

/** For a `throw` statement WebKit reports the column after the thrown expression; other engines report its start. */
const webKitColumn = (line, column) => {
  const start = exec(/\bthrow\s+$/, slice(line, 0, column - 1))?.index ?? column - 1
  if (!matches(slice(line, start), /^throw\b/)) return column
  for (let end = start + 6; end <= line.length; end++) {
    if (matches(slice(line, end), /^\s*(?:[;}]|$)/) && parses(slice(line, start, end))) return end + 1
  }
  return column
}

const FORBIDDEN_EVAL =
  "the page's Content-Security-Policy forbids eval, so native code can't evaluate script here; messages still work. " +
  "Give the tag of bridge.js the policy's nonce, or add 'unsafe-eval' to its script-src in development."
const NO_PLACE = { __proto__: null, name: "EvalError", message: FORBIDDEN_EVAL, line: 0, column: 0 }
