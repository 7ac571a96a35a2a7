/**
 * Tests the bridge of a page with bridged. Install the package, or copy this file beside your tests: it needs Node 18, and
 * nothing else.
 *
 *     const app = await start()                    // a daemon of its own, on a free port
 *     t.after(() => app.close())
 *     await app.open("/demo/")                     // in a Chromium without a window
 *     await app.tap("#register-push-token")
 *     assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
 *
 * clients/README.md and docs/test.md list the methods, and docs/control.md what `call` can do. Times are milliseconds.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, closeSync, constants, existsSync, fstatSync, lstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import { createRequire } from "node:module"
import { connect as connectSocket } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** @typedef {Record<string, any>} Fields */
/** @typedef {{page?: string, webView?: string, timeout?: number}} Options */

/** The daemon cannot do what was asked, or cannot be reached. The message says how to fix it. */
export class BridgedError extends Error {
  /** @param {string} message @param {number} [code] @param {Fields} [data] */
  constructor(message, code = 0, data = {}) {
    // A code that is positive is WebKit's, and its message the page's.
    super(printable(code > 0 ? message.replaceAll("\n", "\\u000a") : message))
    this.name = "BridgedError"
    this.code = code
    this.data = data
  }

  /** Whether what was waited for did not come in time. */
  get timedOut() {
    return this.code === 1 || this.code === -32005
  }
}

/** Returns a text without what controls a terminal, because a page may have written it. */
const printable = (text) => {
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
  return text.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/**
 * Starts the daemon that BRIDGED names, or that of the npm package, or `bridged` on PATH. It ends with this process at the latest.
 *
 * Settings are the options of `bridged serve`: `start({ port: 2734, rootUrl: "http://localhost:3000" })`.
 * @param {Fields} [settings]
 */
export async function start(settings = {}) {
  const program = executable()
  const options = Object.entries({ port: 0, ...settings }).flatMap(([name, values]) =>
    [values].flat().filter((value) => value != null && value !== false)
      .map((value) => `--${dashed(name)}${value === true ? "" : `=${value}`}`))
  const daemon = run([program, "serve", "--json", ...options], ["ignore", "pipe", "pipe"])
  let errors = ""
  daemon.stderr.on("data", (text) => { errors += text })
  const first = await firstLine(daemon)
  if (first === undefined) {
    await stop(daemon)
    throw new BridgedError(`bridged did not start: it has written no line in ${startTime / 1_000} s. ${isBridgedFound}`)
  }
  if (!first) {
    await stop(daemon)
    throw new BridgedError(`bridged did not start: ${errors.trim()}`)
  }
  for (const handle of [daemon, daemon.stdout, daemon.stderr]) handle.unref()
  return new Client(endpoint(read(parse(first), "runFile")) ?? await notStarted(daemon, first), daemon)
}

/**
 * Finds a daemon that runs: that at `url` or BRIDGED_URL, or the one on port 2734, or the only one.
 *
 * A daemon of another user or machine needs its token, here or in BRIDGED_TOKEN. The client has all messages that the daemon
 * keeps; with `latest` only those that come from now on.
 * @param {string} [url] @param {{token?: string, latest?: boolean}} [options]
 */
export function connect(url = process.env.BRIDGED_URL, { token = process.env.BRIDGED_TOKEN, latest = false } = {}) {
  return new Client(found(url, token), undefined, latest)
}

/** Returns the address and the token of the daemon for `connect`. @param {string} [url] @param {string} [token] */
function found(url, token) {
  if (url && token) return { url, token }
  const { daemons, others } = running()
  const all = daemons.filter((daemon) => !url || address(url) === address(daemon.url))
  const usual = all.filter((daemon) => address(daemon.url).endsWith(":2734"))
  const fitting = usual.length ? usual : all
  const urls = fitting.map((daemon) => daemon.url)
  if (urls.length > 1) throw new BridgedError(`Several daemons run. Name one: ${urls.join(", ")}`)
  if (!urls.length) {
    throw new BridgedError(`No daemon of yours runs${url ? ` at ${url}` : ""}. Start one with: bridged serve${others}`)
  }
  return { ...fitting[0], token: token || fitting[0].token }
}

/**
 * Gives a page of Playwright or Puppeteer the bridge of `app`, or of the daemon that `connect` finds, and returns the client.
 * Without `app`, that has the messages that come from now on.
 * @param {any} page @param {{app?: Client, url?: string}} [options]
 */
export async function attach(page, { app = connect(undefined, { latest: true }), url } = {}) {
  await app.attach(page, { url })
  return app
}

/** A daemon, and the page that it shows. `close` it. */
export class Client {
  #token
  #daemon
  #browser
  #profile
  /** The number of the latest record that this client does not have. @type {number | Promise<number>} */
  #first = 0
  #taken = new Set()
  #stubs = new Set()
  #end = () => {
    for (const program of [this.#browser, this.#daemon]) if (program) kill(program)
    if (this.#profile) rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }

  /**
   * @param {{url: string, token: string}} endpoint @param {import("node:child_process").ChildProcess} [daemon]
   * @param {boolean} [latest] whether it begins with the latest record
   */
  constructor({ url, token }, daemon, latest = false) {
    this.url = url
    this.#token = token
    this.#daemon = daemon
    if (daemon) ends.add(this.#end)
    if (!latest) return
    const first = this.#lastRecord()
    first.catch(() => {}) // The call that needs it fails.
    this.#first = first
  }

  /** Closes the browser that `open` has started, and stops the daemon that `start` has started. */
  async close() {
    ends.delete(this.#end)
    await this.#closeBrowser()
    if (this.#daemon) await stop(this.#daemon)
    this.#daemon = undefined
  }

  /**
   * Calls a control method, with the names that docs/control.md gives, and returns its result.
   * @param {string} method @param {Fields} [params] @returns {Promise<any>}
   */
  async call(method, params = {}) {
    const body = json({ jsonrpc: "2.0", id: 1, method, params }, `The parameters of ${method}`)
    const url = new URL("/rpc", this.url)
    const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" }
    const limit = Math.ceil(params.timeoutMs ?? 60_000) + patience
    const signal = AbortSignal.timeout(limit)
    const parts = []
    let size = 0, status = 0
    try {
      const { request: send } = url.protocol === "https:" ? https : http
      const request = send(url, { method: "POST", headers, agent: false, autoSelectFamily, signal })
      request.end(body)
      const [response] = await once(request, "response")
      status = response.statusCode
      for await (const part of response) {
        size += part.length
        if (size > largestAnswer) {
          throw new BridgedError(`The answer of ${this.url} has more than ${largestAnswer} bytes. ${isItBridged}`)
        }
        parts.push(part)
      }
      signal.throwIfAborted()
    } catch (error) {
      if (error instanceof BridgedError) throw error
      throw this.#unreachable(signal.aborted ? `did not answer within ${limit / 1_000} s` : error)
    }
    const text = Buffer.concat(parts).toString()
    const answer = parse(text)
    if (isObject(answer?.result)) return answer.result
    const error = answer?.error
    if (!Number.isInteger(error?.code) || typeof error.message !== "string") {
      throw this.#strange(method, `a JSON-RPC response to ${method}`, text, ` with HTTP status ${status}`)
    }
    throw new BridgedError(error.message, error.code, isObject(error.data) ? error.data : {})
  }

  /** @param {any} reason an error, or a text */
  #unreachable(reason) {
    const text = isText(reason) ? reason : `cannot be reached: ${reason.message || reason.code}`
    return new BridgedError(`The daemon at ${this.url} ${text}. Does it still run?`)
  }

  /** Returns an error about an answer that no daemon gives. */
  #strange(method, expected, found, status = "") {
    return new BridgedError(`The server at ${this.url} refuses ${method}: ${found.slice(0, 300).trim()}. `
      + `This client expected ${expected}, and found this${status}. ${isItBridged}`)
  }

  /** Returns the member of a method's result to which names lead, with dots between them, if it has this type. */
  #member(method, result, path, isRight, type) {
    const value = read(result, path)
    if (!isRight(value)) throw this.#strange(method, `${type} ${path}`, text(result))
    return value
  }

  /** Calls a method whose result is a script value. */
  async #evaluated(method, params) {
    const result = await this.call(method, params)
    try {
      return revive(result)
    } catch {
      throw this.#strange(method, "a script value", text(result))
    }
  }

  /**
   * Shows a page, in a browser without a window if there is none yet. A path is the daemon's own.
   *
   * bridged drives `"chromium"`, `"firefox"` and `"webkit"`. Pages in `"chromium+tag"` need the script tag. Waits for the
   * page's load event, and for the app's visit of it; with `until: "attached"` only until it attaches.
   * @param {string} url @param {{timeout?: number, until?: "attached" | "load", browser?: string}} [options]
   */
  async open(url, { timeout = 30_000, until = "load", browser = "chromium" } = {}) {
    url = new URL(url, this.url).href
    if (!url.startsWith(this.url)) await checkServer(url)
    const deadline = performance.now() + timeout
    let after = await this.#lastRecord()
    const pages = this.#member("pages.list", await this.call("pages.list"), "pages", Array.isArray, "a list")
    if (pages.some((page) => page?.attached && page.webView === "main" && page.frame?.isMainFrame)) {
      await this.call("origins.add", { origin: url })
      await this.call("page.navigate", { url, webView: "main" })
    } else if (browser === "chromium+tag") {
      const launch = await this.call("page.launch", { url })
      await this.#openBrowser(this.#member("page.launch", launch, "url", isText, "a text"), launch.userAgent)
    } else {
      await this.#drive(browser, url)
    }
    const wait = async () => {
      for (;;) {
        const left = Math.max(0, deadline - performance.now())
        const fits = { after, timeoutMs: Math.min(left, 500), filter: "kind:page,problem" }
        try {
          const record = await this.call("messages.wait", fits)
          if (record.event === "attached" && record.webView === "main") return
          if (record.code === "scriptMissing") throw new BridgedError(`${record.text}. ${record.hint}`)
          after = this.#member("messages.wait", record, "record", Number.isInteger, "a number")
        } catch (error) {
          if (!error.timedOut) throw error
          this.#checkDriver()
          if (left <= 500) throw error
        }
      }
    }
    await this.#expecting(`${url} to attach within ${timeout} ms; its first script must be ${this.url}bridge.js`, wait())
    if (until === "attached") return
    const left = Math.max(0, deadline - performance.now())
    await this.#expecting(`${url} to load within ${timeout} ms`, this.waitForPage("*", { webView: "main", timeout: left, until }))
  }

  /**
   * Gives a page of Playwright or Puppeteer the bridge: each document that it loads from now on, without a script tag.
   *
   * Its requests carry the app's user agent, but not those of windows that it opens: `userAgent` is for these. `url` is one of
   * the app's, if the first page is not. A context with `bypassCSP: true` (Puppeteer: `page.setBypassCSP(true)`) attaches pages
   * in spite of their Content-Security-Policy. Handlers that are not there yet, and stubs for such, are known to documents
   * after the next call.
   * @param {any} page @param {{url?: string}} [options]
   */
  async attach(page, { url } = {}) {
    await this.#first // What this page posts comes after that.
    if (url) await this.call("origins.add", { origin: url })
    const { script, userAgent } = await this.#pageScript(await page.evaluate("navigator.userAgent"))
    if (page.evaluateOnNewDocument) { // Puppeteer
      // Older versions of Puppeteer take a text, and with these Chromium refuses the object.
      await page.setUserAgent({ userAgent }).catch(() => page.setUserAgent(userAgent))
      await page.evaluateOnNewDocument(script)
      return
    }
    if (page.context().browser()?.browserType().name() === "chromium") {
      const session = await page.context().newCDPSession(page)
      await session.send("Emulation.setUserAgentOverride", { userAgent })
    } else {
      await page.setExtraHTTPHeaders({ "User-Agent": userAgent })
    }
    await page.addInitScript(script)
  }

  /**
   * Returns the app's user agent for a browser whose own is `browser`. A context of Playwright that has it sends it with the
   * requests of all pages, also of windows that open by themselves.
   * @param {string} browser
   */
  async userAgent(browser) {
    return (await this.#pageScript(browser)).userAgent
  }

  /**
   * Returns bridge.js for a browser with this user agent, as a script for each new document, and the app's user agent.
   * @param {string} userAgent @returns {Promise<{script: string, userAgent: string}>}
   */
  async #pageScript(userAgent) {
    const text = await this.#bridgeScript(userAgent).catch((error) => { throw this.#unreachable(error) })
    const settings = parse(/\bconst settings = (\{.*\})$/m.exec(text)?.[1] ?? "")
    return { script: initScript(text), userAgent: read(settings, "webViews.main.userAgent") ?? userAgent }
  }

  async #bridgeScript(userAgent) {
    const { get } = this.url.startsWith("https:") ? https : http
    const headers = { "User-Agent": userAgent }
    const request = get(new URL("bridge.js", this.url), { headers, agent: false, autoSelectFamily })
    const [response] = await once(request, "response", { signal: AbortSignal.timeout(patience) })
    const parts = []
    for await (const part of response) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  /**
   * Waits until a browser shows a page whose URL fits: a path, or a whole URL. * stands for any characters.
   * @param {string} [url] @param {Options} [options]
   */
  waitForPage(url = "*", options) {
    return this.call("pages.wait", { url, ...params(options) })
  }

  /**
   * Runs a script in the page, and returns its completion value.
   * @param {string} source @param {Options} [options] @returns {Promise<any>}
   */
  async evaluate(source, options) {
    return this.#evaluated("script.evaluate", { source, ...params(options) })
  }

  /**
   * Runs the body of an async function in the page, and returns what the function returns.
   *
   * Values can be what JSON has, dates, `undefined`, `NaN` and the infinities, and objects that contain each other.
   * @param {string} body @param {Fields} [values] @param {Options} [options] @returns {Promise<any>}
   */
  async callAsync(body, values = {}, options) {
    return this.#evaluated("script.callAsync", { body, ...typed("arguments", values), ...params(options) })
  }

  /**
   * Waits until an expression is true in the page, or in the page that replaces it.
   * @param {string} expression @param {{timeout?: number}} [options]
   */
  async waitUntil(expression, { timeout = 5_000 } = {}) {
    const call = this.call("script.wait", { condition: expression, ...params({ timeout }) })
    await this.#expecting(`${expression} to be true within ${timeout} ms`, call)
  }

  // Elements: a CSS selector, or an object as in a flow, such as {role: "button", name: "Save"}. Each call waits until a
  // user can do it. A browser that bridged drives gets real input.

  /** @typedef {string | Fields} Element */

  /** @param {Element} element @param {{timeout?: number}} [options] */
  tap(element, options) { return this.#act("tap", element, {}, options) }

  /**
   * Replaces what a field contains.
   * @param {Element} element @param {string} text @param {{timeout?: number}} [options]
   */
  fill(element, text, options) { return this.#act("fill", element, { text }, options) }

  /**
   * Types with one key for each character, into what has the focus if no element is named.
   * @param {string} text @param {Element} [element] @param {{timeout?: number}} [options]
   */
  type(text, element, options) { return this.#act("type", element, { text }, options) }

  /**
   * Presses a key, such as `Enter` or `a`.
   * @param {string} key @param {Element} [element] @param {{timeout?: number}} [options]
   */
  press(key, element, options) { return this.#act("press", element, { key }, options) }

  /**
   * Selects the options of a `<select>` with these labels or values, and no others.
   * @param {Element} element @param {string | string[]} options @param {{timeout?: number}} [settings]
   */
  select(element, options, settings) { return this.#act("select", element, { options: [options].flat() }, settings) }

  /** @param {Element} element @param {{timeout?: number}} [options] */
  check(element, options) { return this.#act("check", element, {}, options) }

  /** @param {Element} element @param {{timeout?: number}} [options] */
  uncheck(element, options) { return this.#act("uncheck", element, {}, options) }

  /**
   * Chooses files of this machine for an `<input type=file>`.
   * @param {Element} element @param {string | string[]} paths @param {{timeout?: number}} [options]
   */
  chooseFiles(element, paths, options) {
    return this.#act("chooseFiles", element, { files: [paths].flat().map((path) => resolve(path)) }, options)
  }

  /** @param {Element} element @param {{timeout?: number}} [options] */
  scrollTo(element, options) { return this.#act("scrollTo", element, {}, options) }

  /** @param {Element} element @param {{timeout?: number}} [options] */
  hover(element, options) { return this.#act("hover", element, {}, options) }

  /** @param {Element} element @param {Element} to @param {{timeout?: number}} [options] */
  drag(element, to, options) { return this.#act("drag", element, { to }, options) }

  /**
   * Waits until an element is as expected: `visible`, `enabled`, `checked`, `value`, `contains`, `count`; without any,
   * visible.
   * @param {Element} element @param {Fields & {timeout?: number}} [expected]
   */
  expectElement(element, { timeout, ...expected } = {}) { return this.#expectPage({ element, ...expected }, timeout) }

  /**
   * Waits until the page shows a text.
   * @param {string} text @param {{timeout?: number}} [options]
   */
  expectText(text, { timeout } = {}) { return this.#expectPage({ text }, timeout) }

  /**
   * Waits until the page has this path or URL; * stands for any characters.
   * @param {string} url @param {{timeout?: number}} [options]
   */
  expectURL(url, { timeout } = {}) { return this.#expectPage({ url }, timeout) }

  /** @param {string} title @param {{timeout?: number}} [options] */
  expectTitle(title, { timeout } = {}) { return this.#expectPage({ title }, timeout) }

  async #act(action, element, fields, { timeout = 5_000 } = {}) {
    const name = element === undefined ? "the focus" : `an element ${isText(element) ? element : json(element, "The element")}`
    const call = this.call("page.act", { action, ...params({ element, timeout }), ...fields })
    await this.#expecting(`${name} to ${action} within ${timeout} ms`, call)
  }

  async #expectPage(expected, timeout = 5_000) {
    const what = `the page to show ${json(expected, "What is expected")} within ${timeout} ms`
    await this.#expecting(what, this.call("page.expect", { ...expected, ...params({ timeout }) }))
  }

  /**
   * Returns the earliest message that fits and that no call has returned, or waits for it.
   *
   * Filters are those of `messages.wait`: `match: {…}` is a part of the body, `handler: "nativeApp"` the handler,
   * `kind: "console"` another kind of record.
   * @param {string | Fields} name the name in the body, or filters @param {Fields} [filters]
   */
  nextMessage(name, filters) {
    const { timeout = 5_000, ...fits } = typeof name === "string" ? { name, ...filters } : name
    const next = async () => {
      const deadline = performance.now() + timeout
      for (let after = await this.#first; ;) {
        const timeoutMs = Math.max(0, deadline - performance.now())
        const record = await this.call("messages.wait", { after, timeoutMs, ...fits })
        after = this.#member("messages.wait", record, "record", Number.isInteger, "a number")
        if (this.#taken.has(after)) continue
        this.#taken.add(after)
        return record
      }
    }
    return this.#expecting(`a record with ${text(fits)} within ${timeout} ms`, next())
  }

  /**
   * Fails if there is a message that fits and that no call has returned, or if one comes in this time.
   * @param {string | Fields} name as for `nextMessage` @param {Fields} [filters]
   */
  async expectNone(name, filters) {
    const fits = { timeout: 500, ...(typeof name === "string" ? { name, ...filters } : name) }
    const record = await this.nextMessage(fits).catch((error) => {
      if (!error.timedOut) throw error
    })
    if (record) throw new BridgedError(`Expected no such record, but this one came: ${text(record)}`)
  }

  /**
   * Returns the records that fit and that the daemon keeps, the oldest first.
   * @param {Fields} [filters] @returns {Promise<any[]>}
   */
  async traffic(filters = {}) {
    const params = { after: await this.#first, limit: 10_000, ...filters }
    const records = []
    let more = true
    while (more && records.length < params.limit) { // An answer has a part of many large records.
      const part = await this.call("traffic.query", { ...params, limit: params.limit - records.length })
      const found = this.#member("traffic.query", part, "records", Array.isArray, "a list")
      const next = this.#member("traffic.query", part, "next", Number.isInteger, "a number")
      more = part.more
      if (more && (next <= params.after || !found.length)) throw this.#strange("traffic.query", "more records", text(part))
      for (const record of found) records.push(record)
      params.after = next
    }
    return records
  }

  /**
   * Writes what the app shows, and its traffic since the last reset, as a page that any browser shows.
   * @param {string} path
   * @param {{ name?: string, failure?: string }} [options]
   */
  async saveTrace(path, { name = "A test", failure = "It failed." } = {}) {
    const options = { url: this.url, after: await this.#first, name, failure: failure.slice(0, 20_000) }
    const values = Object.entries(options).map(([key, value]) => `--${key}=${value}`.replaceAll("\0", "\ufffd"))
    const env = { ...process.env, BRIDGED_TOKEN: this.#token }
    await new Promise((resolve, reject) => {
      execFile(executable(), ["trace", "save", path, ...values], { env, timeout: 60_000 }, (error, _, errors) =>
        error ? reject(new BridgedError(`The trace cannot be written: ${errors.trim() || error.message}`)) : resolve())
    })
  }

  /**
   * Posts a message as the page would, and returns the reply.
   * @param {string} handler @param {any} body @param {Options} [options] @returns {Promise<any>}
   */
  async post(handler, body, options) {
    return this.#evaluated("message.post", { handler, ...typed("body", body), ...params(options) })
  }

  /**
   * Answers in place of a handler. Returns the stub's id, for `unstub`.
   * @param {string} handler
   * @param {{value: any} | {error: string} | {echo: true} | {none: true}} reply `none` means no answer
   * @param {{match?: any, webView?: string, delay?: number}} [options]
   * @returns {Promise<string>}
   */
  async stub(handler, reply, options) {
    const answer = "value" in reply ? { ...reply, ...typed("value", reply.value) } : reply
    const result = await this.call("handlers.stub", { handler, reply: answer, ...params(options) })
    const stub = this.#member("handlers.stub", result, "stub", isText, "a text")
    this.#stubs.add(stub)
    return stub
  }

  /** @param {string} stub what `stub` has returned */
  async unstub(stub) {
    await this.call("handlers.unstub", { stub })
    this.#stubs.delete(stub)
  }

  /**
   * Removes this client's stubs, takes the app back to a fresh install (stacks, cookies, storage, faults), and forgets the
   * traffic, for the next test with the same daemon. Browsers that bridged drives show about:blank after it.
   *
   * Returns what could not be cleared. With `closeBrowser`, it closes the browser that `open` has started, and with it what the
   * browser has stored, if it could not clear that.
   * @param {{closeBrowser?: boolean}} [options] @returns {Promise<string[]>}
   */
  async reset({ closeBrowser = false } = {}) {
    await this.#removeStubs()
    let left = this.#member("app.reset", await this.call("app.reset"), "notCleared", Array.isArray, "a list")
    const pages = await this.#drivenPages()
    if (pages.size) {
      left = [...left, ...await this.#leave(pages)]
      await this.call("app.reset") // The pages could do something until they left.
    }
    if (closeBrowser && left.length && await this.#closeBrowser()) left = []
    this.#first = await this.#lastRecord()
    return left
  }

  async #removeStubs() {
    for (const stub of this.#stubs) {
      this.#stubs.delete(stub)
      await this.call("handlers.unstub", { stub }).catch((error) => {
        if (error.code !== -32602) throw error // Otherwise somebody else has removed it.
      })
    }
  }

  /** Returns the pages that driven browsers show, by their ids, but not empty ones. @returns {Promise<Map<string, any>>} */
  async #drivenPages() {
    const pages = (await this.#shownPages()).filter(({ device, engine, frame }) =>
      engine && !device && frame?.isMainFrame && frame.url !== "about:blank")
    return new Map(pages.map((page) => [page.page, page]))
  }

  async #shownPages() {
    const pages = this.#member("pages.list", await this.call("pages.list"), "pages", Array.isArray, "a list")
    return pages.filter((page) => page?.attached)
  }

  /**
   * Sends these pages to about:blank, because a page that lives on would post messages in the next test. Returns what it could
   * not do; a browser that this client has started is closed in that case.
   * @param {Map<string, any>} pages
   */
  async #leave(pages) {
    for (const page of pages.keys()) { // A page may have left by itself.
      await this.call("page.navigate", { url: "about:blank", page, timeoutMs: 5_000 }).catch(() => {})
    }
    const deadline = performance.now() + 5_000
    while (!await this.#haveLeft(pages)) {
      if (performance.now() < deadline) await sleep(10)
      else return await this.#closeBrowser() ? [] : [`pages that do not leave: ${[...pages.keys()].join(", ")}`]
    }
    return []
  }

  /** Whether these pages are gone, and `open` finds a page in the main web view if one of them was there. */
  async #haveLeft(pages) {
    const shown = await this.#shownPages()
    const [hadMain, hasMain] = [[...pages.values()], shown].map((some) => some.some(({ webView }) => webView === "main"))
    return !shown.some(({ page }) => pages.has(page)) && (hasMain || !hadMain)
  }

  /** Returns what the emulated app shows. */
  state() {
    return this.call("app.state")
  }

  /**
   * Waits until the state contains this, as in `expectApp({ title: "Posts", modal: [] })`, and returns it.
   * @param {Fields} state @param {{timeout?: number}} [options] @returns {Promise<any>}
   */
  async expectApp(state, { timeout = 5_000 } = {}) {
    const what = `the app to show ${json(state, "The state")} within ${timeout} ms`
    return this.#expecting(what, this.call("app.wait", { state, ...params({ timeout }) }))
  }

  /**
   * Does what the app's user would, as in `perform("visit", { url: "/posts" })`, and returns the new state.
   * @param {string} action @param {Record<string, string>} [values]
   */
  perform(action, values = {}) {
    return this.call("app.perform", { action, ...values })
  }

  async #lastRecord() {
    const info = await this.call("daemon.info")
    return this.#member("daemon.info", info, "counters.records", Number.isInteger, "a number")
  }

  /**
   * Adds what was expected, and the latest traffic, to a time-out.
   * @template T @param {string} what @param {Promise<T>} wait
   */
  async #expecting(what, wait) {
    try {
      return await wait
    } catch (error) {
      if (!error.timedOut) throw error
      const records = (await this.traffic({ filter: "-kind:evaluate,callAsync,result" })).slice(-10)
      const latest = records.map((record) => `\n  ${text(record)}`).join("") || " none"
      throw new BridgedError(`Expected ${what}. The latest traffic:${latest}`, error.code, error.data)
    }
  }

  async #drive(browser, url) {
    const program = executable()
    await this.#closeBrowser()
    this.#profile = this.#newProfile()
    const errors = openSync(join(this.#profile, "errors"), "w")
    const command = [program, "open", url, `--in=${browser}`, "--headless", `--url=${this.url}`]
    this.#browser = run(command, ["ignore", "ignore", errors])
    closeSync(errors)
    this.#browser.unref()
  }

  /** Says why the browser that bridged drives has ended, if it has. */
  #checkDriver() {
    const { exitCode, signalCode } = this.#browser ?? {}
    if (!exitCode && !signalCode) return
    const errors = join(this.#profile, "errors")
    const cause = existsSync(errors) ? readFileSync(errors, "utf8") : ""
    throw new BridgedError(`The browser has ended${signalCode ? ` by ${signalCode}` : ""}. ${cause}`.trim())
  }

  #newProfile() {
    ends.add(this.#end)
    return mkdtempSync(join(tmpdir(), "bridged-"))
  }

  /** @param {string} url @param {string} [userAgent] as page.launch has returned them */
  async #openBrowser(url, userAgent) {
    await this.#closeBrowser()
    const program = process.env.CHROME_BIN || find("chromium", "chromium-browser", "google-chrome")
    if (!program) {
      throw new BridgedError("There is no Chromium on PATH. Install it, or name it in CHROME_BIN.")
    }
    // With this, stubs may answer dialogs, and any other one is dismissed; by itself Chromium would wait for a user.
    await this.call("handlers.stub", { handler: "window.alert", reply: { none: true } })
    this.#profile = this.#newProfile()
    const root = process.getuid() === 0 ? ["--no-sandbox"] : [] // The sandbox refuses to run as root.
    const agent = userAgent ? [`--user-agent=${userAgent}`] : []
    const command = [program, ...chromium, ...root, ...agent, `--user-data-dir=${this.#profile}`, url]
    this.#browser = run(command, "ignore")
    this.#browser.unref()
  }

  /** Closes the browser that this client has started, with all that it has stored. Returns whether there was one. */
  async #closeBrowser() {
    if (!this.#browser) return false
    await stop(this.#browser)
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 })
    this.#browser = this.#profile = undefined
    return true
  }
}

/** What ends the daemons and browsers that clients have started. @type {Set<() => void>} */
const ends = new Set()
process.on("exit", () => { for (const end of ends) end() })

/** Node 18 would try only the first address of localhost, which can be ::1. */
const autoSelectFamily = true

/** All clients together make a daemon hold at most so many bytes, by default. */
const largestAnswer = 256 << 20
/** How many milliseconds a daemon may take to write its first line, and how long the line may be. */
const startTime = 60_000
const longestLine = 64 << 10
const isBridgedFound = "Does BRIDGED, or PATH, lead to bridged?"
/** How many milliseconds an answer may take beyond the time that its call may wait. */
const patience = 10_000
const isItBridged = "Is it bridged? Give the address that `bridged serve` prints."

// Chromium makes no requests of its own, and does not slow down pages that are behind another window.
const chromium = `--headless=new --disable-gpu --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --password-store=basic --disable-dev-shm-usage --disable-popup-blocking
  --disable-background-timer-throttling --disable-renderer-backgrounding
  --disable-backgrounding-occluded-windows`.split(/\s+/)

/**
 * Returns bridge.js as a script that browsers run in each new document. Frames, and the empty page, would be pages of their own.
 * It waits for the root element, which is there before the first script of the page runs.
 * @param {string} script
 */
function initScript(script) {
  return `if (window === window.top && location.protocol.startsWith("http") && !document.bridged) {
const start = () => {
${script}
}
if (document.documentElement) start()
else new MutationObserver((_, observer) => { if (document.documentElement) { observer.disconnect(); start() } })
  .observe(document, { childList: true })
}`
}

// Ends the process group of a program within a second of this process, even if this one is killed.
const watch =
  '(while kill -0 $PPID && kill -0 $$; do sleep 1; done; kill -KILL -$$) </dev/null >/dev/null 2>&1 & exec "$@"'

/** Starts a program in a process group of its own. */
function run(command, stdio) {
  return spawn("/bin/sh", ["-c", watch, "sh", ...command], { stdio, detached: true })
}

/** Kills a program and everything that it has started. */
function kill(program) {
  try {
    process.kill(-program.pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** Ends a program, and kills what is left of its process group after 5 seconds. */
async function stop(program) {
  if (program.exitCode === null && program.signalCode === null) {
    program.ref()
    const timer = setTimeout(() => kill(program), 5_000)
    program.kill("SIGTERM")
    await once(program, "exit")
    clearTimeout(timer)
  }
  kill(program)
}

function executable() {
  const program = process.env.BRIDGED || packaged() || find("bridged")
  if (program) return program
  throw new BridgedError("There is no bridged on PATH. Install its npm package or package, or name it in BRIDGED.")
}

/** Returns the executable of the npm package for this platform, if it is installed. */
function packaged() {
  try {
    const file = createRequire(import.meta.url).resolve(`bridged-${process.platform}-${process.arch}/package.json`)
    return join(dirname(file), "bin", "bridged")
  } catch {
    return undefined
  }
}

/** Returns the first of these programs that is on PATH. */
function find(...names) {
  const paths = names.flatMap((name) => (process.env.PATH ?? "").split(":").map((folder) => join(folder, name)))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Returns the first line that a program writes; the beginning of one that is too long; "" if the program ends without one;
 * undefined if it writes none in time. This goes on reading, because a daemon writes its traffic there too, and would wait for a
 * reader.
 * @param {import("node:child_process").ChildProcess} program @returns {Promise<string | undefined>}
 */
function firstLine(program) {
  return new Promise((resolve, reject) => {
    let text = ""
    const late = setTimeout(() => resolve(undefined), startTime)
    const finish = () => {
      clearTimeout(late)
      program.stdout.off("data", add).resume()
      resolve(text.split("\n", 1)[0])
    }
    const add = (piece) => {
      text += piece
      if (text.includes("\n") || text.length > longestLine) finish()
    }
    program.stdout.setEncoding("utf8").on("data", add)
    program.once("close", finish).once("error", reject)
  })
}

/** Ends a program that does not begin as a daemon does. @returns {Promise<never>} */
async function notStarted(program, line) {
  await stop(program)
  throw new BridgedError("bridged did not start: expected a line of JSON that names its runFile, found "
    + `${line.slice(0, 300)}. ${isBridgedFound}`)
}

/**
 * Returns the daemons that run (docs/protocol.md, "Security"), and a sentence about the discovery files that are not those of
 * daemons.
 */
function running() {
  const folders = [process.env.XDG_RUNTIME_DIR, process.env.TMPDIR]
  const [runtime, temporary] = folders.map((path) => path?.startsWith("/") && path)
  const folder = runtime ? join(runtime, "bridged") : join(temporary || "/tmp", `bridged-${process.getuid()}`)
  const status = lstatSync(folder, { throwIfNoEntry: false })
  // Another user could have made this folder, with files that lead elsewhere.
  if (!status?.isDirectory() || status.uid !== process.getuid()) return { daemons: [], others: "" }
  if (status.mode & (constants.S_IWGRP | constants.S_IWOTH)) {
    const others = `. Other users can write to ${folder}, so it is not read. Correct it with: chmod 700 ${folder}`
    return { daemons: [], others }
  }
  const names = readdirSync(folder).filter((name) => name.endsWith(".json")).sort()
  const found = names.map((name) => ({ name, daemon: endpoint(join(folder, name)) }))
  const others = found.filter(({ daemon }) => !daemon).map(({ name }) => name)
  const shown = others.slice(0, 10).join(", ") + (others.length > 10 ? ", …" : "")
  return {
    daemons: found.map(({ daemon }) => daemon).filter((daemon) => daemon && isAlive(daemon.pid)),
    others: shown && `. These files in ${folder} are not those of daemons: ${shown}`,
  }
}

/** Returns the contents of a discovery file; undefined if it is something else. @param {string} path */
function endpoint(path) {
  let file
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const status = fstatSync(file)
    if (!status.isFile() || status.size > 64 << 10) return undefined
    const { url, token, pid, ...others } = JSON.parse(readFileSync(file, "utf8"))
    const isRight = isText(token) && Number.isInteger(pid) && pid > 0 && /^https?:/.test(new URL(url).protocol)
    return isRight ? { url, token, pid, ...others } : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether a process runs. The daemon of a discovery file may have been killed. @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Returns the host and port of a URL. The names of this machine are one; no other host must get its token. */
function address(url) {
  const { hostname, port } = new URL(url)
  return `${["127.0.0.1", "[::1]"].includes(hostname) ? "localhost" : hostname}:${port}`
}

/** Fails if nothing listens at an address. @param {string} url */
async function checkServer(url) {
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === "https:" ? 443 : 80
  const socket = connectSocket({ host: hostname.replace(/[[\]]/g, ""), port: Number(port) || usual, autoSelectFamily })
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(5_000) })
  } catch (error) {
    throw new BridgedError(`No server answers at ${url}: ${error.message || error.code}. Start the app's server.`)
  } finally {
    socket.destroy()
  }
}

/** Gives options the names of docs/control.md. */
function params({ timeout, delay, ...options } = {}) {
  return { ...options, timeoutMs: timeout, delayMs: delay }
}

/** @param {string} name such as rootUrl */
function dashed(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns the value as JSON for a message, without what is the same in most records. */
function text({ time, url, webView, direction, ...value }) {
  try {
    return JSON.stringify(value).slice(0, 300)
  } catch {
    return "a value that is nested too deeply"
  }
}

/** Returns a value as JSON. @param {any} value @param {string} what its name in an error */
function json(value, what) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new BridgedError(`${what} cannot be written as JSON: ${error.message}`)
  }
}

const isText = (value) => typeof value === "string"
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the member to which names lead, with dots between them; undefined if there is none. */
function read(value, path) {
  return path.split(".").reduce((found, name) => isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined, value)
}

/** @param {string} json */
function parse(json) {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Returns a value as the member of a call's parameters, with what JSON cannot express (docs/protocol.md, "Script values").
 * @param {string} name @param {any} value
 */
function typed(name, value) {
  const types = {}
  const places = new Map()
  const encode = (value, pointer) => {
    const [type, written] = scalar(value, pointer)
    if (type) types[pointer] = type
    if (!isObject(written) && !Array.isArray(written) || type) return written
    // The second place refers to the first, so that an object can contain itself.
    if (places.has(written)) {
      types[pointer] = "ref"
      return places.get(written)
    }
    places.set(written, pointer)
    const inner = (key, value) => encode(value, `${pointer}/${`${key}`.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    if (Array.isArray(written)) return Array.from(written, (value, index) => inner(index, value))
    return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, inner(key, value)]))
  }
  try {
    return { [name]: encode(value, ""), ...(Object.keys(types).length && { types }) }
  } catch (error) {
    throw error instanceof RangeError ? new BridgedError(`The ${name} cannot be sent: it is nested too deeply.`) : error
  }
}

/**
 * Returns the type that the protocol gives to a value, undefined for one of JSON, and its JSON, or the object of which the
 * members are written.
 */
function scalar(value, pointer) {
  if (value === undefined) return ["undefined", null]
  if (value instanceof Date) return ["date", Number.isNaN(value.getTime()) ? null : value.toISOString()]
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return ["number", Object.is(value, -0) ? "-0" : String(value)]
  }
  if (isText(value) && /\p{Surrogate}/u.test(value)) return ["utf16", codeUnits(value)]
  const isCollection = value instanceof Map || value instanceof Set
  if (isCollection || ["bigint", "function", "symbol"].includes(typeof value)) {
    const [type, place] = [isCollection ? value.constructor.name : typeof value, pointer ? ` (at ${pointer})` : ""]
    throw new BridgedError(`A ${type} cannot be sent to a page${place}. Pass what JSON has, a Date or undefined.`)
  }
  return [undefined, typeof value?.toJSON === "function" ? value.toJSON() : value]
}

/** @param {string} text */
function codeUnits(text) {
  return text.split("").map((unit) => unit.charCodeAt(0))
}

/** Returns the value of a result, with dates and what else JSON cannot express (docs/protocol.md, "Script values"). */
function revive({ value, types = {} }) {
  const root = { "": value }
  // A pointer must not lead to what all objects inherit.
  const own = (holder, key) => {
    if (typeof holder !== "object" || !Object.hasOwn(holder, key)) throw new TypeError(`there is no ${key}`)
    return holder[key]
  }
  const place = (pointer) => {
    const path = pointer.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    const key = path.pop()
    const holder = path.reduce(own, root)
    own(holder, key)
    return { holder, key }
  }
  const revivers = {
    undefined: () => undefined,
    date: (text) => new Date(text ?? NaN),
    number: Number,
    utf16: (units) => Buffer.from(Uint16Array.from(units).buffer).toString("utf16le"),
    ref: (pointer) => { const { holder, key } = place(pointer); return holder[key] },
  }
  // References come last, because they may lead to values that are replaced.
  const entries = Object.entries(types).sort(([, a], [, b]) => (a === "ref") - (b === "ref"))
  for (const [pointer, type] of entries) {
    const { holder, key } = place(pointer)
    holder[key] = own(revivers, type)(holder[key])
  }
  return root[""]
}
