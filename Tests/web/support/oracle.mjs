// Development only: runs the recorded `post` and `surface` cases against bridge.js in headless Chromium.
//
//     node Tests/web/support/oracle.mjs ORACLE_FOLDER [post|surface] [name part]

import { once } from "node:events"
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { openBrowser } from "./browser.mjs"
import { FakeDaemon } from "./daemon.mjs"

const [folder, groups = "post,surface", part = ""] = process.argv.slice(2)
const read = (path) => readFileSync(`${folder}/${path}`, "utf8")
const helper = read("page/oracle.js").replace("/*TAGGER*/", () => read("page/tagger.js"))
const start = /^(<!doctype html>)?(<html>)?(\s*<head>)?/i
const withBridge = (html) => html.replace(start, '$&<script src="/bridge.js"></script>')

const daemon = await new FakeDaemon().listen()
let page
daemon.on("page", (next) => {
  if (next.attach.frame.isMainFrame) page = next
})
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const pages = () => once(daemon, "page")

/** A JavaScript value of a message, as the tag of the oracle. */
const decode = (page, { body, types }) => page.call("script.callAsync", {
  body: "return __oracle.tag(value)", arguments: { value: movePointers(body, types) },
  types: types && Object.fromEntries(Object.entries(types).map(([path, type]) => [`/value${path}`, type]))
})

/** The text of each `ref` is a pointer, too; inside `arguments` the value stands one level deeper. */
const movePointers = (body, types = {}) => {
  const root = { body }
  for (const path of Object.keys(types).filter((path) => types[path] === "ref")) {
    const tokens = `body${path}`.split("/")
    const key = tokens.pop()
    const holder = tokens.reduce((at, token) => at[token], root)
    holder[key] = `/value${holder[key]}`
  }
  return root.body
}

const sortProperties = (tag) => {
  if (Array.isArray(tag)) return tag.map(sortProperties)
  if (tag === null || typeof tag !== "object") return tag
  const copy = Object.fromEntries(Object.entries(tag).map(([key, value]) => [key, sortProperties(value)]))
  if (Array.isArray(copy.props)) copy.props.sort((a, b) => (`${a[0]}` < `${b[0]}` ? -1 : 1))
  return copy
}

const runCase = async (test) => {
  daemon.handlers = test.handlers.map(({ name, reply }) => ({ name, replies: reply !== undefined }))
  daemon.files = {
    "/oracle.js": helper, "/index.html": withBridge(read("page/index.html")), ...Object.fromEntries(
      Object.entries(test.files ?? {}).map(([path, file]) => [path, withBridge(file.body ?? file)]))
  }
  const attached = pages()
  page.notify("page.navigate", { url: `${daemon.origin}${test.page ?? "/index.html"}` })
  await attached
  const messages = []
  page.on("message", (message) => messages.push(message))
  while ((await page.evaluate("document.readyState")).result.value !== "complete") await pause(10)
  const script = test.script.replaceAll("{ORIGIN}", daemon.origin)
  const isPost = test.kind === "post"
  const source = isPost ? `__oracle.startPost(${JSON.stringify(script)}, 300)`
    : test.async ? `__oracle.startAsync(${JSON.stringify(script)}, 2000)` : `__oracle.run(${JSON.stringify(script)})`
  let answer = (await page.evaluate(source)).result?.value
  const deadline = Date.now() + 4000
  while (typeof answer === "number" && Date.now() < deadline) {
    await pause(40)
    const text = (await page.evaluate(`__oracle.answer(${answer})`)).result?.value
    if (text) answer = text
  }
  const outcome = JSON.parse(answer)
  await page.evaluate("0")
  const list = []
  const seen = [...messages]
  const clean = pages() // A page that the case has not changed, to make tags in.
  page.notify("page.navigate", { url: `${daemon.origin}/index.html?tag` })
  await clean
  const isPlain = isPost && seen.every(({ handler }) => handler === "nativeApp")
  for (const message of seen) {
    const body = JSON.parse((await decode(page, message)).result?.value ?? "null")
    list.push(isPlain ? body : { handler: message.handler, body })
  }
  if (isPost) outcome.delivered = list
  else if (list.length > 0) outcome.messages = list
  return outcome
}

const isSame = (test, outcome) => {
  const expected = sortProperties(test.expect)
  const found = sortProperties(outcome)
  if (test.engineText && expected.threw && found.threw) return expected.threw.name === found.threw.name
  return isDeepStrictEqual(expected, found)
}

daemon.files["/start"] = "<script src=/bridge.js></script>"
const closeBrowser = await openBrowser("chromium", `${daemon.origin}/start`)
await pages()
const total = {}
for (const group of groups.split(",")) {
  const isScored = ({ id, kind, flaky, informational }) =>
    id.includes(part) && ["post", "surface"].includes(kind) && !flaky && !informational
  const tests = JSON.parse(read(`open/${group}.json`)).filter(isScored)
  let passed = 0
  for (const test of tests) {
    let outcome
    try {
      outcome = await Promise.race([runCase(test), pause(9000).then(() => ({ error: "timed out" }))])
    } catch (error) {
      outcome = { error: String(error) }
    }
    if (isSame(test, outcome)) {
      passed++
      continue
    }
    console.log(test.id, test.engineText ? "(engine text)" : "")
    console.log("  expected", JSON.stringify(test.expect).slice(0, 300))
    console.log("  found   ", JSON.stringify(outcome).slice(0, 300))
  }
  total[group] = `${passed} of ${tests.length}`
}
console.log(total)
await closeBrowser()
daemon.close()
process.exit()
