// Development only: runs the recorded cases against bridge.js in a headless browser, native code played by this script.
// The judge is Tests/ConformanceTests; this one is quicker to turn around.
//
//     node Tests/web/support/oracle.mjs ORACLE_FOLDER [groups, with commas] [chromium|firefox] [part of a name]

import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { isDeepStrictEqual } from "node:util"
import { openBrowser } from "./browser.mjs"
import { FakeDaemon } from "./daemon.mjs"
import { OracleCase } from "./oracle-case.mjs"

const ALL = "post,reply,surface,lifecycle,userscript,evaluate,callAsync,world"
const [folder, groups = ALL, engine = "chromium", part = ""] = process.argv.slice(2)
const read = (path) => readFileSync(`${folder}/${path}`, "utf8")
const tagger = read("page/tagger.js")
const helper = read("page/oracle.js").replace("/*TAGGER*/", () => tagger)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const daemon = await new FakeDaemon().listen()
const running = new Map() // the web view's name → OracleCase

/** The apps' web server; each case has a folder of its own in the cookie-free way: the web view's name as a user. */
const respond = (test, request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname)
  if (path === "/favicon.ico") return response.writeHead(204).end()
  const files = { "/oracle.js": { body: helper, type: "text/javascript" }, "/index.html": read("page/index.html"),
    ...test.files }
  const given = files[path] ?? { body: "not found", status: 404 }
  const guess = path.endsWith(".js") ? "text/javascript" : "text/html"
  const file = { type: guess, status: 200, headers: {}, ...(typeof given === "string" ? { body: given } : given) }
  const tag = `<script src="${daemon.origin}/bridge.js?web-view=${test.name}"></script>`
  const isPage = file.type.startsWith("text/html")
  const doctype = /^\s*<!doctype[^>]*>/i
  const text = test.fill(file.body ?? "")
  const body = !isPage ? text : doctype.test(text) ? text.replace(doctype, `$&${tag}`) : tag + text
  setTimeout(() => {
    const headers = Object.fromEntries(Object.entries(file.headers).map(([key, value]) => [key, test.fill(value)]))
    response.writeHead(file.status, { "Content-Type": `${file.type}; charset=utf-8`, ...headers }).end(body)
  }, file.delayMs ?? 0)
}

/** One server a case, so that storage, history and cache are its own. */
const serve = async (test) => {
  const server = createServer((request, response) => respond(test, request, response))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.port = server.address().port
  return server
}

const sort = (tag) => {
  if (Array.isArray(tag)) return tag.map(sort)
  if (tag === null || typeof tag !== "object") return tag
  const copy = Object.fromEntries(Object.entries(tag).map(([key, value]) => [key, sort(value)]))
  if (Array.isArray(copy.props)) copy.props.sort((a, b) => (`${a[0]}` < `${b[0]}` ? -1 : 1))
  return copy
}

/** What the README lets us compare: no columns, no GTK texts, no wording that an engine makes by itself. */
const comparable = (outcome, test) => {
  const visit = (value) => {
    if (Array.isArray(value)) return value.map(visit)
    if (value === null || typeof value !== "object") return value
    if (value.error?.code !== undefined) {
      const { code, message, sourceURL, line } = value.error
      const isScript = code === 699 || code === 4
      if (!isScript) return { error: code === 601 || code === 5 ? 5 : code }
      const text = test.engineText ? `${message}`.split(":")[0] : message
      return { error: 4, message: text, line: line || 0, sourceURL: line ? sourceURL : undefined }
    }
    if (test.engineText && value.t === "error") return { ...value, message: "" }
    if (test.engineText && value.t === "string") return { t: "string" }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item)]))
  }
  return JSON.parse(JSON.stringify(visit(sort(outcome))))
}

const run = async (recorded, number) => {
  const test = new OracleCase(recorded, `case-${number}`, daemon, tagger)
  running.set(test.name, test)
  const server = await serve(test)
  let outcome
  try {
    outcome = await Promise.race([
      test.run((url) => driver.evaluate(`window.open("${url}", "_blank", "noopener,popup"); 0`)),
      pause(15_000).then(() => ({ failed: "timed out" }))
    ])
  } catch (error) {
    outcome = { failed: String(error.stack) }
  }
  test.close()
  setTimeout(() => { server.closeAllConnections(); server.close() }, 500)
  const expected = comparable(recorded.expect, recorded)
  const found = comparable(outcome, recorded)
  if (isDeepStrictEqual(expected, found)) return true
  console.log(recorded.id, recorded.engineText ? "(engine text)" : "")
  console.log("  script  ", JSON.stringify(recorded.script ?? recorded.body ?? recorded.steps).slice(0, 300))
  console.log("  expected", JSON.stringify(expected).slice(0, 400))
  console.log("  found   ", JSON.stringify(found).slice(0, 400))
  return false
}

let driver = null
daemon.settingsFor = (name) => running.get(name)?.scope
daemon.on("page", (page) => {
  if (page.attach.webView === "driver") driver = page
  else running.get(page.attach.webView)?.attached(page)
})
daemon.on("beacon", (beacon) => running.get(beacon.attach?.webView ?? daemon.webViewOf(beacon.document))?.beacon(beacon))
daemon.files["/start"] = '<script src="/bridge.js?web-view=driver"></script>'
const closeBrowser = await openBrowser(engine, `${daemon.origin}/start`)
while (!driver) await pause(20)

let number = 0
const total = {}
for (const group of groups.split(",")) {
  const isScored = ({ id, flaky, informational }) => id.includes(part) && !flaky && !informational
  const tests = JSON.parse(read(`open/${group}.json`)).filter(isScored)
  const queue = [...tests]
  let passed = 0
  const work = async () => {
    for (let test; (test = queue.shift()); ) if (await run(test, ++number)) passed++
  }
  await Promise.all([work(), work(), work()])
  total[group] = `${passed} of ${tests.length} (${(passed / tests.length * 100).toFixed(1)} %)`
}
console.log(engine, total)
await closeBrowser()
daemon.close()
process.exit()
