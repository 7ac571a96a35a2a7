import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { compileFunction } from "node:vm"
import { FakePage } from "./support/page.mjs"
import { makeRealm } from "./support/realm.mjs"

const part = (name) => readFileSync(new URL(`../../web/bridge/${name}.js`, import.meta.url), "utf8")
const source = ["builtins", "lists", "exceptions", "overrides", "handlers", "programs", "stacks"].map(part).join("\n")

/** A realm whose errors look as in JavaScriptCore. */
const realmWithStacks = () => {
  const realm = makeRealm()
  const { window } = new FakePage({ realm })
  const text = `const sharedRegistrations = undefined, trust = {}, nonce = ""\n${source}\nshowPositions()`
  compileFunction(text, ["window"], { filename: "bridged:driven.js", parsingContext: realm.context })(window)
  return realm
}

const url = "app://scripts/one.js"
const firstLines = (stack, count) => stack.split("\n").slice(0, count)

test("writes a stack as JavaScriptCore does", () => {
  const stack = realmWithStacks().run("(function inner() { return new Error('x').stack })()", { filename: url })
  assert.equal(firstLines(stack, 1)[0], `inner@${url}:1:37`)
})

test("counts the column of a call to its parenthesis", () => {
  const program = "function outer() { return inner() }\nfunction inner() { return new TypeError('x').stack }\nouter()"
  assert.deepEqual(firstLines(realmWithStacks().run(program, { filename: url }), 3), [
    `inner@${url}:2:40`, `outer@${url}:1:32`, `@${url}:3:6`
  ])
})

test("names built-ins as native code", () => {
  const stack = realmWithStacks().run("[1].map(function run() { return new Error('x').stack })[0]", { filename: url })
  assert.deepEqual(firstLines(stack, 2), [`run@${url}:1:42`, "map@[native code]"])
})

test("gives errors a line, a column and a URL, which a script may change", () => {
  const program = "const e = new Error('x'); const [l, c, u] = [e.line, e.column, e.sourceURL]; e.line = 7; `${l} ${c} ${u} ${e.line}`"
  assert.equal(realmWithStacks().run(program, { filename: url }), `1 20 ${url} 7`)
})

test("gives an error without a stack no position", () => {
  assert.equal(realmWithStacks().run("const e = new Error('x'); delete e.stack; typeof e.line", { filename: url }), "undefined")
})
