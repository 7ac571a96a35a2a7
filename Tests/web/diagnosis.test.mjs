// What turbo-diagnosis.js reports, and that a page never notices when it cannot.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { createContext, runInContext } from "node:vm"
import { turn } from "./support/page.mjs"

const source = readFileSync(new URL("../../web/turbo-diagnosis.js", import.meta.url), "utf8")

/** A page without a DOM, whose documents are `{ found }`: the selectors for which they have an element. */
const makePage = () => {
  const listeners = {}
  const posted = []
  const parse = (text) => ({
    title: text, found: [], querySelectorAll: () => [], createTreeWalker: () => ({ nextNode: () => false }),
    querySelector(selector) { this.found.push(selector) }, text,
  })
  const page = {
    parsed: [], reloads: 0, CSS: { escape: (text) => text }, NodeFilter: {},
    document: { documentElement: { hasAttribute: () => false }, querySelectorAll: () => [], querySelector: () => {} },
    DOMParser: class {
      parseFromString(text) {
        page.parsed.push(parse(text))
        return page.parsed.at(-1)
      }
    },
    customElements: { get: () => true },
    addEventListener: (type, listener) => (listeners[type] = listener),
    webkit: { messageHandlers: { turbo: { postMessage: ({ data }) => posted.push(data) } } },
    turboNative: { pageInvalidated: () => page.reloads++ },
  }
  page.window = page
  runInContext(source, createContext(page))
  const dispatch = (type, target, detail = {}) => listeners[type]({ target, detail })
  return { page, posted, dispatch }
}

const form = { closest: () => null }
const response = (statusCode, text) => {
  const body = { url: "http://localhost/", clone: () => ({ text }) }
  return { fetchResponse: { statusCode, isHTML: true, response: body } }
}
const submission = { formSubmission: { method: "POST" } }

test("lets the page reload when the reason cannot be found", () => {
  const { page, posted } = makePage()
  Object.defineProperty(page, "Turbo", { get() { throw new Error("no") } })
  page.turboNative.pageInvalidated({ reason: "x" })
  assert.equal(page.reloads, 1)
  assert.deepEqual(posted, [])
})

test("says nothing of a response that cannot be read", async () => {
  const { posted, dispatch } = makePage()
  dispatch("turbo:submit-start", form, submission)
  dispatch("turbo:before-fetch-response", form, response(500, async () => { throw new Error("aborted") }))
  const broken = response(500, async () => "")
  broken.fetchResponse.response.clone = () => { throw new TypeError("locked") }
  dispatch("turbo:before-fetch-response", form, broken)
  await turn()
  // An unhandled rejection would fail this test.
  assert.deepEqual(posted, [])
})

test("finds no place for a response in a frame without an id", async () => {
  const { page, posted, dispatch } = makePage()
  dispatch("turbo:before-fetch-response", { closest: () => ({ id: "" }) }, response(500, async () => "oh"))
  await turn()
  assert.equal(posted[0].isShown, false)
  assert.deepEqual(page.parsed[0].found, [])
})

test("forgets the response to a form when Turbo has shown it", async () => {
  const { page, dispatch } = makePage()
  const shown = () => {
    page.parsed.length = 0
    page.turboNative.pageInvalidated()
    return page.parsed.map(({ text }) => text)
  }
  const submit = async (text) => {
    dispatch("turbo:submit-start", form, submission)
    dispatch("turbo:before-fetch-response", form, response(422, async () => text))
    await turn()
  }
  await submit("first")
  assert.deepEqual(shown(), ["first"])
  dispatch("turbo:render", page.document)
  assert.deepEqual(shown(), [])
  await submit("second")
  dispatch("turbo:frame-render", form)
  assert.deepEqual(shown(), [])
})
