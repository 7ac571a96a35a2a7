import assert from "node:assert/strict"
import { test } from "node:test"
import { attachedPage, FakePage, turn } from "./support/page.mjs"

const settings = { interfaces: [{ name: "Device", methods: ["echo", "model"] }] }

/** A page whose calls `reply(call)` answers, and the requests that it made. */
const makePage = (reply, status = 200, { headers = {}, ...options } = {}) => {
  const requests = []
  const answer = (request, body) => {
    requests.push({ ...request, body })
    const call = body.messages.at(-1)
    return { status, headers, responseText: JSON.stringify({ jsonrpc: "2.0", id: call.id, ...reply(call.params) }) }
  }
  return { page: new FakePage({ settings, answer, ...options }), requests }
}

const echo = ({ body, types }) => ({ result: { value: body[0], types: types && { "": types["/0"] } } })

test("has its objects before it is connected", () => {
  const { page } = makePage(echo)
  assert.deepEqual(Object.keys(page.window.Device), ["echo", "model"])
  assert.equal(page.window.Device.echo("x"), "x")
  assert.equal(page.window.Device.nope, undefined)
})

test("introduces the document, and resumes when it attaches", () => {
  const { page, requests } = makePage(echo, 200, { headers: { "Bridged-Run": "5" } })
  page.window.Device.echo("x")
  const [{ method, url, isAsync, header, body }] = requests
  assert.deepEqual([method, url, isAsync], ["POST", "http://localhost:2734/call", false])
  assert.equal(header, "Content-Type: application/json")
  assert.equal(body.attach.resume, false)
  page.socket.emit("open")
  const [attach] = page.sent("page.attach")
  assert.equal(attach.params.document, body.attach.document)
  assert.equal(attach.params.resume, true)
})

test("sends earlier messages with the call, numbered together", async () => {
  const { page, requests } = makePage(echo)
  page.handler.postMessage("before")
  page.window.Device.echo("x")
  page.handler.postMessage("after")
  page.socket.emit("open")
  page.accept({ resumed: true, lastSeq: 2 })
  await turn()
  const messages = requests[0].body.messages
  const calls = messages.map(({ method, params }) => [method, params.seq])
  assert.deepEqual(calls, [["message.post", 1], ["interface.call", 2]])
  assert.deepEqual(page.sent("message.post").map(({ params }) => [params.seq, params.body]), [[3, "after"]])
})

test("sends no more messages in a request than the daemon takes in one batch", () => {
  const { page, requests } = makePage(echo)
  for (let number = 1; number <= 2_500; number++) page.handler.postMessage(number)
  assert.equal(page.window.Device.echo("x"), "x")
  const counts = requests.map(({ body }) => body.messages.length)
  assert.equal(counts.reduce((sum, count) => sum + count), 2_501)
  assert.ok(Math.max(...counts) <= 1_000)
})

test("acknowledges earlier messages when the call is answered", async () => {
  const { page, requests } = makePage(echo)
  const posted = page.handler.postMessage("before")
  page.window.Device.echo("x")
  assert.equal(await posted, undefined)
  page.window.Device.echo("y")
  assert.deepEqual(requests[1].body.messages.map(({ params }) => params.seq), [3])
})

test("gets the reply to a message that the daemon got with a call, before the page was connected", async () => {
  const handlers = [{ name: "nativeApp", replies: true }]
  const { page } = makePage(echo, 200, { headers: { "Bridged-Run": "5" }, handlers })
  const reply = page.handler.postMessage("before")
  page.window.Device.echo("x")
  page.socket.emit("open")
  assert.deepEqual(page.sent("page.attach")[0].params.waiting, [1])
  page.accept({ resumed: true, lastSeq: 2, run: 5 })
  page.receive({ id: 1, result: { value: "reply" } })
  assert.equal(await reply, "reply")
})

test("gives up the replies of a run of the daemon when a call reaches the next one", async () => {
  const handlers = [{ name: "nativeApp", replies: true }]
  const { page } = makePage(echo, 200, { headers: { "Bridged-Run": "6" }, handlers })
  await page.attach({ run: 5 })
  const reply = page.handler.postMessage("before")
  await turn()
  page.receive({ method: "page.ack", params: { seq: 1 } })
  page.window.Device.echo("x")
  await assert.rejects(reply, /the daemon started again/)
})

/** A request of an earlier run, with the id that the next run uses again. */
const stale = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "script.evaluate", params: { source: "'stale'" } })

test("connects again if a call reaches the next run of the daemon, and ignores what still comes from the earlier one", async () => {
  const headers = { "Bridged-Run": "6" }
  const { page } = makePage(echo, 200, { headers })
  await page.attach({ run: 5 })
  const { socket } = page
  page.window.Device.echo("x")
  socket.emit("message", { data: stale })
  await turn()
  assert.deepEqual(socket.sent, [])
  page.clock.advance(100)
  await page.attach({ resumed: true, lastSeq: 1, run: 6 })
  const response = await page.call("script.evaluate", { source: "1 + 1" })
  assert.deepEqual(response.result, { value: 2 })
})

test("keeps the replies of a run that a call has reached if the earlier run answers page.attach after that", async () => {
  const handlers = [{ name: "nativeApp", replies: true }]
  const { page } = makePage(echo, 200, { headers: { "Bridged-Run": "6" }, handlers })
  await page.attach({ run: 5 })
  page.disconnect()
  page.clock.advance(100)
  page.socket.emit("open")
  const { socket } = page
  const reply = page.handler.postMessage("before")
  page.window.Device.echo("x")
  page.receive({ id: "attach", result: { page: "p1", resumed: true, lastSeq: 0, handlers, run: 5 } }, JSON.parse(stale))
  await turn()
  assert.equal(socket.sent.length, 1)
  page.clock.advance(200)
  assert.notEqual(page.socket, socket)
  await page.attach({ resumed: true, lastSeq: 2, run: 6 })
  page.receive({ id: 1, result: { value: "reply" } })
  assert.equal(await reply, "reply")
})

test("connects again to ask for the reply to a message that came with a call after page.attach", async () => {
  const handlers = [{ name: "nativeApp", replies: true }]
  const { page } = makePage(echo, 200, { headers: { "Bridged-Run": "5" }, handlers })
  page.socket.emit("open")
  const { socket } = page
  const reply = page.handler.postMessage("after page.attach")
  page.window.Device.echo("x")
  page.accept({ resumed: true, lastSeq: 2, run: 5 })
  page.clock.advance(100)
  assert.notEqual(page.socket, socket)
  page.socket.emit("open")
  assert.deepEqual(page.sent("page.attach")[0].params.waiting, [1])
  page.accept({ resumed: true, lastSeq: 2, run: 5 })
  page.receive({ id: 1, result: { value: "reply" } })
  assert.equal(await reply, "reply")
})

test("does not say that the daemon knows the document if the daemon has refused its call", () => {
  const answer = () => ({ status: 400, responseText: "The log cannot be written." })
  const previous = { document: "11111111-1111-4111-8111-111111111111", seq: 3 }
  const getItem = (key) => (key === "bridged-left" ? JSON.stringify(previous) : null)
  const page = new FakePage({ settings, answer, globals: { sessionStorage: { getItem, setItem() {}, removeItem() {} } } })
  assert.throws(() => page.window.Device.model(), /The log cannot be written/)
  page.socket.emit("open")
  const [{ params }] = page.sent("page.attach")
  assert.deepEqual([params.resume, params.previous], [false, previous])
})

test("keeps earlier messages if the call is answered before the log has their records", async () => {
  const { page, requests } = makePage(echo, 202)
  page.handler.postMessage("before")
  assert.equal(page.window.Device.echo("x"), "x")
  page.window.Device.echo("y")
  assert.deepEqual(requests[1].body.messages.map(({ params }) => params.seq), [1, 3])
})

test("splits a long request into parts, the call last", () => {
  const { page, requests } = makePage(echo)
  for (let count = 0; count < 3; count++) page.handler.postMessage("x".repeat(600_000))
  page.window.Device.echo("x")
  assert.deepEqual(requests.map(({ body }) => body.messages.map(({ params }) => params.seq)), [[1], [2], [3, 4]])
})

test("sends no further part of a request if one is refused, and keeps its messages", () => {
  const requests = []
  let isRefused = true
  const answer = (_, body) => {
    requests.push(body.messages.map(({ params }) => params.seq))
    return { status: isRefused ? 400 : 200, responseText: isRefused ? "The log is full." : '{"result":{"value":1}}' }
  }
  const page = new FakePage({ settings, answer })
  for (let count = 0; count < 2; count++) page.handler.postMessage("x".repeat(600_000))
  assert.throws(() => page.window.Device.model(), /The log is full/)
  assert.deepEqual(requests.splice(0), [[1]])
  isRefused = false
  page.window.Device.model()
  assert.deepEqual(requests, [[1], [2, 4]])
})

test("passes values other than objects as they are", () => {
  const { page } = makePage(echo)
  const { Device } = page.window
  for (const value of ["Zo\u00eb \ud83e\udd8a\0", 1.5, -0, NaN, true, null, undefined]) {
    assert.ok(Object.is(Device.echo(value), value))
  }
  assert.equal(Device.echo(() => {}), undefined)
  assert.equal(Device.echo(Symbol("x")), undefined)
})

test("passes an empty object for an object that can't be sent", () => {
  const { page } = makePage(echo)
  const cycle = {}
  cycle.self = cycle
  let deep = []
  for (let count = 0; count < 3_000; count++) deep = [deep]
  for (const value of [cycle, deep, new Date(0), { toJSON: () => "text" }]) {
    assert.deepEqual(page.window.Device.echo(value), {})
  }
})

test("throws what Android's WebView throws, and logs the reason", () => {
  const data = { exception: "Error invoking model: Method not found" }
  const error = { code: -32003, message: "Device.model was dropped.", data }
  const { page } = makePage(() => ({ error }))
  assert.throws(() => page.window.Device.model(1), new Error("Error invoking model: Method not found"))
  assert.match(page.logged.at(-1).text, /Device\.model was dropped/)
})

test("names the daemon's URL if the daemon does not run", () => {
  const page = new FakePage({ settings, answer: () => { throw new Error("Failed to execute 'send'.") } })
  const message = /Device\.model\(\) was not called.*Is the daemon at http:\/\/localhost:2734\/call running/
  assert.throws(() => page.window.Device.model(), message)
})

test("passes on the daemon's message if it refuses a call", () => {
  const answer = () => ({ status: 401, responseText: "A page came without the page token." })
  const page = new FakePage({ settings, answer })
  assert.throws(() => page.window.Device.model(), /Device\.model\(\) failed: A page came without the page token/)
})

test("sends the page token", () => {
  let url
  const answer = (request) => {
    url = request.url
    return { status: 200, responseText: '{"result":{"value":1}}' }
  }
  new FakePage({ settings: { ...settings, token: "t0ken" }, answer }).window.Device.model()
  assert.equal(url, "http://localhost:2734/call?token=t0ken")
})

test("has no objects if none are registered", async () => {
  const page = await attachedPage()
  assert.equal(page.window.Device, undefined)
})
