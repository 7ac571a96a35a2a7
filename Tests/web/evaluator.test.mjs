import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage, turn } from "./support/page.mjs"

const evaluate = (page, source, id) => page.call("script.evaluate", { source }, id)

test("responds with the completion value", async () => {
  const page = await attachedPage()
  const { result } = await evaluate(page, "1; ({a: [NaN]})")
  assert.deepEqual(result, { value: { a: ["NaN"] }, types: { "/a/0": "number" } })
})

test("responds to undefined with null and its type", async () => {
  const page = await attachedPage()
  assert.deepEqual((await evaluate(page, "undefined")).result, { value: null, types: { "": "undefined" } })
})

test("keeps a script's declarations for the next evaluation", async () => {
  const page = await attachedPage()
  const first = await evaluate(page, "function kept() { return lasting }\nlet lasting = 7\nclass Kept {}\nkept() + 1", 1)
  assert.equal(first.result.value, 8)
  assert.deepEqual((await evaluate(page, "[kept(), typeof Kept, typeof globalThis.lasting]", 2)).result.value,
    [7, "function", "undefined"])
})

for (const [source, value] of [
  ["let semicolon = 1; semicolon + 1", 2],
  ["const broken = 1\nbroken +\n  1", 2],
  ["5; var behind = 1", 5],
  ["6; function alsoBehind() {}", 6],
  ["calledEarly(); function calledEarly() { return 7 }", 7],
  ["var text = 'a;b'; // let's see; 9\ntext.length", 3],
  ["let chained = {a: 8}\n;[chained][0].a", 8],
  ["'use strict'; let strict = (function () { return this })(); typeof strict", "undefined"],
  ["let only = 9", null]
]) {
  test(`has the completion value of ${JSON.stringify(source)}`, async () => {
    const page = await attachedPage()
    assert.deepEqual((await evaluate(page, source)).result?.value, value)
  })
}

test("reports the position of an exception in a script with declarations", async () => {
  const page = await attachedPage()
  const { error } = await evaluate(page, "let before = 1\n\n  null.missing\nbefore")
  assert.deepEqual([error.data.name, error.data.line], ["TypeError", 3])
  const last = await evaluate(page, "let ahead = 1\n\n  null.missing", 2)
  assert.equal(last.error.data.line, 3)
})

test("reports no position if a name is declared again, as in WebKit", async () => {
  const page = await attachedPage()
  await evaluate(page, "let twice = 1", 1)
  const { error } = await evaluate(page, "let twice = 2", 2)
  assert.deepEqual([error.data.name, error.data.line], ["SyntaxError", 0])
})

test("takes the result after the script's microtasks", async () => {
  const page = await attachedPage()
  const source = "var made = {n: 1}; Promise.resolve().then(() => { made.n = 2 }); made"
  assert.deepEqual((await evaluate(page, source)).result.value, { n: 2 })
})

test("runs evaluations in order, each after the microtasks of the previous one", async () => {
  const page = await attachedPage()
  const first = "var steps = ['sync']; Promise.resolve().then(() => steps.push('microtask')); 0"
  page.receive({ id: 1, method: "script.evaluate", params: { source: first } },
    { id: 2, method: "script.evaluate", params: { source: "steps" } })
  assert.deepEqual((await page.response(2)).result.value, ["sync", "microtask"])
})

test("names the type of a result that can't be sent", async () => {
  const page = await attachedPage()
  const { error } = await evaluate(page, "Promise.resolve(1)")
  assert.deepEqual([error.code, error.data.type], [5, "Promise"])
})

test("reports an exception with its position in the source", async () => {
  const page = await attachedPage()
  const { error } = await evaluate(page, "\n  throw new TypeError('boom')")
  assert.equal(error.code, 4)
  assert.deepEqual([error.data.name, error.data.message, error.data.line], ["TypeError", "TypeError: boom", 2])
  assert.equal(error.data.sourceURL, "http://localhost/")
})

test("uses the source's own URL if it has one", async () => {
  const page = await attachedPage()
  const { error } = await page.call("script.evaluate", { source: "nothingDefined", sourceURL: "app://scripts/a.js" })
  assert.deepEqual([error.data.sourceURL, error.data.line], ["app://scripts/a.js", 1])
})

test("reports a thrown value as text", async () => {
  const page = await attachedPage()
  assert.equal((await evaluate(page, "throw 'bad'", 1)).error.data.message, "bad")
  assert.equal((await evaluate(page, "throw Symbol('s')", 2)).error.data.message, "")
})

test("dispatches an exception to the page, and reports it to the daemon once", async () => {
  const page = await attachedPage()
  const seen = []
  page.window.addEventListener("error", (event) => seen.push(event.message))
  await evaluate(page, "throw new Error('seen')")
  assert.deepEqual(seen, ["Error: seen"])
  assert.deepEqual(page.sent("console.entry"), [])
})

test("sends the same response to a repeated request without running it again", async (context) => {
  context.after(() => delete globalThis.runs)
  const page = await attachedPage()
  const source = "globalThis.runs = (globalThis.runs ?? 0) + 1"
  await evaluate(page, source, 7)
  page.disconnect()
  page.clock.advance(100)
  await page.attach({ resumed: true })
  assert.equal((await evaluate(page, source, 7)).result.value, 1)
  assert.equal(globalThis.runs, 1)
})

test("sends no result of an earlier daemon's request for a new one with the same id", async (context) => {
  context.after(() => delete globalThis.settle)
  const page = await attachedPage()
  const wait = (value) => ({
    id: 1, method: "script.callAsync",
    params: { body: `return new Promise((resolve) => (globalThis.settle ??= []).push(() => resolve(${value})))`, arguments: {} }
  })
  page.receive(wait(1))
  await evaluate(page, "0", 2)
  page.disconnect()
  page.clock.advance(100)
  await page.attach({ resumed: false })
  page.receive(wait(2))
  await evaluate(page, "0", 2)
  globalThis.settle[0]()
  await evaluate(page, "0", 3)
  globalThis.settle[1]()
  await evaluate(page, "0", 4)
  assert.deepEqual(page.frames.filter(({ id }) => id === 1).map(({ result }) => result.value), [2])
})

test("awaits the result of an asynchronous function", async () => {
  const page = await attachedPage()
  const params = { body: "return [await a, b]", arguments: { a: 1, b: "NaN" }, types: { "/b": "number" } }
  const { result } = await page.call("script.callAsync", params)
  assert.deepEqual(result, { value: [1, "NaN"], types: { "/1": "number" } })
})

test("reports a rejection without a position, as in WebKit", async () => {
  const page = await attachedPage()
  const { error } = await page.call("script.callAsync", { body: "throw new Error('late')", arguments: {} })
  assert.deepEqual([error.code, error.data.message, error.data.line], [4, "Error: late", 0])
})

test("sends a message that the script posts before the result", async (context) => {
  context.after(() => delete globalThis.testHandler)
  const page = await attachedPage()
  globalThis.testHandler = page.handler
  await evaluate(page, "Promise.resolve().then(() => testHandler.postMessage('during')); 'done'")
  assert.deepEqual(page.frames.map((frame) => frame.params?.body ?? frame.result?.value), ["during", "done"])
})

const withoutEval = { eval: () => { throw new EvalError("refused") } }

test("evaluates in script elements if a policy forbids eval and the tag has its nonce", async () => {
  const page = await attachedPage({ globals: withoutEval })
  const value = async (source, id) => (await evaluate(page, source, id)).result.value
  assert.equal(await value("1 + 1", 1), 2)
  assert.equal(await value("var withNonce = 3; withNonce * 2;", 2), 6)
  assert.equal(await value("withNonce", 3), 3)
  assert.equal(await value("try { missing } catch (error) { 'caught ' + error.name }", 4), "caught ReferenceError")
  const { result } = await page.call("script.callAsync", { body: "return a + 1", arguments: { a: 1 } }, 5)
  assert.equal(result.value, 2)
})

test("reports the position of an exception if a policy forbids eval", async () => {
  const page = await attachedPage({ globals: withoutEval })
  const { line, message } = (await evaluate(page, "1;\nnull.x")).error.data
  assert.deepEqual([line, message.split(":")[0]], [2, "TypeError"])
})

test("names the directive if a policy forbids eval and inline scripts", async () => {
  const page = await attachedPage({ globals: withoutEval })
  page.window.document.head.appendChild = () => {}
  assert.match((await evaluate(page, "1")).error.data.message, /nonce.*'unsafe-eval'.*script-src/)
  assert.match(page.loaded[0], /bridge\.js\?blocked=script-src/)
})

test("refuses an unknown method", async () => {
  const page = await attachedPage()
  assert.equal((await page.call("page.dance", {})).error.code, -32601)
})

test("navigates after the evaluations that were requested before", async () => {
  const visited = []
  const page = await attachedPage()
  page.window.location.assign = (url) => visited.push(url)
  page.receive({ id: 1, method: "script.evaluate", params: { source: "1" } },
    { method: "page.navigate", params: { url: "/next" } })
  await page.response(1)
  assert.deepEqual(visited, [])
  for (let count = 0; count < 5; count++) await turn()
  assert.deepEqual(visited, ["/next"])
})

test("responds with an error if the result exceeds the daemon's limit", async () => {
  const page = await attachedPage({}, { maxMessageBytes: 1_000 })
  const { error } = await evaluate(page, "'x'.repeat(2_000)")
  assert.deepEqual([error.code, error.data.type], [5, "result over 1000 bytes"])
})
