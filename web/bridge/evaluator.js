// Part of bridge.js: the scripts and navigations that native code asks for.

/** Runs the daemon's requests in order. Each runs in its own task. */
class Evaluator {
  #requests = []
  /** @type {{id, method, params, program, state: "running" | "ended" | "failed" | "threw", event, finish} | null} */
  #current = null
  /** The response by request id, or null until there is one. */
  #responses = new Table()
  #ids = [] // of #responses, the oldest first
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
    port1.addEventListener("message", () => this.#holdCount || this.#run())
    port1.addEventListener("message", () => (this.#holdCount ? this.#delayedRuns++ : this.#finish()))
    port1.start()
    this.#port = port2
  }

  /** Delays all requests until `release` was called as often as this. */
  hold() {
    this.#holdCount++
  }

  release() {
    if (--this.#holdCount > 0) return
    for (; this.#delayedRuns > 0; this.#delayedRuns--) this.#port.postMessage(null)
  }

  /** Forgets all requests so far. Those that have not run yet still run, but no response is sent to any of them. */
  forget() {
    this.#responses = new Table()
    this.#ids = []
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
    this.#requests.push(call)
    this.#port.postMessage(null)
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
    const { id, method, params } = this.#requests.shift()
    if (method === "page.navigate") return navigate(params)
    const program = new Program(method === "script.evaluate" ? scriptURL(params) : undefined)
    const current = (this.#current = { id, params, method, program, state: "running", event: null, finish: null })
    if (!allowsEval() && !allowsScripts()) {
      bridge.reportForbidden("script-src")
      current.state = "ended"
      current.finish = () => failure(id, 4, FORBIDDEN_EVAL, NO_PLACE)
      return
    }
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
    const run = program.evaluate(`(async function(${names.join(",")}){${params.body}})`)
    const promise = apply(run, undefined, names.map((name) => values[name]))
    current.state = "ended"
    const settle = async () => {
      try {
        const value = await promise
        this.#send(id, result(id, value))
      } catch (error) {
        this.#send(id, exception(id, { error }))
      }
    }
    settle()
  }

  #finish() {
    const current = this.#current
    this.#current = null
    if (!current) return
    const { id, method, state, event, finish } = current
    if (state === "ended") return finish && this.#send(id, finish())
    this.#send(id, exception(id, event ?? {}, method === "script.evaluate" ? current : undefined))
  }

  #remember(id) {
    this.#responses.set(id, null)
    this.#ids.push(id)
    while (this.#ids.length > MAX_KEPT || (this.#bytes > MAX_KEPT_BYTES && this.#ids.length > 1)) {
      const oldest = this.#ids.shift()
      this.#bytes -= this.#responses.get(oldest)?.length ?? 0
      this.#responses.delete(oldest)
    }
  }

  #send(id, response) {
    if (!this.#responses.has(id)) return
    this.#responses.set(id, response)
    this.#bytes += response.length
    this.#respond(response, id)
  }
}

const UNSUPPORTED = "JavaScript execution returned a result of an unsupported type"
const EVALUATOR_METHODS = /^(script\.evaluate|script\.callAsync|page\.navigate)$/

/**
 * Returns the name that the engine gives a script, or undefined for its default: the URL that the request names, or the
 * document's URL if the source names itself by a comment.
 */
const scriptURL = ({ source, sourceURL }) => {
  if (sourceURL && URL.canParse(sourceURL) && !/\s/.test(sourceURL)) return sourceURL
  return /\/\/[#@]\s*sourceURL=/.test(source) ? documentURL() : undefined
}

const documentURL = () => location.href.replace(/#.*/, "")

const navigate = ({ url, reload, delta }) => {
  if (url) location.assign(url)
  else if (reload) location.reload()
  else history.go(delta)
}

const result = (id, value) => {
  try {
    return frame(id, `"result":{${ScriptValueEncoder.members("value", value)}}`)
  } catch (error) {
    const { type } = error.find()
    return failure(id, 5, UNSUPPORTED, { __proto__: null, type })
  }
}

/**
 * The error response for an exception.
 * @param {ErrorEvent} event
 * @param evaluation the current request if it is `script.evaluate`; WebKit gives no position for anything else
 */
const exception = (id, event, evaluation) => {
  const { error } = event
  const { name, stack } = Object(error)
  return failure(id, 4, "A JavaScript exception occurred", {
    __proto__: null,
    name: typeof name === "string" ? name : undefined,
    message: exceptionMessage(error),
    ...(evaluation ? findPosition(event, evaluation) : { line: 0, column: 0 }),
    stack: typeof stack === "string" ? stack : undefined
  })
}

const exceptionMessage = (error) => {
  try {
    return /Error|DOMException/.test(classString(error)) ? errorString(error) : `${error}`
  } catch {
    return ""
  }
}

/**
 * Returns the position of an exception as WebKit reports it. For evaluated code Firefox reports the file name
 * `URL line 1 > eval` and WebKitGTK `undefined`. WebKit gives no position if the source declares a name again.
 */
const findPosition = ({ filename, lineno = 0, colno = 0, error }, { params, program }) => {
  const { source = "" } = params
  const own = scriptURL(params) ?? documentURL()
  const isRedeclaration =
    Object(error).name === "SyntaxError" && parses(source) && parses(`class A { static {${source}\n} }`)
  if (isRedeclaration) return { line: 0, column: 0, sourceURL: own }
  const isOwn = !filename || filename === own || /^undefined$| > /.test(filename)
  if (!isOwn) return { line: lineno, column: colno, sourceURL: filename }
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
  const line = min(lineno, lines.length)
  const column = line === 1 ? colno - program.shift : colno
  return { line, column: webKitColumn(lines[line - 1] ?? "", column), sourceURL: own }
}

/** For a `throw` statement WebKit reports the column after the thrown expression; other engines report its start. */
const webKitColumn = (line, column) => {
  const start = /\bthrow\s+$/.exec(line.slice(0, column - 1))?.index ?? column - 1
  if (!/^throw\b/.test(line.slice(start))) return column
  for (let end = start + 6; end <= line.length; end++) {
    if (/^\s*(?:[;}]|$)/.test(line.slice(end)) && parses(line.slice(start, end))) return end + 1
  }
  return column
}

const FORBIDDEN_EVAL =
  "the page's Content-Security-Policy forbids eval, so native code can't evaluate script here; messages still work. " +
  "Give the tag of bridge.js the policy's nonce, or add 'unsafe-eval' to its script-src in development."
const NO_PLACE = { __proto__: null, name: "EvalError", message: FORBIDDEN_EVAL, line: 0, column: 0 }
