import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage } from "./support/page.mjs"

const shared = { v: 1 }
const cycle = {}
cycle.self = cycle
const withHole = [1, , 3]
withHole.extra = "dropped"
const hidden = Object.defineProperty([1, 2], 1, { value: shared, enumerable: false })

// [description, value, body, types]
const cases = [
  ["null", null, null],
  ["a string", "a\u0000b", "a\u0000b"],
  ["undefined", undefined, null, { "": "undefined" }],
  ["NaN", NaN, "NaN", { "": "number" }],
  ["minus infinity", [-Infinity], ["-Infinity"], { "/0": "number" }],
  ["minus zero", { n: -0 }, { n: "-0" }, { "/n": "number" }],
  ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }, { "/at": "date" }],
  ["an invalid date", new Date(NaN), null, { "": "date" }],
  ["an undefined property", { a: undefined }, { a: null }, { "/a": "undefined" }],
  ["a hole, without the array's other properties", withHole, [1, null, 3], { "/1": "undefined" }],
  ["an item that is not enumerable", [hidden, 3], [[1, { v: 1 }], 3]],
  ["a shared object", [shared, shared], [{ v: 1 }, "/0"], { "/1": "ref" }],
  ["a cycle", cycle, { self: "" }, { "/self": "ref" }],
  ["a lone surrogate", ["x\ud83d"], [[120, 55357]], { "/0": "utf16" }],
  ["a lone surrogate in a key", { "\ud800": 1 }, { "\ufffd": 1 }],
  ["a key that a JSON Pointer escapes", { "a/b~c": NaN }, { "a/b~c": "NaN" }, { "/a~1b~0c": "number" }],
  ["a BigInt", [1n], [null], { "/0": "undefined" }],
  ["Map, Set, RegExp, Error", [new Map(), new Set(), /x/, new Error("e")], [{}, {}, {}, {}]],
  ["an ArrayBuffer", new ArrayBuffer(1), {}],
  ["boxed primitives", [new Number(1), new String("ab")], [{}, { 0: "a", 1: "b" }]],
  ["a typed array", new Uint8Array([9, 8]), { 0: 9, 1: 8 }],
  ["an own __proto__ key", JSON.parse('{"__proto__": {"x": 1}, "a": 2}'), { a: 2 }],
  ["a class with toJSON, which is not called", new (class { a = 1; toJSON() { return "lie" } })(), { a: 1 }],
  ["a getter", { get a() { return 5 } }, { a: 5 }]
]

for (const [what, value, body, types] of cases) {
  test(`delivers ${what}`, async () => {
    const page = await attachedPage()
    assert.deepEqual(await page.cross(value), { body, types })
  })
}

const refused = [
  ["a function", () => {}, "", "function"],
  ["a nested symbol", { a: [0, Symbol("s")] }, "/a/1", "symbol"],
  ["a Proxy", { p: new Proxy({}, {}) }, "/p", "Proxy"],
  ["a promise", [Promise.resolve()], "/0", "Promise"],
  ["a getter that throws", { get a() { throw new Error("g") } }, "/a", "getter"],
  ["a function inside a cycle", Object.assign({}, { cycle, f() {} }), "/f", "function"]
]

for (const [what, value, at, type] of refused) {
  test(`does not deliver a value with ${what}, and names its place`, async () => {
    const page = await attachedPage()
    assert.deepEqual(await page.cross(value), { body: undefined, types: undefined })
    assert.match(page.logged[0].text, new RegExp(`the value${at && ` at ${at}`} is a ${type}`))
    assert.equal(page.sent("console.entry").length, 1)
  })
}

test("refuses a value that is nested too deeply for the daemon", async () => {
  const page = await attachedPage()
  let deep = []
  for (let level = 0; level < 2_100; level++) deep = [deep]
  assert.deepEqual(await page.cross(deep), { body: undefined, types: undefined })
  assert.match(page.logged[0].text, /nested more than 2000 levels/)
})

test("copies the value when it is posted", async () => {
  const page = await attachedPage()
  const value = { list: [1] }
  const crossed = page.cross(value)
  value.list.push(2)
  assert.deepEqual((await crossed).body, { list: [1] })
})

test("runs getters once and in order", async () => {
  const page = await attachedPage()
  const log = []
  const note = (name, value) => (log.push(name), value)
  const inner = { get c() { return note("c", 1) } }
  await page.cross({ get b() { return note("b", inner) }, get a() { return note("a", 2) } })
  assert.deepEqual(log, ["b", "c", "a"])
})

test("delivers a list with a hole that a getter replaces while it is copied", async () => {
  const page = await attachedPage()
  const value = () => ({ list: [1, , 3], get last() { return (this.list = null) } })
  assert.deepEqual(await page.cross(value()), { body: { list: [1, null, 3], last: null }, types: { "/list/1": "undefined" } })
})

test("uses no built-ins that the page has patched", async (context) => {
  const page = await attachedPage()
  const { stringify } = JSON
  context.after(() => {
    JSON.stringify = stringify
    delete Object.prototype.toJSON
  })
  JSON.stringify = () => "lie"
  Object.prototype.toJSON = () => "lie"
  page.handler.postMessage({ a: ["x"] })
  await new Promise((resolve) => setImmediate(resolve))
  JSON.stringify = stringify
  delete Object.prototype.toJSON
  assert.deepEqual(page.sent("message.post")[0].params, { seq: 1, handler: "nativeApp", body: { a: ["x"] } })
})

test("does not deliver a revoked Proxy", async () => {
  const page = await attachedPage()
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  assert.deepEqual(await page.cross({ proxy }), { body: undefined, types: undefined })
  assert.match(page.logged[0].text, /Proxy/)
})
