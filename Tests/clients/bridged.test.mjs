/** Tests of clients/node/bridged.mjs, with the daemon of the debug build, or the one that BRIDGED names. */
import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import dns from "node:dns"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import http from "node:http"
import net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, before, describe, test } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { attach, BridgedError, connect, start } from "../../clients/node/bridged.mjs"

process.env.BRIDGED ??= fileURLToPath(new URL("../../.build/debug/bridged", import.meta.url))
const runtime = mkdtempSync(join(tmpdir(), "bridged-test-"))
Object.assign(process.env, { XDG_RUNTIME_DIR: runtime, TMPDIR: runtime })
after(() => rmSync(runtime, { recursive: true }))

const client = new URL("../../clients/node/bridged.mjs", import.meta.url).href
const files = () => readdirSync(join(runtime, "bridged"))
const port = (app) => new URL(app.url).port

/** Whether a process runs. A zombie, without other threads, does not. */
function isAlive(pid) {
  try {
    return !/^State:\tZ.*^Threads:\t[01]$/ms.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

test("no text of a page controls a terminal", () => {
  assert.equal(new BridgedError("a\nb\u001b[2J\u009b\u202e", 4).message, "a\\u000ab\\u001b[2J\\u009b\\u202e")
  assert.equal(new BridgedError("expected\nfound").message, "expected\nfound")
})

/** Takes the calls of a page of Playwright in Firefox, or of Puppeteer, and keeps what it is given. */
class Page {
  agents = []

  /** @param {Record<string, any>} members what a page of this library has */
  constructor(members = {}) {
    Object.assign(this, members)
  }

  async evaluate() { return "Mozilla/5.0" }

  async setExtraHTTPHeaders(headers) { this.agents.push(headers["User-Agent"]) }

  context() { return { browser: () => null } }

  async addInitScript() {}
}

/** Waits until a condition is true. */
async function until(condition) {
  const deadline = performance.now() + 10_000
  while (!condition() && performance.now() < deadline) await sleep(20)
  assert(condition())
}

/** Runs `body` with other environment variables. */
async function withEnvironment(variables, body) {
  const usual = { ...process.env }
  Object.assign(process.env, variables)
  try {
    return await body()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, usual)
  }
}

/** Runs `body` with a client of a server that answers as it is told, not as bridged does. */
async function withFalseDaemon(behaviour, body) {
  const script = fileURLToPath(new URL("false_daemon.py", import.meta.url))
  const server = spawn("python3", ["-u", script, behaviour], { stdio: ["pipe", "pipe", "inherit"] })
  const [line] = await once(createInterface({ input: server.stdout }), "line")
  const app = connect(`http://127.0.0.1:${line}/`, { token: "t" })
  try {
    return await body(app)
  } finally {
    await app.close()
    server.kill()
  }
}

describe("a false daemon", () => {
  const fails = (behaviour, message, call = (app) => app.state()) => withFalseDaemon(behaviour, async (app) => {
    const error = await call(app).then(() => assert.fail(`${behaviour} did not fail`), (error) => error)
    assert.equal(error.name, "BridgedError", error.stack)
    assert.match(error.message, message)
    assert(error.message.includes(app.url) && error.message.length < 1_000, error.message)
  })
  const result = (value) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: value })

  test("has a limit of size", async () => {
    await fails("endless", /has more than 268435456 bytes/)
    for (const behaviour of ["hugeHeader", "manyHeaders", "cut", "noHTTP"]) await fails(behaviour, /cannot be reached/)
  })

  test("has a limit of time", async () => {
    const began = performance.now()
    const call = (app) => app.call("daemon.info", { timeoutMs: 100 })
    await Promise.all(["silent", "drip", "dripHeader"].map((name) => fails(name, /did not answer within 10.1 s/, call)))
    assert(performance.now() - began < 20_000)
  })

  test("shows an answer that is none", async () => {
    await fails("errorPage", /refuses app.state: <h1>Bad Gateway<\/h1>.*HTTP status 502/)
    await fails("nested", /nested too deeply|expected a JSON-RPC response to app.state/)
    const error = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: "x", message: [] } })
    for (const answer of ["7", "null", "[]", "{}", '"text"', '{"error": "no"}', '{"error": null}', error]) {
      await fails(answer, /expected a JSON-RPC response to app.state/)
    }
  })

  test("breaks no call with results of wrong types", async () => {
    const calls = [
      (app) => app.open("/demo/", { timeout: 100, browser: "chromium+tag" }), (app) => app.nextMessage("X", { timeout: 100 }),
      (app) => app.traffic(), (app) => app.stub("x", { value: 1 }), (app) => app.reset(), (app) => app.evaluate("1"),
      (app) => app.post("x", 1),
    ]
    const results = [
      7, [], null, { counters: 7, pages: 7, records: 7, stub: 7, notCleared: 7, record: "x", types: 7 },
      { counters: { records: 1 }, pages: [7, {}], records: [], more: true, next: 1, value: 1, types: { "/a": "date" } },
      { counters: { records: 1 }, pages: [{ attached: true, webView: "main" }], records: 7, value: [1], types: { "/0": "utf16", x: 7 } },
      { value: {}, types: { "/__proto__/polluted": "undefined", "/constructor/prototype/polluted": "undefined", "/a": "constructor" } },
      { value: [1], types: { "/0": "valueOf" } },
    ]
    for (const value of results) {
      await withFalseDaemon(result(value), async (app) => {
        for (const call of calls) {
          const error = await Promise.resolve(call(app)).then(() => undefined, (error) => error)
          assert(error === undefined || error.name === "BridgedError", `${JSON.stringify(value)} ${error?.stack}`)
        }
      })
    }
    assert(!("polluted" in {}))
  })

  test("gives up traffic that never ends", async () => {
    await fails(result({ records: [], more: true, next: 1 }), /traffic.query/, (app) => app.traffic())
  })

  test("does not read a folder that others can write to", async () => {
    const folder = mkdtempSync(join(runtime, "open-"))
    mkdirSync(join(folder, "bridged"))
    chmodSync(join(folder, "bridged"), 0o770)
    await withEnvironment({ XDG_RUNTIME_DIR: folder }, async () => assert.throws(connect, { message: /chmod 700/ }))
  })

  test("skips and names junk in the folder of daemons", async () => {
    const folder = mkdtempSync(join(runtime, "junk-"))
    const place = join(folder, "bridged")
    mkdirSync(place)
    const texts = {
      text: "hello", number: "7", list: "[]", empty: "{}", deep: "[".repeat(50_000), types: '{"url": 7, "pid": "x", "token": []}',
      url: `{"url": "nonsense", "pid": ${process.pid}, "token": "t"}`, pid: '{"url": "http://localhost:1/", "pid": 0, "token": "t"}',
      null: "null", binary: Buffer.from([0xff, 0xfe]), huge: "",
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(place, `${name}.json`), text)
    truncateSync(join(place, "huge.json"), 2 ** 40) // A hole, larger than memory.
    mkdirSync(join(place, "folder.json"))
    symlinkSync("/dev/zero", join(place, "link.json"))
    spawnSync("mkfifo", [join(place, "pipe.json")])
    await withEnvironment({ XDG_RUNTIME_DIR: folder }, async () => {
      assert.throws(connect, { name: "BridgedError", message: /not those of daemons: .*deep.json.*huge.json.*list.json/ })
      const app = await start()
      assert.equal(connect().url, app.url)
      await app.close()
    })
  })

  test("is named if it is started", async () => {
    await withEnvironment({ BRIDGED: "/bin/echo" }, () =>
      assert.rejects(start(), { name: "BridgedError", message: /^bridged did not start: .*serve/ }))
  })

  test("is named if its first line does not end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bridged-"))
    const program = join(folder, "bridged")
    writeFileSync(program, "#!/bin/sh\nexec tr '\\0' x < /dev/zero\n", { mode: 0o700 })
    await withEnvironment({ BRIDGED: program }, () =>
      assert.rejects(start(), { name: "BridgedError", message: /^bridged did not start: .*found xxx/ }))
    rmSync(folder, { recursive: true })
  })
})

describe("without a browser", () => {
  /** @type {import("../../clients/node/bridged.mjs").Client} */
  let app
  before(async () => { app = await start({ rootUrl: "http://localhost:3000", tab: ["Home=/", "Posts=/posts"] }) })
  after(() => app.close())

  test("settings become options", async () => {
    assert.deepEqual((await app.state()).tabs.map((tab) => tab.title), ["Home", "Posts"])
  })

  test("an error has the message, the code and the data", async () => {
    await assert.rejects(app.call("script.evaluat"), { code: -32601, message: /Did you mean "script.evaluate"/ })
    await assert.rejects(app.call("handlers.unstub", { stub: "s99" }), { data: { stubs: [], see: "docs/control.md#errors" } })
  })

  test("a time-out shows what was expected and the traffic", async () => {
    await app.call("origins.add", { origin: "http://localhost:3000" })
    const message = /"name":"Push".* within 10 ms. The latest traffic:/
    await assert.rejects(app.nextMessage("Push", { timeout: 10 }), { message, timedOut: true })
    await assert.rejects(app.evaluate("1", { timeout: 10 }), { timedOut: true })
    await assert.rejects(app.waitUntil("x > 1", { timeout: 50 }), { message: /x > 1 to be true/, timedOut: true })
  })

  test("none of the options is lost", async () => {
    const options = { match: { front: true }, webView: "modal", delay: 250 }
    const stub = await app.stub("camera", { error: "no lens" }, options)
    const { handlers } = await app.call("handlers.list")
    const { webView, match, delayMs } = handlers.find(({ handler }) => handler === "camera").stubs[0]
    assert.deepEqual({ webView, match, delayMs }, { webView: "modal", match: { front: true }, delayMs: 250 })
    await app.unstub(stub)
  })

  test("reset removes stubs and forgets records", async () => {
    await app.stub("camera", { value: null })
    await app.reset()
    const { handlers } = await app.call("handlers.list")
    assert(!handlers.some(({ handler }) => handler === "camera"))
    assert.deepEqual(await app.traffic(), [])
  })

  test("reset removes the stubs that somebody else has not removed", async () => {
    const stubs = [await app.stub("camera", { value: null }), await app.stub("lamp", { value: null })]
    await app.call("handlers.unstub", { stub: stubs[0] })
    await app.reset()
    const { handlers } = await app.call("handlers.list")
    assert(!handlers.some(({ handler }) => handler === "lamp"))
    await app.unstub(await app.stub("camera", { value: null }))
  })

  test("a client can begin with the latest record", async () => {
    await app.call("traffic.note", { text: "before" })
    const clients = [connect(), connect(undefined, { latest: true }), await attach(new Page())]
    await clients[1].state()
    await app.call("traffic.note", { text: "after" })
    const texts = await Promise.all(clients.map(async (client) => (await client.traffic({ kind: "app" })).map(({ text }) => text)))
    assert(texts[0].includes("before"))
    assert.deepEqual(texts.slice(1), [["after"], ["after"]])
  })

  test("a page gets the user agent of the app", async () => {
    const page = new Page()
    await app.attach(page)
    assert.match(page.agents[0], /^Mozilla\/5.0 Hotwire Native iOS/)
    assert.equal(page.agents[0], await app.userAgent("Mozilla/5.0"))
    for (const takesText of [false, true]) {
      const puppeteer = new Page({
        async setUserAgent(agent) {
          if (takesText !== (typeof agent === "string")) throw new Error("Invalid parameters")
          this.agents.push(agent.userAgent ?? agent)
        },
        async evaluateOnNewDocument() {},
      })
      await app.attach(puppeteer)
      assert.deepEqual(puppeteer.agents, page.agents)
    }
  })

  test("what cannot be sent is refused", async () => {
    for (const value of [1n, () => {}, Symbol("x"), new Map(), { a: [1n] }]) {
      await assert.rejects(app.callAsync("", { value }), { name: "BridgedError", message: /cannot be sent to a page \(at \/value/ })
    }
    const cannotBeWritten = { name: "BridgedError", message: /cannot be written as JSON: .*BigInt/ }
    await assert.rejects(app.call("app.state", { x: 1n }), cannotBeWritten)
    await assert.rejects(app.expectElement("a", { value: 1n }), cannotBeWritten)
    await assert.rejects(app.tap({ css: 1n }), cannotBeWritten)
    await assert.rejects(async () => app.expectApp({ title: 1n }), cannotBeWritten)
    await sleep(10) // An unhandled rejection would fail this test.
  })

  test("many clients have one listener for the end of the process", () => {
    const count = process.listenerCount("exit")
    for (let index = 0; index < 20; index += 1) connect()
    assert.equal(process.listenerCount("exit"), count)
  })

  test("each address of localhost is tried", async (t) => {
    t.mock.method(dns, "lookup", (_, options, done) => {
      const all = [{ address: "::2", family: 6 }, { address: "127.0.0.1", family: 4 }]
      options.all ? done(null, all) : done(null, all[0].address, 6)
    })
    const usual = net.getDefaultAutoSelectFamily()
    net.setDefaultAutoSelectFamily(false) // As in Node 18.
    t.after(() => net.setDefaultAutoSelectFamily(usual))
    const { url, token } = JSON.parse(readFileSync(join(runtime, "bridged", `${port(app)}.json`), "utf8"))
    const other = connect(url.replace("127.0.0.1", "localhost"), { token })
    assert.equal((await other.call("daemon.info")).url, app.url)
    assert.match(await other.userAgent("Mozilla/5.0"), /Hotwire/)
  })

  test("finds the daemon by each of its names", async () => {
    for (const url of [undefined, `http://localhost:${port(app)}`, `http://[::1]:${port(app)}`]) {
      assert.equal((await connect(url).call("daemon.info")).url, app.url)
    }
    for (const url of [`http://example.com:${port(app)}`, "http://localhost:1"]) {
      assert.throws(() => connect(url), { message: `No daemon of yours runs at ${url}. Start one with: bridged serve` })
    }
  })

  test("reads no folder that another user may have made", async () => {
    const folder = mkdtempSync(join(runtime, "link-"))
    symlinkSync(join(runtime, "bridged"), join(folder, "bridged"))
    await withEnvironment({ XDG_RUNTIME_DIR: folder }, () =>
      assert.throws(connect, { message: /No daemon of yours runs/ }))
  })

  test("a wrong token is explained", async () => {
    await withEnvironment({ BRIDGED_TOKEN: "wrong" }, () =>
      assert.rejects(connect().state(), { code: -32004, message: /token that is not this daemon's/ }))
  })

  test("one of several daemons must be named", async () => {
    const other = await start()
    assert.throws(connect, { message: new RegExp(`^Several daemons run. Name one: .*${other.url}`) })
    const { pid } = await other.call("daemon.info")
    process.kill(pid, "SIGKILL")
    await until(() => !existsSync(`/proc/${pid}`)) // Node has waited for it.
    await assert.rejects(other.state(), { message: new RegExp(`${other.url} cannot be reached`) })
    assert.equal(files().length, 2, "the discovery file of the killed daemon is still there")
    assert.equal(connect().url, app.url)
    rmSync(join(runtime, "bridged", `${port(other)}.json`))
    await other.close()
  })
})

describe("processes", () => {
  test("a wrong option is explained", async () => {
    const message = /did not start: error: Unknown option '--prot'. Did you mean '--port'/
    await assert.rejects(start({ prot: 1 }), { message })
    await withEnvironment({ BRIDGED: "/nowhere/bridged" }, () => assert.rejects(start(), { message: /not found/ }))
    await withEnvironment({ BRIDGED: "", PATH: "/nowhere" }, () => assert.rejects(start(), { message: /on PATH/ }))
  })

  test("a daemon that has ended attaches no page", async () => {
    const message = /^The daemon at http:\/\/localhost:1\/ cannot be reached: .*ECONNREFUSED/
    await assert.rejects(attach(new Page(), { app: connect("http://localhost:1/", { token: "t" }) }), { name: "BridgedError", message })
  })

  test("a browser that a signal has ended is named", async () => {
    const app = await start()
    const program = join(runtime, "killed")
    writeFileSync(program, "#!/bin/sh\nkill -KILL $$", { mode: 0o755 })
    await withEnvironment({ BRIDGED: program }, () => assert.rejects(app.open("/demo/"), /The browser has ended by SIGKILL/))
    await app.close()
  })

  test("close leaves nothing behind", async () => {
    const app = await start()
    const { pid } = await app.call("daemon.info")
    await app.close()
    await app.close()
    assert(!isAlive(pid))
    assert(!files().includes(`${port(app)}.json`))
  })

  const forever = "await new Promise(() => setInterval(() => {}, 1000))"
  for (const [what, end] of [["that is killed", forever], ["that closes nothing", ""]]) {
    test(`the daemon ends with a process ${what}`, async () => {
      const script = `import { start } from "${client}"
        console.log((await (await start()).call("daemon.info")).pid); ${end}`
      const options = { stdio: ["ignore", "pipe", "inherit"] }
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], options)
      const [pid] = await once(createInterface({ input: child.stdout }), "line")
      if (end) child.kill("SIGKILL")
      await until(() => !isAlive(pid))
      if (child.exitCode === null && !child.signalCode) await once(child, "exit")
    })
  }

  test("a server that is not a daemon is named", async () => {
    const server = http.createServer((_, response) =>
      response.writeHead(302, { location: "http://example.com/" }).end("Not here"))
    await once(server.listen(0, "127.0.0.1"), "listening")
    const url = `http://127.0.0.1:${server.address().port}/`
    const message = new RegExp(`^The server at ${url} refuses app.state: Not here.*HTTP status 302`)
    await assert.rejects(connect(url, { token: "token" }).state(), { name: "BridgedError", message })
    server.close()
  })
})

test("a page in Chromium", async (t) => {
  const app = await start()
  t.after(() => app.close())
  await app.stub("contacts", { value: [{ name: "Zoe" }] }, { match: { kind: "all" } })
  await app.open("/demo/", { browser: "chromium+tag" })
  assert.equal((await app.waitForPage("*/demo/")).title, "bridged demo")
  assert.equal((await app.nextMessage("ActionButton", { match: { icon: "plus" } })).body.path, "/customers/new")
  await app.expectNone("RegisterPushToken", { timeout: 50 })
  await app.tap("#register-push-token")
  assert.equal((await app.nextMessage({ handler: "nativeApp" })).name, "RegisterPushToken")
  await app.waitUntil("document.getElementById('token').textContent.length > 0")
  await app.evaluate("console.warn('careful')")
  assert.equal((await app.nextMessage({ kind: "console" })).text, "careful")
  assert.equal(await app.callAsync("return await promise", { promise: 7 }), 7)
  assert.deepEqual(await app.post("contacts", { kind: "all" }), [{ name: "Zoe" }])
  await app.evaluate("webkit.messageHandlers.nativeApp.postMessage({name: 'ActionButton', path: '/', icon: 'x'}), 0")
  const message = /^Expected no such record, but this one came: .*ActionButton/
  await assert.rejects(app.expectNone("ActionButton", { match: { icon: "x" } }), { message })
  await assert.rejects(app.tap("#nothing", { timeout: 100 }), { message: /^Expected an element #nothing to tap within 100 ms/ })
  await assert.rejects(app.waitUntil("nothing.there"), { message: /ReferenceError: nothing is not defined/ })
  assert.equal(await app.evaluate("confirm('Sure?')"), false)
  const { hint } = await app.nextMessage({ kind: "problem", filter: "text:dialog" })
  assert.match(hint, /bridged stub window.confirm/)
  await app.stub("window.prompt", { value: "Zoe" })
  assert.equal(await app.evaluate("alert('Saved'); prompt('Name?')"), "Zoe")
  await values(app)
  await app.open("/demo/?again")
  assert.equal(await app.evaluate("location.search"), "?again")
  await app.perform("visit", { url: "/demo/?third" })
  await app.waitUntil("location.search == '?third'")
  await app.close()
  expectNoBrowser()
})

test("a user in a driven browser", async (t) => {
  const app = await start()
  t.after(() => app.close())
  await app.open("/demo/")
  await app.tap({ css: "#register-push-token" })
  assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
  const form = `<label>Email <input id=email></label><label>Country <select id=country><option>France</option>
    <option>Germany</option></select></label><label>Terms <input type=checkbox id=terms></label><input type=file id=photo
    aria-label=Photo><button type=button id=save>Save</button>`
  await app.callAsync("document.body.insertAdjacentHTML('beforeend', form)", { form })
  await app.evaluate("save.onclick = () => { save.textContent = 'Saved' }; 0")
  await app.fill({ label: "Email" }, "me@example.com")
  await app.press("Backspace", { label: "Email" })
  await app.type("g")
  await app.select({ label: "Country" }, "Germany")
  await app.check({ label: "Terms" })
  await app.chooseFiles({ label: "Photo" }, import.meta.filename)
  await app.tap({ role: "button", name: "Save" })
  await app.expectText("Saved")
  await app.expectElement({ label: "Email" }, { value: "me@example.cog" })
  await app.expectElement({ label: "Terms" }, { checked: true })
  await app.expectURL("/demo/")
  await app.expectTitle("bridged *")
  assert.equal(await app.evaluate("[country.value, photo.files[0].name].join()"), "Germany,bridged.test.mjs")
  await assert.rejects(app.fill("#country", "x", { timeout: 200 }), /use the step select/)
  await assert.rejects(
    app.expectElement("#terms", { checked: false, timeout: 200 }), /^BridgedError: Expected the page to show .*The latest traffic/)
  await app.perform("visit", { url: "/demo/?second" })
  await app.expectApp({ main: [{}, { url: `${app.url}demo/?second` }] })
  await app.expectURL("/demo/?second")
  await app.evaluate("localStorage.kept = 1; document.cookie = 'signedIn=yes'")
  assert.deepEqual(await app.reset(), [])
  assert.deepEqual((await app.state()).main, [])
  await app.open("/demo/")
  assert.equal(await app.evaluate("`${document.cookie} ${localStorage.length}`"), " 0")
  await app.close()
  expectNoBrowser()
})

function expectNoBrowser() {
  assert.equal(spawnSync("pgrep", ["-f", `user-data-dir=${runtime}`]).status, 1, "no process of the browser is left")
  assert.deepEqual(readdirSync(runtime).filter((name) => name.startsWith("bridged-")), [])
}

/** What JSON cannot express arrives as the page has it. */
async function values(app) {
  assert.equal(await app.evaluate("undefined"), undefined)
  assert.deepEqual(await app.evaluate("new Date(0)"), new Date(0))
  assert.deepEqual(await app.evaluate("({a: [NaN, -0, 1 / 0, undefined]})"), { a: [NaN, -0, Infinity, undefined] })
  assert.equal(await app.evaluate("'\\ud83d\\ude00 \\ud83d'"), "😀 \ud83d")
  const shared = "(() => { const a = {'/~': new Date(1)}; return [a, a, a['/~']] })()"
  const [first, second, third] = await app.evaluate(shared)
  assert.equal(first, second)
  assert.deepEqual(first["/~"], third)
  const loop = await app.evaluate("(() => { const a = []; a.push(a); return a })()")
  assert.equal(loop, loop[0])
  const sent = { at: new Date(0), numbers: [NaN, -Infinity, -0, undefined], "/~": "\ud83d", x: null }
  await app.stub("echo", { echo: true })
  await app.stub("constant", { value: sent })
  for (const found of [await app.callAsync("return sent", { sent }), await app.post("echo", sent), await app.post("constant", 1)]) {
    assert.deepEqual(found, sent)
  }
  assert.equal(await app.callAsync("return x === undefined && isNaN(never.getTime())", { x: undefined, never: new Date(NaN) }), true)
  loop.push({ loop })
  assert.equal(await app.callAsync("return loop[0] === loop && loop[1].loop === loop", { loop }), true)
}

test("a page that cannot attach is explained", async (t) => {
  const app = await start()
  t.after(() => app.close())
  await assert.rejects(app.open("http://127.0.0.1:1/"), /No server answers at http:\/\/127.0.0.1:1\/: .*ECONNREFUSED/)
  const agents = []
  const server = http.createServer((request, response) => {
    agents.push(request.headers["user-agent"])
    response.end("<title>Plain</title>")
  }).listen(0, "127.0.0.1")
  t.after(() => server.close())
  await once(server, "listening")
  const url = `http://127.0.0.1:${server.address().port}/`
  await assert.rejects(app.open(url, { browser: "chromium+tag" }), { message: new RegExp(`^No request for bridge.js came from ${url}. Put this`) })
  assert.match(agents[0], / Mobile\/15E148 Hotwire Native iOS; Turbo Native iOS; bridge-components: \[/)
})
