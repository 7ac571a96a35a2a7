import assert from "node:assert/strict"
import { test } from "node:test"
import { FakePage, turn } from "./support/page.mjs"

const MEMBERS = ["cancelable", "destination", "downloadRequest", "formData", "navigationType", "sourceElement"]

/** A page in a browser with the event `navigate`, whose questions `value(params)` answers. */
const makePage = (value = () => ({ result: { value: false } }), settings = { loads: true }, keys = MEMBERS) => {
  class NavigateEvent {
    defaultPrevented = false

    constructor(members) {
      const destination = { url: "http://localhost/next", sameDocument: false }
      this.members = {
        cancelable: true, destination, downloadRequest: null, formData: null, navigationType: "push",
        sourceElement: null, ...members
      }
    }

    preventDefault() { this.defaultPrevented = true }
    intercept() {}
  }
  for (const key of keys) {
    Object.defineProperty(NavigateEvent.prototype, key, { get() { return this.members[key] }, configurable: true })
  }
  const navigation = { listeners: [] }
  const asked = []
  const answer = (request, { messages }) => {
    const { id, params } = messages.at(-1)
    asked.push([params.handler, params.method, ...params.body])
    return { status: 200, responseText: JSON.stringify({ jsonrpc: "2.0", id, ...value(params) }) }
  }
  const page = new FakePage({ settings, answer, globals: { navigation, NavigateEvent } })
  /** Dispatches the event, also to a listener that the page adds before. */
  const navigate = (members, listener) => {
    if (listener) navigation.addEventListener("navigate", listener)
    const event = new NavigateEvent(members)
    for (const run of [...navigation.listeners]) run(event)
    if (listener) navigation.listeners = navigation.listeners.filter((other) => other !== listener)
    return event.defaultPrevented ? "cancelled" : "goes on"
  }
  return { page, asked, navigate }
}

const link = { localName: "a" }

test("asks native code about each kind of load, and cancels it", () => {
  const { asked, navigate } = makePage()
  const loads = [
    { sourceElement: link }, { sourceElement: { localName: "button" } }, { formData: {} }, {},
    { navigationType: "reload" }, { navigationType: "replace" }
  ]
  for (const load of loads) assert.equal(navigate(load), "cancelled")
  const types = [
    ["link", false], ["form", false], ["form", true], ["script", false], ["reload", false], ["script", false]
  ]
  assert.deepEqual(asked, types.map((type) => ["window", "navigate", "http://localhost/next", ...type]))
})

test("goes on if native code allows it", () => {
  const { asked, navigate } = makePage(() => ({ result: { value: true } }))
  assert.equal(navigate({}), "goes on")
  assert.equal(asked.length, 1)
})

test("goes on if the daemon does not answer, and says so", () => {
  const { page, navigate } = makePage(() => { throw new Error("refused") })
  assert.equal(navigate({}), "goes on")
  assert.match(page.logged.at(-1).text, /native code was not asked about the load of http:\/\/localhost\/next: .*refused/)
})

test("does not ask about what stays in the document, or what the page handles itself", () => {
  const { asked, navigate } = makePage()
  const destination = { url: "http://localhost/#part", sameDocument: true }
  for (const load of [{ destination }, { navigationType: "traverse" }, { downloadRequest: "" }, { cancelable: false }]) {
    assert.equal(navigate(load), "goes on")
  }
  assert.equal(navigate({}, (event) => event.intercept()), "goes on")
  assert.equal(navigate({}, (event) => event.preventDefault()), "cancelled")
  assert.deepEqual(asked, [])
})

test("does not ask about the loads of native code", async () => {
  const { page, asked, navigate } = makePage()
  await page.attach()
  const policies = []
  page.window.location.assign = (url) => policies.push([url, navigate({})])
  page.receive({ method: "page.navigate", params: { url: "http://localhost/next" } })
  for (let attempt = 0; attempt < 20 && policies.length === 0; attempt++) await turn()
  assert.deepEqual(policies, [["http://localhost/next", "goes on"]])
  assert.equal(navigate({}), "cancelled")
  assert.equal(asked.length, 1)
})

test("does not ask if native code decides about no loads, or if the browser cannot tell links from forms", () => {
  const others = MEMBERS.filter((key) => key !== "sourceElement")
  for (const { asked, navigate } of [makePage(undefined, {}), makePage(undefined, { loads: true }, others)]) {
    assert.equal(navigate({}), "goes on")
    assert.deepEqual(asked, [])
  }
})
