import assert from "node:assert/strict"
import { test } from "node:test"
import { addInterface, AppPage } from "./support/app.mjs"
import { FakePage, turn } from "./support/page.mjs"
import { makeRealm } from "./support/realm.mjs"

const attached = async (options) => {
  const page = new AppPage(options)
  await page.attach()
  return page
}

test("attaches as a device's page, and defines nothing", () => {
  const page = new AppPage()
  page.socket.emit("open")
  const [{ method, params }] = page.frames
  assert.equal(method, "page.attach")
  assert.equal(params.device, true)
  assert.equal(page.window.document.bridged, undefined)
  assert.deepEqual(page.stored, {})
})

test("sends what the page posts, with the reply and its time", async () => {
  const page = await attached({ answer: async (handler, body) => ({ handler, body }) })
  const reply = await page.run(`window.webkit.messageHandlers.camera.postMessage({ name: "take", at: new Date(0) })`)
  assert.equal(reply.handler, "camera")
  const [message, answer] = await page.entries()
  assert.deepEqual(message, {
    seq: 1, kind: "message", handler: "camera", body: { name: "take", at: "1970-01-01T00:00:00.000Z" },
    types: { "/at": "date" }
  })
  assert.equal(answer.kind, "reply")
  assert.equal(answer.of, 1)
  assert.equal(answer.value.handler, "camera")
  assert.equal(typeof answer.durationMs, "number")
})

test("sends rejections", async () => {
  const page = await attached({ answer: async () => { throw new Error("no camera") } })
  await assert.rejects(page.run(`window.webkit.messageHandlers.camera.postMessage(1)`), { message: "no camera" })
  const [, reply] = await page.entries()
  assert.equal(reply.error, "no camera")
})

test("sends a body as it was when it was posted", async () => {
  const page = await attached()
  page.run(`{ const body = { list: [1] }; window.webkit.messageHandlers.nativeApp.postMessage(body); body.list.push(2) }`)
  assert.deepEqual((await page.entries())[0].body, { list: [1] })
})

test("runs no getter of a body", async () => {
  const bodies = []
  const page = await attached({ answer: async (_, body) => { bodies.push(body.count, body.count) } })
  page.run(`window.count = 0
    window.webkit.messageHandlers.nativeApp.postMessage({ get count() { return ++window.count }, a: 1 })`)
  assert.deepEqual(bodies, [1, 2])
  const [{ body, types }] = await page.entries()
  assert.deepEqual({ body, types }, { body: { count: null, a: 1 }, types: { "/count": "undefined" } })
})

/** What a page can see of its handlers. */
const LOOK = `(() => {
  const look = (object, key) => {
    const { value, get, ...rest } = Object.getOwnPropertyDescriptor(object, key)
    const run = value ?? get
    return [rest, String(run), Function.prototype.toString.call(run), Function.prototype.toString.toString(), run.name,
      run.length, Reflect.ownKeys(run), "prototype" in run, Object.getPrototypeOf(run) === Function.prototype]
  }
  const thrown = (run) => { try { return run() } catch (error) { return [error.name, error.message] } }
  const { webkit } = window
  const { messageHandlers } = webkit
  return JSON.stringify([
    look(window.UserMessageHandler.prototype, "postMessage"), look(window.WebKitNamespace.prototype, "messageHandlers"),
    look(Function.prototype, "toString"), Reflect.ownKeys(window.UserMessageHandler.prototype).length,
    Object.getOwnPropertyNames(messageHandlers), Object.keys(messageHandlers), "camera" in messageHandlers,
    messageHandlers.nope === undefined, messageHandlers === webkit.messageHandlers,
    messageHandlers.camera === messageHandlers.camera, Object.prototype.toString.call(messageHandlers),
    Object.prototype.toString.call(messageHandlers.camera),
    Object.getPrototypeOf(messageHandlers) === window.UserMessageHandlersNamespace.prototype,
    thrown(() => new messageHandlers.camera.postMessage(1)), thrown(() => Function.prototype.toString.call({})),
    messageHandlers.camera.postMessage(1) instanceof Promise, Object.getOwnPropertyNames(window.document),
    ["log", "error"].map((level) => [window.console[level].name, window.console[level].length]),
  ])
})()`

test("runs nothing of a page that has replaced what reads a body", async () => {
  const page = await attached({ answer: async () => 1 })
  page.run(`window.ran = []
    const replace = (object, key) => {
      const real = object[key]
      object[key] = function (...list) { window.ran.push(key); return Reflect.apply(real, this, list) }
    }
    Object.prototype.__lookupGetter__.call = () => () => window.ran.push("own call")
    replace(Function.prototype, "call")
    replace(Object.prototype, "__lookupGetter__")
    replace(Promise.prototype, "then")
    replace(window.performance, "now")
    window.webkit.messageHandlers.camera.postMessage({ list: [1], a: { b: "c" } })`)
  const [{ body }, reply] = await page.entries()
  assert.deepEqual([body, reply.value], [{ list: [1], a: { b: "c" } }, 1])
  assert.equal(page.run("JSON.stringify(window.ran)"), "[]")
})

test("runs no setter, and reads what has a setter alone as undefined", async () => {
  const page = await attached()
  page.run(`window.ran = []
    const body = { a: 1, set b(value) { window.ran.push(value) } }
    Object.defineProperty(Object.prototype, "a", { set(value) { window.ran.push(value) }, configurable: true })
    window.webkit.messageHandlers.nativeApp.postMessage(body)
    delete Object.prototype.a`)
  const [{ body, types }] = await page.entries()
  assert.deepEqual({ body, types }, { body: { a: 1, b: null }, types: { "/b": "undefined" } })
  assert.equal(page.run("JSON.stringify(window.ran)"), "[]")
})

test("changes nothing that the page can see", () => {
  const plain = new AppPage({ prepare: (window) => (window.document.bridged = {}) }) // Then bridge.js ends at once.
  delete plain.window.document.bridged
  assert.equal(plain.sockets.length, 0)
  assert.deepEqual(JSON.parse(new AppPage().run(LOOK)), JSON.parse(plain.run(LOOK)))
})

test("passes on wrong calls", async () => {
  const page = await attached()
  const { postMessage } = page.window.webkit.messageHandlers.camera
  await assert.rejects(postMessage.call(page.window.webkit.messageHandlers.camera), { message: "Not enough arguments" })
  await assert.rejects(postMessage.call({}, 1), { name: "TypeError" })
  assert.deepEqual(await page.entries(), [])
})

test("sends calls of native code into the page, and none of the page's own", async () => {
  const page = await attached({ prepare: (window) => (window.location.href = "http://localhost/") })
  page.run(`window.heard = []
    window.bridge = { register(token) { window.heard.push(token); return this === window.bridge } }
    window.own = () => window.bridge.register("own")`)
  page.dispatch("load")
  page.clock.advance(0)
  page.run("window.own()")
  // Native code's script has no URL, and nothing has called it.
  const source = `Promise.resolve().then(() => (window.isOwn = window.bridge.register("native")))`
  page.realm.run(source, { filename: "<anonymous>" })
  await turn()
  assert.equal(page.window.isOwn, true)
  assert.deepEqual([...page.window.heard], ["own", "native"])
  const entries = await page.entries()
  assert.deepEqual(entries, [{ seq: 1, kind: "call", function: "window.bridge.register", arguments: ["native"] }])
})

test("sends calls of a bound function, which has the text of a native one", async () => {
  const page = await attached({ prepare: (window) => (window.location.href = "http://localhost/") })
  page.run(`window.heard = []
    window.bridge = { register: function (token) { this.push(token) }.bind(window.heard) }`)
  page.dispatch("load")
  page.clock.advance(0)
  page.realm.run(`Promise.resolve().then(() => window.bridge.register("native"))`, { filename: "<anonymous>" })
  await turn()
  assert.deepEqual([...page.window.heard], ["native"])
  assert.deepEqual((await page.entries()).map(({ function: name }) => name), ["window.bridge.register"])
})

test("sends calls of the functions that the settings name", async () => {
  const page = await attached({ settings: { observe: ["myApp.native", "greet", "myApp.hello", "missing.one"] } })
  page.run(`window.greet = (name) => name
    window.myApp = { native: { receive: (value) => value }, hello() { return this === window.myApp }, other() {} }`)
  page.dispatch("load")
  page.clock.advance(0)
  const source = `Promise.resolve().then(() => {
    const { myApp, greet } = window
    window.got = [window.greet("you"), myApp.native.receive({ a: 1 }), myApp.hello(), myApp.other()]
  })`
  page.realm.run(source, { filename: "<anonymous>" })
  await turn()
  assert.equal(JSON.stringify(page.window.got), `["you",{"a":1},true,null]`)
  assert.deepEqual((await page.entries()).map(({ seq, kind, ...entry }) => entry), [
    { function: "window.greet", arguments: ["you"] }, { function: "window.myApp.native.receive", arguments: [{ a: 1 }] },
    { function: "window.myApp.hello", arguments: [] }
  ])
})

test("observes the interface objects that the settings name", async () => {
  const realm = makeRealm()
  const page = new FakePage({ realm, settings: { observe: ["Payments", "shop.native"] }, prepare: (window) => {
    addInterface(realm, window, "Payments", { pay: (amount) => amount > 1 })
    addInterface(realm, window, "Other", { pay: () => true })
  } })
  await page.attach()
  Object.assign(page, { entries: AppPage.prototype.entries })
  assert.equal(page.window.Payments.pay(2), true)
  assert.equal(page.window.Other.pay(), true)
  const entries = await page.entries()
  assert.deepEqual(entries.map(({ handler, name, body, value }) => [handler, name, body ?? value]), [
    ["Payments", "pay", [2]], ["Payments", undefined, true]
  ])
})

test("keeps entries until the daemon has them", async () => {
  const page = await attached()
  page.run(`window.webkit.messageHandlers.nativeApp.postMessage("one")`)
  await page.entries()
  page.disconnect()
  page.run(`window.webkit.messageHandlers.nativeApp.postMessage("two")`)
  await page.entries()
  page.clock.advance(100)
  page.socket.emit("open")
  assert.equal(page.frames[0].params.resume, true)
  page.accept({ resumed: true, lastSeq: 0 })
  assert.deepEqual((await page.entries()).map(({ seq, body }) => [seq, body]), [[1, "one"], [2, "two"]])
  page.receive({ method: "page.ack", params: { seq: 2 } })
  page.disconnect()
  page.clock.advance(100)
  page.socket.emit("open")
  page.accept({ resumed: true, lastSeq: 2 })
  assert.deepEqual(await page.entries(), [])
})

test("sends what may not have arrived by beacon when the page unloads", async () => {
  const page = await attached()
  page.run(`window.webkit.messageHandlers.nativeApp.postMessage("last")`)
  page.dispatch("pagehide", { persisted: false })
  const [{ attach, messages }] = page.beacons
  assert.equal(attach.device, true)
  assert.deepEqual(messages[0].params.entries.map(({ body }) => body), ["last"])
})

test("keeps no more than 32 MB until the daemon has them, and says what was left out", async () => {
  const page = await attached()
  page.disconnect()
  page.run(`for (let index = 0; index < 40; index++) {
    window.webkit.messageHandlers.nativeApp.postMessage({ index, text: "x".repeat(2 ** 20) })
  }`)
  page.clock.advance(10_000)
  page.socket.emit("open")
  page.receive({ id: "attach", result: { page: "p1", resumed: true, lastSeq: 0, handlers: [], maxMessageBytes: 2 ** 24 } })
  const entries = await page.entries()
  assert.equal(entries.length, 31)
  page.receive({ method: "page.ack", params: { seq: 31 } })
  await page.entries()
  const [note] = page.sent("console.entry")
  assert.equal(note.params.text, "bridged: 9 observations were left out, because too many waited for the daemon.")
  // There is room again.
  page.run(`window.webkit.messageHandlers.nativeApp.postMessage({ text: "x".repeat(2 ** 20) })`)
  assert.equal((await page.entries()).at(-1).seq, 32)
})

test("says once that the daemon is away, and does nothing else", async () => {
  const page = new AppPage()
  page.disconnect()
  page.clock.advance(60_000)
  page.run(`window.webkit.messageHandlers.nativeApp.postMessage(1)`)
  await turn()
  assert.equal(page.sockets.length, 1)
  assert.equal(page.logged.length, 1)
  assert.match(page.logged[0].text, /is not observed: no connection to ws:\/\/localhost:2734\/page/)
  assert.equal(page.logged[0].level, "info")
})

test("answers requests that are not for it with an error", async () => {
  const page = await attached()
  const { error } = await page.call("page.snapshot", {})
  assert.match(error.message, /in an app of its own knows no "page.snapshot"/)
})

test("runs a tool's script, and answers after what the script has posted", async () => {
  const page = await attached()
  const source = `window.webkit.messageHandlers.nativeApp.postMessage({ name: "hi" }); 6 * 7`
  page.realm.global.window = page.window
  const { result } = await page.ask("script.evaluate", { source })
  assert.equal(result.value, 42)
  const order = page.frames.map(({ method, id }) => method ?? id)
  assert.ok(order.indexOf("page.observed") < order.indexOf(1), order)
})

test("keeps the exceptions of tools' scripts from the page", async () => {
  const page = await attached()
  page.realm.global.window = page.window
  const heard = []
  let id = 0
  page.window.addEventListener("error", (event) => heard.push(event))
  for (const [method, params] of [
    ["script.evaluate", { source: "throw new TypeError('no')" }], ["script.evaluate", { source: "1 +" }],
    ["script.callAsync", { body: "throw new TypeError('no')" }], ["script.callAsync", { body: "}" }]
  ]) {
    const { error } = await page.ask(method, params, ++id)
    assert.equal(error.code, 4)
    assert.match(error.data.name, /TypeError|SyntaxError/)
  }
  assert.deepEqual(heard, [])
  assert.deepEqual(page.logged, [])
})

test("forwards the console, uncaught errors and Turbo's events", async () => {
  const page = await attached()
  page.run(`window.console.log("hello %s", "you")`)
  page.dispatch("error", { message: "Error: lost", filename: "http://localhost/a.js", lineno: 3, colno: 4 })
  const Event = page.window.CustomEvent
  page.window.document.dispatchEvent(new Event("turbo:visit", { detail: { url: "/x", action: "advance", element: {} } }))
  assert.deepEqual(await page.entries(), [
    { seq: 1, kind: "event", name: "turbo:visit", detail: { url: "/x", action: "advance" } }
  ])
  assert.deepEqual(page.sent("console.entry").map(({ params: { level, text, kind } }) => [level, text, kind]), [
    ["log", "hello you", "console"], ["error", "Error: lost", "exception"]
  ])
  assert.deepEqual(page.logged, [{ level: "log", text: "hello %s you" }])
})

test("sends calls of Android's interface objects, with values and exceptions", async () => {
  const realm = makeRealm()
  const calls = []
  const page = new FakePage({ realm, prepare: (window) => addInterface(realm, window, "TurboSession", {
    token: (...list) => { calls.push(list); return "c0ffee" }, visitStarted: () => undefined,
    fail: () => { throw new Error("Java exception was raised during method invocation") }
  }) })
  await page.attach()
  Object.assign(page, { entries: AppPage.prototype.entries })
  const { TurboSession } = page.window
  assert.equal(TurboSession.token("a", 1), "c0ffee")
  assert.equal(TurboSession.token.name, "bound token")
  TurboSession.visitStarted("1", false)
  assert.throws(() => TurboSession.fail(), /Java exception/)
  assert.deepEqual(calls, [["a", 1]])
  const entries = (await page.entries()).map(({ durationMs, ...entry }) => entry)
  assert.deepEqual(entries, [
    { seq: 1, kind: "message", handler: "TurboSession", name: "token", body: ["a", 1] },
    { seq: 2, kind: "reply", of: 1, handler: "TurboSession", value: "c0ffee" },
    { seq: 3, kind: "message", handler: "TurboSession", name: "visitStarted", body: ["1", false] },
    { seq: 4, kind: "message", handler: "TurboSession", name: "fail", body: [] },
    { seq: 5, kind: "reply", of: 4, handler: "TurboSession", error: "Error: Java exception was raised during method invocation" }
  ])
})

test("observes a page once, however many tags it has", async () => {
  const page = await attached()
  page.load()
  assert.equal(page.sockets.length, 1)
})
