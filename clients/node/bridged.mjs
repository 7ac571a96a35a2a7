/**
 * Tests the bridge of a page with bridged. Copy this file beside your tests: it needs Node 18, and nothing else.
 *
 *     const app = await start()                    // a daemon of its own, on a free port
 *     t.after(() => app.close())
 *     await app.open("/demo/")                     // in a Chromium without a window
 *     await app.tap("#register-push-token")
 *     assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
 *
 * clients/README.md and docs/test.md list the methods, and docs/control.md what `call` can do. Times are milliseconds.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, closeSync, constants, existsSync, lstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import { connect as connectSocket } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"

/** @typedef {Record<string, any>} Fields */
/** @typedef {{page?: string, webView?: string, timeout?: number}} Options */

/** The daemon cannot do what was asked, or cannot be reached. The message says how to fix it. */
export class BridgedError extends Error {
  /** @param {string} message @param {number} [code] @param {Fields} [data] */
  constructor(message, code = 0, data = {}) {
    super(message)
    this.name = "BridgedError"
    this.code = code
    this.data = data
  }

  /** Whether what was waited for did not come in time. */
  get timedOut() {
    return this.code === 1 || this.code === -32005
  }
}

/**
 * Starts the daemon that BRIDGED names, or `bridged` on PATH. It ends with this process at the latest.
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
  // This goes on reading, because the daemon writes its traffic there too, and would wait for a reader.
  const lines = createInterface({ input: daemon.stdout })
  const [first] = await Promise.race([once(lines, "line"), once(daemon, "close")])
  if (typeof first !== "string") throw new BridgedError(`bridged did not start: ${errors.trim()}`)
  for (const handle of [daemon, daemon.stdout, daemon.stderr]) handle.unref()
  return new Client(JSON.parse(readFileSync(JSON.parse(first).runFile, "utf8")), daemon)
}

/**
 * Finds a daemon that runs: that at `url` or BRIDGED_URL, or the one on port 2734, or the only one.
 *
 * A daemon of another user or machine needs its token, here or in BRIDGED_TOKEN.
 * @param {string} [url] @param {{token?: string}} [options]
 */
export function connect(url = process.env.BRIDGED_URL, { token = process.env.BRIDGED_TOKEN } = {}) {
  if (url && token) return new Client({ url, token })
  const all = running().filter((daemon) => !url || address(url) === address(daemon.url))
  const usual = all.filter((daemon) => address(daemon.url).endsWith(":2734"))
  const found = usual.length ? usual : all
  const urls = found.map((daemon) => daemon.url)
  if (urls.length > 1) throw new BridgedError(`Several daemons run. Name one: ${urls.join(", ")}`)
  if (!urls.length) {
    throw new BridgedError(`No daemon of yours runs${url ? ` at ${url}` : ""}. Start one with: bridged serve`)
  }
  return new Client({ ...found[0], token: token || found[0].token })
}

/** A daemon, and the page that it shows. `close` it. */
export class Client {
  #token
  #daemon
  #browser
  #profile
  #first = 0
  #taken = new Set()
  #stubs = new Set()
  #end = () => {
    for (const program of [this.#browser, this.#daemon]) if (program) kill(program)
    if (this.#profile) rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }

  /** @param {{url: string, token: string}} endpoint @param {import("node:child_process").ChildProcess} [daemon] */
  constructor({ url, token }, daemon) {
    this.url = url
    this.#token = token
    this.#daemon = daemon
    process.once("exit", this.#end)
  }

  /** Closes the browser that `open` has started, and stops the daemon that `start` has started. */
  async close() {
    process.off("exit", this.#end)
    await this.#closeBrowser()
    if (this.#daemon) await stop(this.#daemon)
    this.#daemon = undefined
  }

  /**
   * Calls a control method, with the names that docs/control.md gives, and returns its result.
   * @param {string} method @param {Fields} [params] @returns {Promise<any>}
   */
  async call(method, params = {}) {
    const url = new URL("/rpc", this.url)
    const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" }
    const signal = AbortSignal.timeout(Math.ceil(params.timeoutMs ?? 60_000) + 10_000)
    let text = ""
    try {
      const { request: send } = url.protocol === "https:" ? https : http
      const request = send(url, { method: "POST", headers, agent: false, signal })
      request.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))
      const [response] = await once(request, "response")
      for await (const part of response.setEncoding("utf8")) text += part
    } catch (error) {
      throw new BridgedError(`The daemon at ${this.url} cannot be reached: ${error.message}. Does it still run?`)
    }
    const answer = parse(text)
    if (!answer) throw new BridgedError(`The server at ${this.url} refuses ${method}: ${text}`)
    if (answer.error) throw new BridgedError(answer.error.message, answer.error.code, answer.error.data)
    return answer.result
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
    const { pages } = await this.call("pages.list")
    if (pages.some((page) => page.attached && page.webView === "main" && page.frame.isMainFrame)) {
      await this.call("origins.add", { origin: url })
      await this.call("page.navigate", { url, webView: "main" })
    } else if (browser === "chromium+tag") {
      await this.#openBrowser(await this.call("page.launch", { url }))
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
          after = record.record
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
   * Waits until a browser shows a page whose URL fits: a path, or a whole URL. * stands for any characters.
   * @param {string} [url] @param {Options} [options]
   */
  waitForPage(url = "*", options) {
    return this.call("pages.wait", { url, ...params(options) })
  }

  /** Runs a script in the page, and returns its completion value. @param {string} source @param {Options} [options] */
  async evaluate(source, options) {
    return revive(await this.call("script.evaluate", { source, ...params(options) }))
  }

  /**
   * Runs the body of an async function in the page, and returns what the function returns.
   * @param {string} body @param {Fields} [values] @param {Options} [options]
   */
  async callAsync(body, values = {}, options) {
    return revive(await this.call("script.callAsync", { body, arguments: values, ...params(options) }))
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

  /** Replaces what a field contains. @param {Element} element @param {string} text @param {{timeout?: number}} [options] */
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

  /** Waits until the page shows a text. @param {string} text @param {{timeout?: number}} [options] */
  expectText(text, { timeout } = {}) { return this.#expectPage({ text }, timeout) }

  /**
   * Waits until the page has this path or URL; * stands for any characters.
   * @param {string} url @param {{timeout?: number}} [options]
   */
  expectURL(url, { timeout } = {}) { return this.#expectPage({ url }, timeout) }

  /** @param {string} title @param {{timeout?: number}} [options] */
  expectTitle(title, { timeout } = {}) { return this.#expectPage({ title }, timeout) }

  async #act(action, element, fields, { timeout = 5_000 } = {}) {
    const name = element === undefined ? "the focus" : `an element ${typeof element === "string" ? element : JSON.stringify(element)}`
    const call = this.call("page.act", { action, ...params({ element, timeout }), ...fields })
    await this.#expecting(`${name} to ${action} within ${timeout} ms`, call)
  }

  async #expectPage(expected, timeout = 5_000) {
    const call = this.call("page.expect", { ...expected, ...params({ timeout }) })
    await this.#expecting(`the page to show ${JSON.stringify(expected)} within ${timeout} ms`, call)
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
      for (let after = this.#first; ;) {
        const timeoutMs = Math.max(0, deadline - performance.now())
        const record = await this.call("messages.wait", { after, timeoutMs, ...fits })
        after = record.record
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

  /** Returns the records that fit and that the daemon keeps, the oldest first. @param {Fields} [filters] */
  async traffic(filters = {}) {
    const params = { after: this.#first, limit: 10_000, ...filters }
    const records = []
    let more = true
    while (more && records.length < params.limit) { // An answer has a part of many large records.
      const part = await this.call("traffic.query", { ...params, limit: params.limit - records.length })
      records.push(...part.records)
      more = part.more
      params.after = part.next
    }
    return records
  }

  /**
   * Posts a message as the page would, and returns the reply.
   * @param {string} handler @param {any} body @param {Options} [options]
   */
  async post(handler, body, options) {
    return revive(await this.call("message.post", { handler, body, ...params(options) }))
  }

  /**
   * Answers in place of a handler. Returns the stub's id, for `unstub`.
   * @param {string} handler
   * @param {{value: any} | {error: string} | {echo: true} | {none: true}} reply `none` means no answer
   * @param {{match?: any, webView?: string, delay?: number}} [options]
   * @returns {Promise<string>}
   */
  async stub(handler, reply, options) {
    const { stub } = await this.call("handlers.stub", { handler, reply, ...params(options) })
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
   * traffic, for the next test with the same daemon. Returns what could not be cleared.
   * @returns {Promise<string[]>}
   */
  async reset() {
    for (const stub of this.#stubs) await this.unstub(stub)
    const { notCleared } = await this.call("app.reset")
    this.#first = await this.#lastRecord()
    return notCleared
  }

  /** Returns what the emulated app shows. */
  state() {
    return this.call("app.state")
  }

  /**
   * Waits until the state contains this, as in `expectApp({ title: "Posts", modal: [] })`, and returns it.
   * @param {Fields} state @param {{timeout?: number}} [options]
   */
  expectApp(state, { timeout = 5_000 } = {}) {
    const call = this.call("app.wait", { state, ...params({ timeout }) })
    return this.#expecting(`the app to show ${JSON.stringify(state)} within ${timeout} ms`, call)
  }

  /**
   * Does what the app's user would, as in `perform("visit", { url: "/posts" })`, and returns the new state.
   * @param {string} action @param {Record<string, string>} [values]
   */
  perform(action, values = {}) {
    return this.call("app.perform", { action, ...values })
  }

  async #lastRecord() {
    return (await this.call("daemon.info")).counters.records
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
    this.#profile = mkdtempSync(join(tmpdir(), "bridged-"))
    const errors = openSync(join(this.#profile, "errors"), "w")
    const command = [program, "open", url, `--in=${browser}`, "--headless", `--url=${this.url}`]
    this.#browser = run(command, ["ignore", "ignore", errors])
    closeSync(errors)
    this.#browser.unref()
  }

  /** Says why the browser that bridged drives has ended, if it has. */
  #checkDriver() {
    if (!this.#browser?.exitCode) return
    const errors = join(this.#profile, "errors")
    throw new BridgedError(`The browser has ended. ${existsSync(errors) ? readFileSync(errors, "utf8") : ""}`.trim())
  }

  /** @param {{url: string, userAgent?: string}} launch what page.launch has returned */
  async #openBrowser({ url, userAgent }) {
    await this.#closeBrowser()
    const program = process.env.CHROME_BIN || find("chromium", "chromium-browser", "google-chrome")
    if (!program) {
      throw new BridgedError("There is no Chromium on PATH. Install it, or name it in CHROME_BIN.")
    }
    // With this, stubs may answer dialogs, and any other one is dismissed; by itself Chromium would wait for a user.
    await this.call("handlers.stub", { handler: "window.alert", reply: { none: true } })
    this.#profile = mkdtempSync(join(tmpdir(), "bridged-"))
    const root = process.getuid() === 0 ? ["--no-sandbox"] : [] // The sandbox refuses to run as root.
    const agent = userAgent ? [`--user-agent=${userAgent}`] : []
    const command = [program, ...chromium, ...root, ...agent, `--user-data-dir=${this.#profile}`, url]
    this.#browser = run(command, "ignore")
    this.#browser.unref()
  }

  async #closeBrowser() {
    if (!this.#browser) return
    await stop(this.#browser)
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 })
    this.#browser = this.#profile = undefined
  }
}

// Chromium makes no requests of its own, and does not slow down pages that are behind another window.
const chromium = `--headless=new --disable-gpu --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --password-store=basic --disable-dev-shm-usage --disable-popup-blocking
  --disable-background-timer-throttling --disable-renderer-backgrounding
  --disable-backgrounding-occluded-windows`.split(/\s+/)

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
  const program = process.env.BRIDGED || find("bridged")
  if (program) return program
  throw new BridgedError("There is no bridged on PATH. Build it with `make build`, and name it in BRIDGED or add it.")
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

/** Returns the discovery files of the daemons that run (docs/protocol.md, "Security"). */
function running() {
  const folders = [process.env.XDG_RUNTIME_DIR, process.env.TMPDIR]
  const [runtime, temporary] = folders.map((path) => path?.startsWith("/") && path)
  const folder = runtime ? join(runtime, "bridged") : join(temporary || "/tmp", `bridged-${process.getuid()}`)
  const status = lstatSync(folder, { throwIfNoEntry: false })
  // Another user could have made this folder, with files that lead elsewhere.
  if (!status?.isDirectory() || status.uid !== process.getuid()) return []
  const files = readdirSync(folder).filter((name) => name.endsWith(".json")).sort()
  return files.flatMap((name) => {
    try {
      const daemon = JSON.parse(readFileSync(join(folder, name), "utf8"))
      process.kill(daemon.pid, 0)
      return [daemon]
    } catch {
      return [] // The daemon was killed, or has just ended.
    }
  })
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
  const socket = connectSocket({ host: hostname.replace(/[[\]]/g, ""), port: Number(port) || usual })
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
  return JSON.stringify(value).slice(0, 300)
}

/** @param {string} json */
function parse(json) {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Returns the value of a result, with dates and what else JSON cannot express (docs/protocol.md, "Script values"). */
function revive({ value, types = {} }) {
  const root = { "": value }
  const place = (pointer) => {
    const path = pointer.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    const key = path.pop()
    return { holder: path.reduce((found, part) => found[part], root), key }
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
    holder[key] = revivers[type](holder[key])
  }
  return root[""]
}
