import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage, turn } from "./support/page.mjs"

const entries = async (page) => {
  await turn()
  return page.sent("console.entry").map((frame) => frame.params)
}

test("forwards console calls and still prints them", async () => {
  const page = await attachedPage()
  page.window.console.warn("careful", { a: [1, "x"] })
  assert.deepEqual(await entries(page), [{ level: "warn", text: 'careful {a: [1, "x"]}', kind: "console" }])
  assert.equal(page.logged[0].level, "warn")
})

test("fills in format directives", async () => {
  const page = await attachedPage()
  page.window.console.log("%cbold%c %s is %d", "font-weight: bold", "", "six", 6)
  assert.equal((await entries(page))[0].text, "bold six is 6")
})

test("runs no getter to format a value", async () => {
  const page = await attachedPage()
  page.window.console.log({ get secret() { throw new Error("ran") } })
  assert.equal((await entries(page))[0].text, "{secret: (getter)}")
})

/** An error with the stack of some browser. */
const errorWith = (stack) => Object.assign(new TypeError("a\nb"), { stack })

test("shows an error's text, then its stack, in one form for all browsers", async () => {
  const page = await attachedPage()
  const stacks = [
    "TypeError: a\nb\n    at new Form (http://x/a.js:1:2)\n    at async Object.save [as run] (http://x/a.js:3:4)\n    at http://x/a.js:5:6",
    "Form@http://x/a.js:1:2\nObject.save@http://x/a.js:3:4\n@http://x/a.js:5:6",
    "Form@http://x/a.js:1:2\nObject.save@http://x/a.js:3:4\n@http://x/a.js:5:6\n",
  ]
  for (const stack of stacks) page.window.console.error(errorWith(stack))
  const expected = "TypeError: a\nb\nForm@http://x/a.js:1:2\nObject.save@http://x/a.js:3:4\n@http://x/a.js:5:6"
  assert.deepEqual((await entries(page)).map(({ text }) => text), [expected, expected, expected])
})

test("shows errors in other values, and where errors come from", async () => {
  const page = await attachedPage()
  const error = errorWith("f@http://x/a.js:1:2")
  const { console } = page.window
  console.error("It failed:", { error }, [error])
  console.error("%s and %o", error, 1)
  console.error(Object.assign(errorWith(""), { cause: error }))
  console.error(Object.assign(errorWith(""), { cause: "rain" }))
  console.error(Object.assign(new AggregateError([error, 7], "none"), { stack: "" }))
  const tagged = errorWith("")
  Object.defineProperty(tagged, Symbol.toStringTag, { value: "Mine" })
  console.error(tagged)
  const cyclic = errorWith("")
  cyclic.cause = cyclic
  console.error(cyclic)
  const shown = "TypeError: a\nb\nf@http://x/a.js:1:2"
  assert.deepEqual((await entries(page)).map(({ text }) => text), [
    `It failed: {error: ${shown}} [${shown}]`, `${shown} and 1`, `TypeError: a\nb\nCaused by: ${shown}`,
    'TypeError: a\nb\nCaused by: "rain"', `AggregateError: none\nError 1 of 2: ${shown}\nError 2 of 2: 7`,
    "TypeError: a\nb", Array(5).fill("TypeError: a\nb").join("\nCaused by: "),
  ])
})

test("cuts long entries", async () => {
  const page = await attachedPage()
  page.window.console.log("x".repeat(50_000))
  assert.ok((await entries(page))[0].text.length < 10_100)
})

test("cuts a long address of a script", async () => {
  const page = await attachedPage()
  page.dispatch("error", { message: "x", filename: `data:${"x".repeat(50_000)}`, lineno: 1, colno: 1, error: null })
  assert.ok((await entries(page))[0].url.length < 10_100)
})

test("forwards a hundred entries a second, and counts the others", async () => {
  const page = await attachedPage()
  for (let number = 0; number < 250; number++) page.window.console.log(number)
  assert.equal((await entries(page)).length, 100)
  page.clock.advance(1_000)
  assert.match((await entries(page)).at(-1).text, /more than 100 console entries in a second; 150 were left out/)
})

test("forwards uncaught errors with their position", async () => {
  const page = await attachedPage()
  page.dispatch("error", { message: "Error: x", filename: "a.js", lineno: 3, colno: 5, error: { stack: "at a.js" } })
  const place = { url: "a.js", line: 3, column: 5, stack: "at a.js" }
  assert.deepEqual(await entries(page), [{ level: "error", text: "Error: x", kind: "exception", ...place }])
})

test("forwards unhandled rejections", async () => {
  const page = await attachedPage()
  page.dispatch("unhandledrejection", { reason: new TypeError("late") })
  const [{ kind, text }] = await entries(page)
  assert.deepEqual([kind, text], ["rejection", "TypeError: late"])
})

test("keeps entries while the page is disconnected", async () => {
  const page = await attachedPage()
  page.disconnect()
  page.window.console.log("while away")
  page.clock.advance(100)
  page.socket.emit("open")
  page.accept({ resumed: true })
  assert.ok((await entries(page)).some(({ text }) => text === "while away"))
})
