import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage, FakePage, turn } from "./support/page.mjs"

const bodies = (page) => page.sent("message.post").map((frame) => frame.params.body)

test("sends no messages before the daemon has accepted the page", async () => {
  const page = new FakePage()
  page.handler.postMessage("early")
  page.socket.emit("open")
  await turn()
  assert.deepEqual(page.frames.map((frame) => frame.method), ["page.attach"])
})

test("cuts a long address and a long title, so that every message can be sent", async () => {
  const page = new FakePage({ url: `data:text/html,${"x".repeat(5_000_000)}` })
  page.window.document.title = "t".repeat(50_000)
  page.socket.emit("open")
  const { frame, title } = page.frames[0].params
  assert.ok(frame.url.length < 10_100 && frame.url.endsWith("… (cut)"))
  assert.ok(title.length < 10_100)
})

test("identifies its document and web view", () => {
  const page = new FakePage({ url: "http://localhost/a?bridged-web-view=modal" })
  page.socket.emit("open")
  const { document, webView, frame, resume } = page.frames[0].params
  assert.match(document, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual([webView, frame.isMainFrame, resume], ["modal", true, false])
})

const attachment = (options) => {
  const page = new FakePage(options)
  page.socket.emit("open")
  return page.frames[0].params
}

test("takes the web view's name from the script before the page's address, and that before the tab", () => {
  const url = "http://localhost/a?bridged-web-view=modal"
  const sessionStorage = { getItem: () => "kept", setItem() {} }
  assert.equal(attachment({ url, settings: { webView: "case" } }).webView, "case")
  assert.equal(attachment({ url, globals: { sessionStorage } }).webView, "modal")
  assert.equal(attachment({ globals: { sessionStorage } }).webView, "kept")
})

test("shows the key of a document of native code, and otherwise none", () => {
  assert.equal(attachment({ settings: { documentKey: "k3y" } }).documentKey, "k3y")
  assert.ok(!("documentKey" in attachment()))
})

test("has the handlers of its own web view if there are any", () => {
  const webViews = { modal: { handlers: [{ name: "close", replies: false }], userScripts: [] } }
  const handlers = (url) => new FakePage({ url, settings: { webViews } }).window.webkit.messageHandlers
  assert.ok(handlers("http://localhost/?bridged-web-view=modal").close)
  assert.ok(handlers("http://localhost/").nativeApp)
})

test("sends the page token as a second subprotocol", () => {
  assert.deepEqual(new FakePage().socket.protocols, ["bridge.page.v1"])
  const { socket } = new FakePage({ settings: { token: "t0k" } })
  assert.deepEqual(socket.protocols, ["bridge.page.v1", "bridge.token.t0k"])
})

test("shows the web view that it gets if it is not of the app's origin, and asks for the same one again", async () => {
  const page = new FakePage()
  page.socket.emit("open")
  page.accept({ webView: "http://localhost" })
  assert.equal(page.window.document.bridged.webView, "http://localhost")
  assert.ok(page.logged.some(({ text }) => text.includes('"http://localhost", because')))
  page.disconnect()
  page.clock.advance(100)
  page.socket.emit("open")
  assert.equal(page.frames[0].params.webView, "main")
})

test("reports the same failure of a notification once", async () => {
  const page = await attachedPage()
  const error = { code: -32001, message: "No handler is named 'x'." }
  page.receive({ id: null, error }, { id: null, error })
  const told = page.logged.filter(({ level, text }) => level === "error" && text.includes(error.message))
  assert.equal(told.length, 1)
  assert.deepEqual(page.sent("console.entry"), [], "the daemon's log has the failure already")
})

test("introduces itself in its beacon, because the daemon may have started again since it attached", async () => {
  const page = await attachedPage({}, { run: 5 })
  page.handler.postMessage("sent")
  page.dispatch("pagehide", { persisted: false })
  const [{ document, run, attach }] = page.beacons
  assert.deepEqual([run, attach.document, attach.resume], [5, document, true])
})

test("introduces itself in its beacon if it never attached", () => {
  const page = new FakePage()
  page.handler.postMessage("early")
  page.dispatch("pagehide", { persisted: false })
  const [{ document, attach, messages }] = page.beacons
  assert.equal(attach.document, document)
  assert.deepEqual([attach.webView, messages.length], ["main", 1])
})

test("sends early messages once it is attached", async () => {
  const page = new FakePage()
  page.handler.postMessage("early")
  page.socket.emit("open")
  page.accept()
  await turn()
  assert.deepEqual(bodies(page), ["early"])
  assert.deepEqual(page.states, ["connecting", "connected"])
})

test("sends the messages of one turn as one batch, and a single message as an object", async () => {
  const page = await attachedPage()
  for (const number of [1, 2, 3]) page.handler.postMessage(number)
  await turn()
  page.handler.postMessage(4)
  await turn()
  assert.deepEqual(page.socket.sent.map((text) => Array.isArray(JSON.parse(text))), [true, false])
  assert.deepEqual(bodies(page), [1, 2, 3, 4])
})

test("sends only the messages that the daemon has not received again after a disconnection", async () => {
  const page = await attachedPage()
  const first = page.handler.postMessage("first")
  page.handler.postMessage("second")
  await turn()
  page.disconnect()
  page.handler.postMessage("while away")
  page.clock.advance(100)
  page.socket.emit("open")
  assert.equal(page.frames[0].params.resume, true)
  page.accept({ resumed: true, lastSeq: 1 })
  assert.equal(await first, undefined)
  await turn()
  assert.deepEqual(bodies(page), ["second", "while away"])
})

test("keeps a message that has its reply until it is acknowledged", async () => {
  const page = await attachedPage({ handlers: [{ name: "nativeApp", replies: true }] })
  const reply = page.handler.postMessage("q")
  await turn()
  page.receive({ id: 1, result: { value: "a" } })
  assert.equal(await reply, "a")
  page.disconnect()
  page.clock.advance(100)
  page.socket.emit("open")
  page.accept({ resumed: false, lastSeq: 0 })
  await turn()
  assert.deepEqual(bodies(page), ["q"])
})

test("rejects replies that a restarted daemon can't give", async () => {
  const page = await attachedPage({ handlers: [{ name: "nativeApp", replies: true }] })
  const reply = page.handler.postMessage("q")
  await turn()
  page.receive({ method: "page.ack", params: { seq: 1 } })
  page.disconnect()
  page.clock.advance(100)
  await page.attach({ resumed: false })
  await assert.rejects(reply, /started again/)
})

test("rejects replies that a restarted daemon can't give, if its first answer was lost", async () => {
  const page = await attachedPage({ handlers: [{ name: "nativeApp", replies: true }] })
  page.disconnect()
  page.clock.advance(100)
  await page.attach({ resumed: true, run: 1 })
  const reply = page.handler.postMessage("q")
  await turn()
  page.receive({ method: "page.ack", params: { seq: 1 } })
  page.disconnect()
  page.clock.advance(100)
  await page.attach({ resumed: true, run: 2 })
  await assert.rejects(reply, /started again/)
})

test("waits ever longer between attempts, up to five seconds", () => {
  const page = new FakePage()
  const delays = Array.from({ length: 8 }, () => {
    page.disconnect()
    const [delay] = page.clock.delays
    page.clock.advance(delay)
    return delay
  })
  assert.deepEqual(delays, [100, 200, 400, 800, 1600, 3200, 5000, 5000])
})

test("starts again with a short delay after it was connected", async () => {
  const page = new FakePage()
  page.disconnect()
  page.clock.advance(100)
  await page.attach()
  page.disconnect()
  assert.ok(page.clock.delays.includes(100))
})

test("tries immediately when the browser is online again", () => {
  const page = new FakePage()
  page.disconnect()
  page.dispatch("online")
  assert.equal(page.sockets.length, 2)
})

test("stops and says what to do if the daemon refuses the page", async () => {
  const page = new FakePage()
  page.socket.emit("open")
  page.receive({ id: "attach", error: { code: -32004, message: "origin not allowed" } })
  assert.match(page.logged.at(-1).text, /origin not allowed.*Reload/)
  assert.deepEqual(page.clock.delays, [])
})

test("splits a batch that would exceed the daemon's limit", async () => {
  const page = await attachedPage({}, { maxMessageBytes: 300 })
  for (const letter of ["a", "b", "c"]) page.handler.postMessage(letter.repeat(60))
  await turn()
  assert.ok(page.socket.sent.every((text) => text.length <= 300))
  assert.equal(bodies(page).length, 3)
})

test("drops and reports a single message over the limit, and sends the others", async () => {
  const page = await attachedPage({}, { maxMessageBytes: 300 })
  const large = page.handler.postMessage("x".repeat(400))
  page.handler.postMessage("small")
  await turn()
  await assert.rejects(large, /daemon takes 300/)
  assert.deepEqual(bodies(page), ["small"])
  assert.match(page.logged[0].text, /"nativeApp" was not sent.*300/)
})

test("refuses messages when too many wait, and reports that once", async () => {
  const page = new FakePage()
  for (let number = 0; number < 100_000; number++) page.handler.postMessage(number)
  await assert.rejects(page.handler.postMessage("one too many"), /too many/)
  await assert.rejects(page.handler.postMessage("another"), /too many/)
  assert.deepEqual(page.logged.map(({ level }) => level), ["warn"])
  assert.match(page.logged[0].text, /100000 of 100000 messages, \d+ of \d+ bytes wait.*further ones are refused/)
  page.socket.emit("open")
  page.accept({ lastSeq: 1 })
  page.handler.postMessage("there is room")
  assert.match(page.logged[1].text, /room for messages again; 2 were refused/)
})

test("gives up a connection on which the daemon does not answer", async () => {
  const page = await attachedPage()
  page.handler.postMessage("into the void")
  await turn()
  for (let look = 0; look < 3; look++) page.clock.advance(10_000)
  assert.equal(page.states.at(-1), "away")
  page.clock.advance(100)
  page.socket.emit("open")
  page.accept({ resumed: true, lastSeq: 0 })
  await turn()
  assert.deepEqual(bodies(page), ["into the void"])
})

test("keeps a connection if the daemon answers, or has nothing to answer", async () => {
  const page = await attachedPage()
  for (let seq = 1; seq <= 4; seq++) {
    page.handler.postMessage(seq)
    await turn()
    page.clock.advance(10_000)
    page.receive({ method: "page.ack", params: { seq } })
  }
  for (let look = 0; look < 4; look++) page.clock.advance(10_000)
  assert.equal(page.states.at(-1), "connected")
})

test("names the replies that it waits for when it attaches again", async () => {
  const page = await attachedPage({ handlers: [{ name: "nativeApp", replies: true }] })
  const replies = [1, 2].map((body) => page.handler.postMessage(body))
  await turn()
  page.receive({ id: 1, result: { value: "first" } })
  page.disconnect()
  page.clock.advance(100)
  page.socket.emit("open")
  assert.deepEqual(page.frames[0].params.waiting, [2])
  page.accept({ resumed: true, lastSeq: 2 })
  page.receive({ id: 2, result: { value: "second" } })
  assert.deepEqual(await Promise.all(replies), ["first", "second"])
})

test("names the replies that it waits for if its messages went by beacon before it was attached", async () => {
  const page = new FakePage({ handlers: [{ name: "nativeApp", replies: true }] })
  page.handler.postMessage(1)
  page.dispatch("pagehide", { persisted: true })
  page.dispatch("pageshow", { persisted: true })
  page.socket.emit("open")
  const { resume, waiting } = page.frames.at(-1).params
  assert.deepEqual([resume, waiting], [false, [1]])
})

test("waits for the reply to a message that the daemon got before it accepted the page", async () => {
  const page = new FakePage({ handlers: [{ name: "nativeApp", replies: true }] })
  const reply = page.handler.postMessage(1)
  page.socket.emit("open")
  page.accept({ resumed: true, lastSeq: 1, run: 5 })
  page.receive({ id: 1, result: { value: "reply" } })
  assert.equal(await reply, "reply")
})

test("sends a key with a NUL", async () => {
  const page = await attachedPage()
  page.handler.postMessage({ ["a\0b"]: 1 })
  page.handler.postMessage("beside it")
  await turn()
  assert.deepEqual(bodies(page), [{ ["a\0b"]: 1 }, "beside it"])
  assert.deepEqual(page.logged, [])
})

test("reports a change of the page once", async () => {
  const page = await attachedPage()
  page.window.location.href = "http://localhost/next"
  page.dispatch("popstate")
  page.dispatch("hashchange")
  await turn()
  assert.deepEqual(page.sent("page.update").map((frame) => frame.params), [{ url: "http://localhost/next" }])
})

test("sends all unacknowledged messages by beacon, and again together with those posted during unload", async () => {
  const page = await attachedPage()
  page.handler.postMessage("sent")
  await turn()
  page.dispatch("pagehide", { persisted: false })
  page.handler.postMessage("unload")
  await turn()
  const sent = page.beacons.map(({ messages }) => messages.map((message) => message.params.body))
  assert.deepEqual(sent, [["sent"], ["sent", "unload"]])
  assert.equal(page.beacons[0].url, "http://localhost:2734/beacon")
})

test("sends the response to an evaluation by beacon if the connection is closed", async () => {
  const page = await attachedPage({ globals: { mozInnerScreenX: 0 } }) // Firefox
  page.receive({ id: 7, method: "script.evaluate", params: { source: "6 * 7" } })
  page.dispatch("beforeunload")
  for (let count = 0; count < 6; count++) await turn()
  const answers = page.beacons.flatMap(({ messages }) => messages).filter(({ id }) => id === 7)
  assert.deepEqual(answers.map(({ result }) => result.value), [42])
})

test("numbers messages of beforeunload listeners after those of the script that navigates", async () => {
  const page = await attachedPage()
  page.window.addEventListener("beforeunload", (event) => {
    page.event = event
    page.handler.postMessage("beforeunload")
    page.event = undefined
  })
  page.dispatch("beforeunload") // synchronously, as `location.href = …` does
  page.handler.postMessage("behind it")
  page.dispatch("pagehide", { persisted: false })
  await turn()
  assert.deepEqual(bodies(page), ["behind it", "beforeunload"])
})

test("says in pagehide that the page is kept when a link is followed, as in WebKit", () => {
  const navigation = new EventTarget()
  const page = new FakePage({ globals: { navigation } })
  const seen = []
  page.window.addEventListener("pagehide", ({ persisted }) => seen.push(persisted))
  for (const navigationType of ["push", "reload"]) {
    navigation.dispatchEvent(Object.assign(new Event("navigate"), { navigationType }))
    page.dispatch("pagehide", { persisted: false })
  }
  assert.deepEqual(seen, [true, false])
})

test("names the previous document and its last message once", () => {
  const page = new FakePage()
  page.handler.postMessage("last")
  page.dispatch("pagehide", { persisted: false })
  const { document } = page.beacons[0]
  const next = new FakePage({ globals: { sessionStorage: page.window.sessionStorage } })
  next.socket.emit("open")
  assert.deepEqual(next.sent("page.attach")[0].params.previous, { document, seq: 1 })
  assert.equal(page.stored["bridged-left"], undefined)
})

test("ignores invalid data in the tab's storage", () => {
  const sessionStorage = { getItem: () => "{nonsense", setItem() {}, removeItem() {} }
  const page = new FakePage({ globals: { sessionStorage } })
  page.socket.emit("open")
  assert.equal(page.sent("page.attach")[0].params.previous, undefined)
})

test("splits beacons into parts below 64 KiB", async () => {
  const page = await attachedPage()
  for (let number = 0; number < 5; number++) page.handler.postMessage("x".repeat(30_000))
  page.dispatch("pagehide", { persisted: false })
  assert.deepEqual(page.beacons.map(({ messages }) => messages.length), [2, 2, 1])
})

test("comes back from the back/forward cache with resume", async () => {
  const page = await attachedPage()
  page.dispatch("pagehide", { persisted: true })
  page.dispatch("pageshow", { persisted: true })
  page.socket.emit("open")
  assert.equal(page.frames[0].params.resume, true)
})

test("says what to do if the browser refuses the socket", () => {
  const WebSocket = class { constructor() { throw new Error("insecure") } send() {} }
  const page = new FakePage({ globals: { WebSocket } })
  assert.match(page.logged[0].text, /insecure.*connect-src/s)
})

test("reports a policy that forbids the connection once, and does not try again", () => {
  const page = new FakePage()
  const violation = new Event("securitypolicyviolation")
  Object.assign(violation, { effectiveDirective: "connect-src", blockedURI: "ws://localhost:2734/page" })
  page.window.document.dispatchEvent(violation)
  page.window.document.dispatchEvent(violation)
  page.dispatch("pageshow", { persisted: false })
  assert.equal(page.logged.filter(({ text }) => /connect-src.*ws:\/\/localhost:2734\//.test(text)).length, 1)
  assert.equal(page.sockets.length, 1)
})

test("reports a policy that forbids the connection to the daemon with a script element", () => {
  const page = new FakePage()
  const violation = new Event("securitypolicyviolation")
  Object.assign(violation, { effectiveDirective: "connect-src", blockedURI: "ws://localhost:2734" })
  page.window.document.dispatchEvent(violation)
  const { searchParams } = new URL(page.loaded[0])
  assert.deepEqual([searchParams.get("blocked"), searchParams.get("from")], ["connect-src", "http://localhost/"])
})
