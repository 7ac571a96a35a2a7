// Part of bridge.js: what native code asks the page to run.

/** Runs the daemon's requests in order, each in a task of its own. */
class Evaluator {
  #requests = []
  #current = null // `{id, params, state: "running" | "ended" | "threw", event, finish}`
  #answers = new Table() // id → response, or null while it runs
  #ids = []
  #bytes = 0
  #respond
  #port
  #holds = 0
  #held = 0

  constructor(respond) {
    this.#respond = respond
    const { port1, port2 } = new MessageChannel()
    // All microtasks run between two listeners: as in WebKit, the result is taken after them.
    port1.addEventListener("message", () => this.#holds || this.#run())
    port1.addEventListener("message", () => (this.#holds ? this.#held++ : this.#finish()))
    port1.start()
    this.#port = port2
  }

  /** Until as many calls of `release`, nothing runs. */
  hold() {
    this.#holds++
  }

  release() {
    if (--this.#holds > 0) return
    for (; this.#held > 0; this.#held--) this.#port.postMessage(null)
  }

  /** What was asked before is answered to nobody. */
  forget() {
    this.#answers = new Table()
    this.#ids = []
    this.#bytes = 0
  }

  findPosition(event) {
    return findPosition(event, this.#current)
  }

  get isCallingAsync() {
    return this.#current?.method === "script.callAsync"
  }

  /** A repeated request gets the answer it had, once there is one. */
  perform(call) {
    if (this.#answers.has(call.id)) {
      const answer = this.#answers.get(call.id)
      if (answer) this.#respond(answer, call.id)
      return
    }
    if (call.id !== undefined) this.#remember(call.id)
    this.#requests.push(call)
    this.#port.postMessage(null)
  }

  /** @returns {boolean} whether an error event tells of the exception that ends what is evaluated */
  takes(event) {
    const current = this.#current
    if (!current || current.state === "ended" || (current.state === "threw" && current.event)) return false
    current.event = event // While it runs, another one may follow: the last one ends a script element.
    return current.state === "threw"
  }

  #run() {
    const { id, method, params } = this.#requests.shift()
    if (method === "page.navigate") return navigate(params)
    const program = new Program(method === "script.evaluate" ? scriptURL(params) : undefined)
    const current = (this.#current = { id, params, method, program, state: "running", event: null, finish: null })
    if (!allowsEval() && !allowsScripts()) {
      bridge.tellForbidden("script-src")
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

  /** As in WebKit, names are spliced in: `{x}` and `...rest` work. */
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
        this.#answer(id, result(id, value))
      } catch (error) {
        this.#answer(id, exception(id, { error }))
      }
    }
    settle()
  }

  #finish() {
    const current = this.#current
    this.#current = null
    if (!current) return
    const { id, method, state, event, finish } = current
    if (state === "ended") return finish && this.#answer(id, finish())
    this.#answer(id, exception(id, event ?? {}, method === "script.evaluate" ? current : undefined))
  }

  #remember(id) {
    this.#answers.set(id, null)
    this.#ids.push(id)
    while (this.#ids.length > MAX_KEPT || (this.#bytes > MAX_KEPT_BYTES && this.#ids.length > 1)) {
      const oldest = this.#ids.shift()
      this.#bytes -= this.#answers.get(oldest)?.length ?? 0
      this.#answers.delete(oldest)
    }
  }

  #answer(id, text) {
    if (!this.#answers.has(id)) return
    this.#answers.set(id, text)
    this.#bytes += text.length
    this.#respond(text, id)
  }
}

const UNSUPPORTED = "JavaScript execution returned a result of an unsupported type"
const EVALUATOR_METHODS = /^(script\.evaluate|script\.callAsync|page\.navigate)$/

/** What the engine is told to call a script: its own URL, or the document's, where it names itself otherwise. */
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

/** Of an error event. `evaluation` only of `script.evaluate`: nothing else has positions in WebKit. */
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
 * Firefox calls evaluated code `URL line 1 > eval`, WebKit `undefined`. A clash with an earlier declaration has no
 * place in WebKit.
 */
const findPosition = ({ filename, lineno = 0, colno = 0, error }, { params, program }) => {
  const { source = "" } = params
  const own = scriptURL(params) ?? documentURL()
  const isClash = Object(error).name === "SyntaxError" && parses(source) && parses(`class A { static {${source}\n} }`)
  if (isClash) return { line: 0, column: 0, sourceURL: own }
  const isOwn = !filename || filename === own || /^undefined$| > /.test(filename)
  if (!isOwn) return { line: lineno, column: colno, sourceURL: filename }
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
  const line = min(lineno, lines.length)
  const column = line === 1 ? colno - program.shift : colno
  return { line, column: webKitColumn(lines[line - 1] ?? "", column), sourceURL: own }
}

/** WebKit's column of a `throw` is behind what is thrown; other engines tell where it begins. */
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
