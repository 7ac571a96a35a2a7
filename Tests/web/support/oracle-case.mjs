// One recorded case, and native code as the case wants it.

import { createHash } from "node:crypto"
import vm from "node:vm"

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** `{value, types}` as it crosses → a JavaScript value. */
const decode = (value, types = {}) => {
  const root = { whole: value }
  const locate = (path) => {
    const keys = `whole${path}`.split("/").map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"))
    const key = keys.pop()
    return [keys.reduce((at, key) => at[key], root), key]
  }
  const make = { undefined: () => undefined, date: (text) => new Date(text ?? NaN), number: Number,
    utf16: (units) => String.fromCharCode(...units) }
  const entries = Object.entries(types)
  for (const [path, type] of entries) {
    const [holder, key] = locate(path)
    if (type !== "ref") holder[key] = make[type](holder[key])
  }
  for (const [path, type] of entries) {
    const [holder, key] = locate(path)
    if (type !== "ref") continue
    const [from, name] = locate(holder[key])
    holder[key] = from[name]
  }
  return root.whole
}

/** The other way, for the values that replies have. */
const encode = (value) => {
  const types = {}
  const seen = new Map()
  const visit = (value, path) => {
    const mark = (type, json) => ((types[path] = type), json)
    if (value === undefined || typeof value === "bigint") return mark("undefined", null)
    if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
      return mark("number", Object.is(value, -0) ? "-0" : `${value}`)
    }
    if (typeof value === "string" && !value.isWellFormed()) {
      return mark("utf16", Array.from({ length: value.length }, (_, index) => value.charCodeAt(index)))
    }
    if (value === null || typeof value !== "object") return value
    if (Object.prototype.toString.call(value) === "[object Date]") {
      return mark("date", Number.isFinite(value.getTime()) ? value.toISOString() : null)
    }
    if (seen.has(value)) return mark("ref", seen.get(value))
    seen.set(value, path)
    if (Array.isArray(value)) return Array.from(value, (item, index) => visit(item, `${path}/${index}`))
    return Object.fromEntries(Object.keys(value).map((key) => [key, visit(value[key], `${path}/${key}`)]))
  }
  return { value: visit(value, ""), types }
}

export class OracleCase {
  messages = []
  pages = []
  held = []
  started = {}
  results = {}
  loads = 0
  #seqs = new Map() // document → last number

  constructor(recorded, name, daemon, tagger) {
    Object.assign(this, { recorded, name, daemon })
    this.tagger = vm.runInThisContext(tagger)
    this.files = recorded.files ?? {}
    this.handlers = new Map(recorded.handlers.map((handler) => [handler.name, handler]))
    this.userScripts = (recorded.userScripts ?? []).map((script) => this.#userScript(script))
  }

  get scope() {
    const handlers = [...this.handlers.values()].map(({ name, reply }) => ({ name, replies: reply !== undefined }))
    return { handlers, userScripts: this.userScripts, webView: this.name }
  }

  get page() {
    return this.pages.at(-1)
  }

  fill(text) {
    return text.replaceAll("{ORIGIN2}", `http://localhost:${this.port}`)
      .replaceAll("{ORIGIN}", `http://127.0.0.1:${this.port}`)
  }

  empty(value) {
    const text = JSON.stringify(value).replaceAll(`http://localhost:${this.port}`, "{ORIGIN2}")
    return JSON.parse(text.replaceAll(`http://127.0.0.1:${this.port}`, "{ORIGIN}"))
  }

  attached(page) {
    page.lastSeq = this.#seqs.get(page.attach.document) ?? 0
    page.on("message", (message) => this.#receive(page, page.attach.document, message))
    page.on("close", () => (page.isClosed = true))
    const finish = ({ readyState }) => {
      if (readyState !== "complete" || page.isLoaded) return
      page.isLoaded = true
      if (!page.attach.resume && this.isCurrent(page)) this.loads++
    }
    page.on("update", finish)
    if (page.attach.frame.isMainFrame) this.pages.push(page)
    finish(page.attach)
  }

  beacon({ document, messages }) {
    for (const { params } of messages) this.#receive(null, document, params)
  }

  isCurrent(page) {
    return page.attach.frame.isMainFrame
  }

  close() {
    this.page?.notify("script.evaluate", { source: "window.close()" })
    this.page?.call("script.evaluate", { source: "window.close()" })
  }

  async run(open) {
    const { recorded } = this
    const first = recorded.page === null ? null : recorded.page ?? "/index.html"
    await open(first === null ? "about:blank" : this.fill(`{ORIGIN}${first}`))
    if (first !== null) await this.#until(() => this.page?.isLoaded, 8000)
    if (recorded.kind === "steps") return this.empty(await this.#steps())
    const outcome = await this[`_${recorded.kind}`]()
    return this.empty(outcome)
  }

  tag(value) {
    return JSON.parse(this.tagger.json(this.tagger.tag(value)))
  }

  // MARK: kinds

  async _post() {
    const { script } = this.recorded
    const outcome = await this.#helper(`startPost(${JSON.stringify(this.fill(script))}, ${this.recorded.settleMs ?? 400})`)
    await this.page.evaluate("0")
    const isPlain = this.messages.every(({ handler }) => handler === "nativeApp")
    return { ...outcome, delivered: isPlain ? this.messages.map(({ body }) => body) : this.#compact() }
  }

  async _surface() {
    const { script, async, settleMs } = this.recorded
    const text = JSON.stringify(this.fill(script))
    const outcome = await this.#helper(async ? `startAsync(${text}, ${settleMs ?? 2500})` : `run(${text})`)
    await this.page.evaluate("0")
    return this.messages.length > 0 ? { ...outcome, messages: this.#compact() } : outcome
  }

  async _evaluate() {
    const { script, sourceURL } = this.recorded
    const outcome = await this.#evaluate(this.fill(script ?? ""), sourceURL)
    await pause(30)
    return this.messages.length > 0 ? { ...outcome, messages: this.#compact() } : outcome
  }

  async _callAsync() {
    const { body, args, sourceURL } = this.recorded
    if (this.recorded.expect.error?.code === 600) return this.recorded.expect // Native code's own check.
    const outcome = await this.#within(this.#callAsync(body ?? "", args, sourceURL), 2500)
    await pause(30)
    return this.messages.length > 0 ? { ...outcome, messages: this.#compact() } : outcome
  }

  // MARK: steps

  async #steps() {
    for (const step of this.recorded.steps) {
      const result = await this.#step(step)
      if (step.as && result !== undefined) this.results[step.as] = result
    }
    await pause(200)
    return { results: this.results, messages: this.#compact() }
  }

  async #step(step) {
    switch (step.do) {
      case "load": return this.#load(this.fill(step.url.startsWith("/") ? `{ORIGIN}${step.url}` : step.url), step.wait)
      case "reload": return this.#navigate({ reload: true })
      case "goBack": return this.#navigate({ delta: -1 }, step)
      case "goForward": return this.#navigate({ delta: 1 }, step)
      case "evaluate": return this.#within(this.#evaluate(this.fill(step.script), step.sourceURL), step.timeoutMs)
      case "callAsync": return this.#within(this.#callAsync(step.body, step.args), step.timeoutMs ?? 2500)
      case "evaluateStart": return void (this.started[step.as] = this.#evaluate(this.fill(step.script)))
      case "callAsyncStart": return void (this.started[step.as] = this.#callAsync(step.body, step.args))
      case "collect": return this.#within(this.started[step.as], step.timeoutMs)
      case "evaluateNavigating": {
        const before = this.pages.length
        const result = await this.#evaluate(this.fill(step.script))
        await this.#until(() => this.pages.length > before && this.page.isLoaded, 5000)
        return result
      }
      case "page": return this.#helper(`run(${JSON.stringify(this.fill(step.script))})`)
      case "pageAsync": return this.#helper(`startAsync(${JSON.stringify(this.fill(step.script))}, 2500)`)
      case "register": {
        if (this.handlers.has(step.name)) return false
        this.handlers.set(step.name, step)
        this.#tellHandlers()
        return true
      }
      case "unregister":
        this.handlers.delete(step.name)
        return this.#tellHandlers()
      case "addUserScript": return void this.userScripts.push(this.#userScript(step))
      case "removeAllUserScripts": return void (this.userScripts = [])
      case "waitMs": return pause(step.ms)
      case "waitMessages": return this.#until(() => this.messages.length >= step.count, step.timeoutMs ?? 3000)
      case "waitFinishedLoads": return this.#until(() => this.loads >= step.count, step.timeoutMs ?? 3000)
      case "mark": return void this.messages.push({ mark: step.text })
      case "replyHeld": return this.held.splice(step.index ?? 0, 1)[0]?.(step.mode ?? "echo")
      default: throw new Error(`no step ${step.do}`)
    }
  }

  async #load(url, wait) {
    const before = this.pages.length
    if (this.page) this.page.notify("page.navigate", { url })
    if (wait === "committed") return this.#until(() => this.pages.length > before, 5000)
    await this.#until(() => this.pages.length > before && this.page.isLoaded, 5000)
  }

  async #navigate(params) {
    const before = this.pages.length
    this.page.notify("page.navigate", params)
    await this.#until(() => this.pages.length > before && this.page.isLoaded, 3000)
  }

  #tellHandlers() {
    for (const page of this.pages) page.notify("handlers.changed", { handlers: this.scope.handlers })
  }

  #userScript({ source, at, frames }) {
    return { source, at, mainFrameOnly: frames === "top" }
  }

  // MARK: evaluation

  async #evaluate(source, sourceURL) {
    await this.#until(() => this.page, 3000)
    if (!this.page) return { error: { code: 2, message: "no page" } }
    return this.#outcome(await this.page.call("script.evaluate", { source, sourceURL }))
  }

  async #callAsync(body = "", args = {}, sourceURL) {
    await this.#until(() => this.page, 3000)
    if (!this.page) return { error: { code: 2, message: "no page" } }
    const { value, types } = encode(args)
    const special = { inf: "Infinity", "-inf": "-Infinity", nan: "NaN", "-0.0": "-0" }
    for (const [key, text] of Object.entries(value)) {
      if (this.recorded.argTypes?.[key] === "d" && special[text]) {
        value[key] = special[text]
        types[`/${key}`] = "number"
      }
    }
    return this.#outcome(await this.page.call("script.callAsync", { body, arguments: value, types, sourceURL }))
  }

  #outcome({ result, error }) {
    if (result) return { value: this.tag(decode(result.value, result.types)) }
    return { error: { code: error.code, message: error.data?.message ?? error.message, ...error.data } }
  }

  async #helper(call) {
    let answer = (await this.page.evaluate(`__oracle.${call}`)).result?.value
    const deadline = Date.now() + 7000
    while (typeof answer === "number" && Date.now() < deadline) {
      await pause(30)
      const text = (await this.page.evaluate(`__oracle.answer(${answer})`)).result?.value
      if (text) answer = text
    }
    return JSON.parse(answer)
  }

  #within(promise, ms = 4000) {
    return Promise.race([promise, pause(ms).then(() => ({ state: "pending" }))])
  }

  async #until(isDone, ms) {
    for (const deadline = Date.now() + ms; !isDone() && Date.now() < deadline; ) await pause(10)
  }

  // MARK: messages

  #receive(page, document, { id, seq, handler, body, types }) {
    if (seq <= (this.#seqs.get(document) ?? 0)) return
    this.#seqs.set(document, seq)
    const value = decode(body, types)
    this.messages.push({ handler, body: JSON.parse(this.tagger.json(this.tagger.tag(value, { sortKeys: true }))) })
    if (id === undefined) return
    const { reply } = this.handlers.get(handler) ?? {}
    const answer = (value) => page?.socket.send({ jsonrpc: "2.0", id, result: encode(value) })
    const fail = (text) => page?.socket.send({ jsonrpc: "2.0", id, error: { code: -32003, message: text } })
    if (reply === "echo") answer(value)
    else if (reply === "error") fail(String(value))
    else if (reply === "drop" || reply === "decline") answer(undefined)
    else if (reply === "hold") this.held.push((mode) => (mode === "error" ? fail(String(value)) : answer(value)))
    else if (reply?.startsWith("delay:")) setTimeout(answer, Number(reply.slice(6)), value)
    else if (reply === "slow-if-number") typeof value === "number" ? setTimeout(answer, value, value) : answer(value)
    else if (reply === "js") answer(vm.runInNewContext(`structuredClone = 0; ${value}`))
    else if (reply === "eval-first") page.evaluate(value).then(({ result }) => answer(decode(result.value, result.types)))
  }

  #compact() {
    if (!this.recorded.compactMessages) return this.messages
    const sorted = (value) => value === null || typeof value !== "object" ? value
      : Array.isArray(value) ? value.map(sorted)
        : Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
    const lines = this.messages.map((message) => JSON.stringify(sorted(message)))
    const sha256 = createHash("sha256").update(lines.join("\n")).digest("hex")
    return { count: lines.length, first: this.messages[0], last: this.messages.at(-1), sha256 }
  }
}
