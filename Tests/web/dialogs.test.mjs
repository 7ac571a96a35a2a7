import assert from "node:assert/strict"
import { test } from "node:test"
import { FakePage } from "./support/page.mjs"

/** A page whose dialogs `value(params)` answers. */
const makePage = (value, settings = { dialogs: true }) => {
  const calls = []
  const own = []
  const globals = {}
  for (const name of ["alert", "confirm", "prompt"]) globals[name] = (...list) => own.push([name, ...list])
  const answer = (request, { messages }) => {
    const { id, params } = messages.at(-1)
    calls.push([params.handler, params.method, ...params.body])
    return { status: 200, responseText: JSON.stringify({ jsonrpc: "2.0", id, ...value(params) }) }
  }
  return { page: new FakePage({ settings, globals, answer }), calls, own }
}

test("asks native code for each dialog, with texts", () => {
  const { page: { window }, calls, own } = makePage(({ method }) => ({ result: { value: method === "confirm" } }))
  assert.equal(window.confirm({}), true)
  window.alert()
  window.alert(undefined)
  window.prompt("Name?", 3)
  assert.deepEqual(calls, [
    ["window", "confirm", "[object Object]"], ["window", "alert", ""], ["window", "alert", "undefined"],
    ["window", "prompt", "Name?", "3"]
  ])
  assert.deepEqual(own, [])
})

test("dismisses a dialog that native code does not answer, and says so", () => {
  const { page, own } = makePage(() => ({ error: { code: -32003, message: "no answer" } }))
  assert.equal(page.window.alert("x"), undefined)
  assert.equal(page.window.confirm("x"), false)
  assert.equal(page.window.prompt("x"), null)
  assert.match(page.logged.at(-1).text, /prompt\("x"\) was dismissed, because native code did not answer: .*no answer/)
  assert.deepEqual(own, [])
})

test("leaves the browser's dialogs if native code answers none", () => {
  const { page, calls, own } = makePage(() => ({}), {})
  page.window.alert("x")
  assert.deepEqual([own, calls], [[["alert", "x"]], []])
})
