import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage, FakePage, turn } from "./support/page.mjs"

const late = { name: "late", replies: false }
const replying = { handlers: [{ name: "nativeApp", replies: true }] }

/** "pending", or how a promise settled. */
const stateOf = async (promise) => {
  const settled = promise.then((value) => ({ value }), (error) => ({ error }))
  await turn()
  return Promise.race([settled, turn().then(() => "pending")])
}

test("has its handlers before it is connected", () => {
  const { window } = new FakePage()
  assert.equal(Object.prototype.toString.call(window.webkit), "[object WebKitNamespace]")
  assert.equal(Object.prototype.toString.call(window.webkit.messageHandlers), "[object UserMessageHandlersNamespace]")
  assert.equal(Object.prototype.toString.call(window.webkit.messageHandlers.nativeApp), "[object UserMessageHandler]")
})

test("leaves a page alone that a driven browser has without handlers, as on Android", () => {
  const driver = { dispatchEvent: ({ type, cancelable }) => type !== "bridged:start" || !cancelable }
  const page = new FakePage({ globals: driver })
  assert.equal(page.window.webkit, undefined)
  assert.equal(page.window.document.bridged, undefined)
  assert.equal(page.sockets.length, 0)
})

test("does not enumerate handlers, but has each by its name", () => {
  const { messageHandlers } = new FakePage().window.webkit
  assert.deepEqual(Object.keys(messageHandlers), [])
  assert.ok("nativeApp" in messageHandlers && Object.hasOwn(messageHandlers, "nativeApp"))
  assert.equal(messageHandlers.nope, undefined)
})

test("hides `webkit` from the keys of the window", () => {
  const { window } = new FakePage()
  assert.equal(Object.keys(window).includes("webkit"), false)
  assert.equal(Object.getOwnPropertyNames(window).includes("webkit"), false)
  assert.equal(Reflect.ownKeys(window).includes("webkit"), false)
  assert.ok(Object.hasOwn(window, "webkit") && Object.prototype.propertyIsEnumerable.call(window, "webkit"))
})

test("rejects a call without arguments or with another `this`", async () => {
  const { handler } = new FakePage()
  const { postMessage } = handler
  await assert.rejects(handler.postMessage(), new TypeError("Not enough arguments"))
  await assert.rejects(postMessage("x"), TypeError)
})

test("fulfils a plain handler's promise with undefined when its message is acknowledged", async () => {
  const page = await attachedPage()
  const [first, second] = [page.handler.postMessage(1), page.handler.postMessage(2)]
  assert.equal(await stateOf(first), "pending")
  page.receive({ method: "page.ack", params: { seq: 1 } })
  assert.deepEqual(await stateOf(first), { value: undefined })
  assert.equal(await stateOf(second), "pending")
})

test("settles a replying handler's promise with the reply", async () => {
  const page = await attachedPage(replying)
  const reply = page.handler.postMessage("q")
  await turn()
  const { id } = page.sent("message.post")[0]
  const types = { "/at": "date", "/me": "ref" }
  page.receive({ id, result: { value: { at: "1970-01-01T00:00:00.000Z", me: "" }, types } })
  const value = await reply
  assert.deepEqual(value.at, new Date(0))
  assert.equal(value.me, value)
})

test("rejects with a plain Error if the handler rejects", async () => {
  const page = await attachedPage(replying)
  const reply = page.handler.postMessage("q")
  await turn()
  const rejection = stateOf(reply)
  page.receive({ id: 1, error: { code: -32003, message: "no such customer" } })
  const { error } = await rejection
  assert.equal(error.message, "no such customer")
  assert.deepEqual(Object.getOwnPropertyNames(error), ["message"])
})

test("names the existing handlers if the daemon does not have the handler", async () => {
  const page = await attachedPage(replying)
  const reply = page.handler.postMessage("q")
  await turn()
  page.receive({ id: 1, error: { code: -32001, message: "", data: { handlers: ["turbo", "bridge"] } } })
  await assert.rejects(reply, /no handler "nativeApp".*turbo,bridge/)
})

test("adds a handler that is registered later", async () => {
  const page = await attachedPage()
  page.receive({ method: "handlers.changed", params: { handlers: [...page.handlers, late] } })
  assert.ok("late" in page.window.webkit.messageHandlers)
})

test("keeps a handler's identity while it stays registered", async () => {
  const page = await attachedPage()
  const { handler } = page
  page.receive({ method: "handlers.changed", params: { handlers: [...page.handlers, late] } })
  assert.equal(page.handler, handler)
})

test("removes window.webkit with the last handler, and refuses the old reference", async () => {
  const page = await attachedPage()
  const { handler } = page
  page.receive({ method: "handlers.changed", params: { handlers: [] } })
  assert.equal(page.window.webkit, undefined)
  await assert.rejects(handler.postMessage(1), { name: "InvalidAccessError" })
})

test("only warns if it is loaded twice", () => {
  const page = new FakePage()
  page.load()
  assert.equal(page.sockets.length, 1)
  assert.match(page.logged.at(-1).text, /twice/)
})
