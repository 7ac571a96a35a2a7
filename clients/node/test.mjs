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
 * one after the other. BRIDGED_ENGINE names the browser, BRIDGED_FRAMEWORK the app's framework. A failed test keeps its trace
 * in the folder bridged-traces, or in that which BRIDGED_TRACES names, unless this is `off`.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import { start } from "./bridged.mjs"

/** @typedef {import("./bridged.mjs").Client} Client */

/** The daemons of this file, by their settings. @type {Map<string, Promise<Client>>} */
const daemons = new Map()
let turn = Promise.resolve()

after(async () => {
  for (const daemon of daemons.values()) await daemon.then((app) => app.close(), () => {})
})

/**
 * Runs a test with a daemon. Settings are the options of `bridged serve`, as for `start`.
 * @param {string} name
 * @param {(app: Client, t: import("node:test").TestContext) => any} body
 * @param {Record<string, any>} [settings]
 */
export function bridgedTest(name, body, settings = {}) {
  return test(name, (t) => {
    const run = turn.then(() => runTest(t, body, settings))
    turn = run.catch(() => {})
    return run
  })
}

/** Runs the body of a test with the daemon for these settings. */
async function runTest(t, body, settings) {
  const framework = process.env.BRIDGED_FRAMEWORK
  const key = JSON.stringify(settings)
  if (!daemons.has(key)) daemons.set(key, start({ ...(framework && { framework }), ...settings }).then(withEngine))
  const app = await daemons.get(key)
  await app.reset()
  try {
    await body(app, t)
  } catch (error) {
    const trace = await keep(app, t.name, error).catch(() => undefined) // A daemon that has ended must not hide the error.
    if (trace) t.diagnostic(`trace: ${trace}`)
    throw error
  }
}

/** Makes `open` use the browser that BRIDGED_ENGINE names. @param {Client} app */
function withEngine(app) {
  const browser = process.env.BRIDGED_ENGINE
  const open = app.open.bind(app)
  if (browser) app.open = (url, options) => open(url, { browser, ...options })
  return app
}

/** Writes the trace of a test. @param {Client} app @param {string} test @param {any} error */
async function keep(app, test, error) {
  const folder = process.env.BRIDGED_TRACES || "bridged-traces"
  if (folder === "off") return undefined
  const path = join(folder, `${test.replace(/[^\w.-]+/g, "-")}.html`)
  mkdirSync(folder, { recursive: true })
  await app.saveTrace(path, { name: test, failure: `${error?.stack ?? error}` })
  return path
}
