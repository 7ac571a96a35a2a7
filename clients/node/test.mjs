/**
 * Helpers for node:test.
 *
 *     import { bridgedTest } from "bridged/test"
 *
 *     bridgedTest("registers for push", async (app) => {
 *       await app.open("/demo/")
 *       await app.tap("#register-push-token")
 *       assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
 *     })
 *
 * One daemon, and one browser, serves all tests of a file that have the same settings; each begins with a fresh app. They run
 * one after the other. BRIDGED_ENGINE names the browser, BRIDGED_FRAMEWORK the app's framework. A failed test shows its latest
 * traffic, and keeps its trace in the folder bridged-traces, or in that which BRIDGED_TRACES names, unless this is `off`.
 */
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { after, test } from "node:test"
import { start } from "./bridged.mjs"

/** @typedef {import("./bridged.mjs").Client} Client */
/** @typedef {import("node:test").TestContext} Context */

/** The daemons of this file, by their settings. @type {Map<string, Promise<Client>>} */
const daemons = new Map()
/** The paths of traces, and the tests that they are of. @type {Map<string, Context>} */
const traces = new Map()
/** A test may change the current folder. */
const home = process.cwd()
let turn = Promise.resolve()

after(async () => {
  await turn // A test that has timed out may still write its trace.
  for (const daemon of daemons.values()) await daemon.then((app) => app.close(), () => {})
})

/**
 * Runs a test with a daemon, as `test` of node:test does: `bridgedTest("name", async (app, t) => { … })`, or with options before
 * the function. These are those of `test`, and `settings`, the options of `bridged serve`, as for `start`. The time-out is for the
 * function alone. Settings may also follow the function.
 * @param {string} name @param {any[]} rest
 */
export function bridgedTest(name, ...rest) {
  return declare({}, name, ...rest)
}

for (const kind of ["skip", "only", "todo"]) {
  bridgedTest[kind] = (name, ...rest) => declare({ [kind]: true }, name, ...rest)
}

/** @param {Record<string, any>} more options @param {string} name @param {any[]} rest */
function declare(more, name, ...rest) {
  const isBodyFirst = typeof rest[0] === "function"
  const [given, body] = isBodyFirst ? [{ settings: rest[1] }, rest[0]] : [rest[0] ?? {}, rest[1]]
  const { settings = {}, timeout, ...options } = { ...more, ...given }
  if (!body) return test(name, options)
  return test(name, options, (t) => {
    const run = turn.then(() => runTest(t, body, settings, timeout))
    turn = run.catch(() => {})
    return run
  })
}

/** Runs the body of a test with the daemon for these settings. */
async function runTest(t, body, settings, timeout) {
  const key = JSON.stringify(settings)
  const app = await fresh(key, settings)
  const report = reporter(app, t)
  try {
    await limited(() => body(app, watched(t, report)), t.signal, timeout)
  } catch (error) {
    await report(error)
    // What goes on must not disturb the next test.
    await (error instanceof Late ? end(key, app) : reset(key, app).catch(() => {}))
    throw error
  }
  await reset(key, app)
}

/** Returns the daemon for these settings, with a fresh app. */
async function fresh(key, settings) {
  const framework = process.env.BRIDGED_FRAMEWORK
  if (!daemons.has(key)) daemons.set(key, start({ ...(framework && { framework }), ...settings }).then(withEngine))
  const app = await daemons.get(key).catch((error) => { daemons.delete(key); throw error })
  await reset(key, app)
  return app
}

/** Takes the app back to a fresh install. If this fails, the next test gets another daemon. */
async function reset(key, app) {
  try {
    await app.reset({ closeBrowser: true })
  } catch (error) {
    await end(key, app)
    throw error
  }
}

/** @param {string} key @param {Client} app */
async function end(key, app) {
  daemons.delete(key)
  await app.close()
}

/** Makes `open` use the browser that BRIDGED_ENGINE names. @param {Client} app */
function withEngine(app) {
  const browser = process.env.BRIDGED_ENGINE
  const open = app.open.bind(app)
  if (browser) app.open = (url, options) => open(url, { browser, ...options })
  return app
}

/** A test has used up its time. */
class Late extends Error {}

/** Waits for a body, but not longer than it may take, nor after the end of its test. */
async function limited(body, signal, timeout) {
  let timer
  const late = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Late("The test has been aborted.")), { once: true })
    const expire = () => reject(new Late(`The test did not end within ${timeout} ms.`))
    if (timeout < 2 ** 31) timer = setTimeout(expire, timeout)
  })
  try {
    return await Promise.race([(async () => body())(), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the context of a test that reports the first failure of a subtest, at which `t.test` does not reject. What takes a
 * callback is not watched.
 * @param {Context} t @param {(error: any) => Promise<void>} report @returns {Context}
 */
function watched(t, report) {
  const watch = (body) => async (sub) => {
    try {
      return await limited(() => body(watched(sub, report)), sub.signal)
    } catch (error) {
      await report(error)
      throw error
    }
  }
  const isWatched = (part) => typeof part === "function" && part.length < 2
  return new Proxy(t, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== "function") return member
      if (name !== "test") return member.bind(target)
      return (...parts) => member.apply(target, parts.map((part) => isWatched(part) ? watch(part) : part))
    },
  })
}

/** Returns what shows the first failure of a test. @param {Client} app @param {Context} t */
function reporter(app, t) {
  let first
  return (error) => first ??= report(app, t, error).catch(() => {}) // A daemon that has ended must not hide the error.
}

/** Shows the latest traffic, and writes the trace. @param {Client} app @param {Context} t @param {any} error */
async function report(app, t, error) {
  const records = await app.traffic()
  for (const record of records.slice(-10)) t.diagnostic(JSON.stringify(record).slice(0, 300))
  const folder = process.env.BRIDGED_TRACES || "bridged-traces"
  if (folder === "off") return
  const path = tracePath(resolve(home, folder), t)
  mkdirSync(resolve(home, folder), { recursive: true })
  await app.saveTrace(path, { name: t.fullName ?? t.name, failure: `${error?.stack ?? error}` })
  t.diagnostic(`trace: ${path}`)
}

/** Returns a path for the trace of a test: the names of its file and of itself, with those of its suites where Node tells them. */
function tracePath(folder, t) {
  const name = `${relative(home, t.filePath ?? process.argv[1])} > ${t.fullName ?? t.name}`
  for (let count = 1; ; count += 1) {
    const path = join(folder, `${fileName(count > 1 ? `${name} ${count}` : name)}.html`)
    if ((traces.get(path) ?? t) !== t) continue // Another test of this file has the same name.
    traces.set(path, t)
    return path
  }
}

/** Returns a name for a file. It ends with a hash if another test could have the same name without it. @param {string} test */
function fileName(test) {
  const name = test.replace(/[^\p{L}\p{N}_.-]+/gu, "-")
  const isPlain = /^[\p{L}\p{N}_./]+(?: > [\p{L}\p{N}_.]+(?: [\p{L}\p{N}_.]+)*)+$/u.test(test)
  if (isPlain && Buffer.byteLength(name) <= 200) return name
  const hash = createHash("sha256").update(test).digest("hex").slice(0, 8)
  return `${name.slice(0, 60)}-${hash}`
}
