import assert from "node:assert/strict"
import { test } from "node:test"
import { FakePage, turn } from "./support/page.mjs"

const log = (text) => `(globalThis.userLog ??= []).push("${text}")`
const script = (source, at = "start", mainFrameOnly = false) => ({ source, at, mainFrameOnly })

/** A page with user scripts. `logged` returns what they have logged so far. */
const run = (context, userScripts, globals) => {
  context.after(() => delete globalThis.userLog)
  const page = new FakePage({ settings: { userScripts }, globals })
  return { page, logged: () => globalThis.userLog ?? [] }
}

test("runs user scripts for document start in order, before the page's own scripts", (context) => {
  const { logged } = run(context, [script(log("one")), script(log("two"))])
  assert.deepEqual(logged(), ["one", "two"])
})

test("runs user scripts for document end once, after the page's listeners", (context) => {
  const { page, logged } = run(context, [script(log("end"), "end")])
  assert.deepEqual(logged(), [])
  page.window.addEventListener("DOMContentLoaded", () => (globalThis.userLog ??= []).push("page"))
  page.dispatch("DOMContentLoaded")
  page.window.document.readyState = "complete"
  page.dispatch("readystatechange")
  assert.deepEqual(logged(), ["page", "end"])
})

test("runs user scripts for document end even if the page stops the event", (context) => {
  const { page, logged } = run(context, [script(log("end"), "end")])
  page.window.addEventListener("DOMContentLoaded", (event) => event.stopImmediatePropagation())
  page.dispatch("DOMContentLoaded")
  page.window.document.readyState = "complete"
  page.dispatch("readystatechange")
  assert.deepEqual(logged(), ["end"])
})

test("does not run a script for the main frame in other frames", (context) => {
  const { logged } = run(context, [script(log("all")), script(log("main"), "start", true)], { top: {} })
  assert.deepEqual(logged(), ["all"])
})

const urls = [
  [{ include: ["^http://localhost/.*$"] }, true], [{ include: ["^https://localhost/.*$"] }, false],
  [{ include: ["(?!)", "^https?://(.*\\.)?localhost/shop/.*$"] }, true], [{ exclude: ["^http://localhost/sh.*$"] }, false],
  [{ include: ["^http://local.*/.*$"], exclude: ["^http://localhost/other$"] }, true]
]
for (const [patterns, runs] of urls) {
  test(`${runs ? "runs" : "does not run"} a script with the patterns ${JSON.stringify(patterns)}`, (context) => {
    const { logged } = run(context, [{ ...script(log("ran")), ...patterns }], {
      location: {
        href: "http://localhost:3000/shop/1", origin: "http://localhost:3000", protocol: "http:", hostname: "localhost",
        pathname: "/shop/1", search: ""
      }
    })
    assert.deepEqual(logged(), runs ? ["ran"] : [])
  })
}

test("runs a script for document end that was added while the document was loading", (context) => {
  const { page, logged } = run(context, [])
  page.socket.emit("open")
  page.accept()
  const changed = (userScripts) => {
    page.receive({ method: "handlers.changed", params: { handlers: page.handlers, userScripts } })
  }
  changed([script(log("late"), "end"), script(log("too late"))])
  page.dispatch("DOMContentLoaded")
  page.window.document.readyState = "complete"
  page.dispatch("readystatechange")
  changed([script(log("after the end"), "end")])
  assert.deepEqual(logged(), ["late"])
})

test("continues after a script that fails, and does not show the page the details", async (context) => {
  const { page, logged } = run(context, [
    script("addEventListener = null; throw new Error('secret')"), script("var = ;"), script(log("after"))])
  assert.deepEqual(logged(), ["after"])
  page.socket.emit("open")
  page.accept()
  await turn()
  const texts = page.sent("console.entry").map(({ params }) => params.text)
  assert.match(texts.join(), /secret.*SyntaxError/)
})

test("keeps declarations of user scripts", (context) => {
  run(context, [script("let fromUserScript = 5; globalThis.userLog = []"), script("userLog.push(fromUserScript)")])
  assert.deepEqual(globalThis.userLog, [5])
})

test("returns the web view's user agent from the browser's getter", () => {
  const page = new FakePage({ settings: { userAgent: "Mozilla/5.0 App/1" } })
  const { navigator } = page.window
  assert.equal(navigator.userAgent, "Mozilla/5.0 App/1")
  assert.equal(navigator.appVersion, "5.0 App/1")
  assert.match(String(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(navigator), "userAgent").get), /native code/)
})

test("calls unload listeners only if the page is not kept in the back/forward cache", () => {
  const page = new FakePage()
  const seen = []
  page.window.addEventListener("unload", () => seen.push("unload"))
  page.dispatch("pagehide", { persisted: true })
  page.dispatch("unload")
  assert.deepEqual(seen, [])
  page.dispatch("pagehide", { persisted: false })
  page.dispatch("unload")
  assert.deepEqual(seen, ["unload"])
})
