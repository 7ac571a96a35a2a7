// The parts of the inspector that need no page. InspectorTests.swift tests the page itself.
import assert from "node:assert/strict"
import { test } from "node:test"
import { completions } from "../../web/inspector/filter.js"
import { maximumRecords, Records, summary, tone } from "../../web/inspector/records.js"
import { curl, flowStep, swiftTest } from "../../web/inspector/snippets.js"

const message = {
  record: 3, kind: "message", page: "p1", webView: "main", handler: "nativeApp", name: "Save", seq: 1,
  body: { name: "Save", text: "it's \"#quoted\"" }, verdict: { outcome: "awaitingReply" },
}

test("completes the last term of a filter", () => {
  assert.deepEqual(completions("kind:me"), ["kind:message"])
  assert.deepEqual(completions("kind:message -na"), ["kind:message -name:"])
  assert.deepEqual(completions("text:anything"), [])
  assert.deepEqual(completions("constructor:"), [])
})

test("connects a message with its reply, and a request with its visit", () => {
  const records = new Records()
  records.add(message)
  records.add({ record: 4, kind: "reply", page: "p2", seq: 1 })
  records.add({ record: 5, kind: "reply", page: "p1", seq: 1 })
  records.add({ record: 6, kind: "app", event: "visit" })
  records.add({ record: 7, kind: "request", page: "p1", visit: 6 })
  assert.deepEqual(records.related(message).map(({ record }) => record), [5])
  assert.deepEqual(records.related(records.get(7)).map(({ record }) => record), [6])
})

test("keeps the latest records only", () => {
  const records = new Records()
  for (let record = 1; record <= maximumRecords + 10; record++) records.add({ record, kind: "console", page: "p1" })
  assert.equal(records.size, maximumRecords)
  assert.equal(records.get(10), undefined)
  assert.equal(records.get(11).record, 11)
})

test("describes records in a line", () => {
  assert.equal(summary({ kind: "problem", code: "doubleVisit", text: "Two visits." }), "doubleVisit: Two visits.")
  assert.equal(summary({ kind: "result", error: { message: "no" } }), "✗ no")
  assert.ok(summary({ kind: "evaluate", source: "x".repeat(10_000) }).length < 500)
  assert.equal(tone({ kind: "message", verdict: { outcome: "dropped" } }), "bad")
  assert.equal(tone({ kind: "message", verdict: { outcome: "handled" } }), "good")
})

test("copies a message as a step of a flow", () => {
  assert.equal(flowStep(message),
    String.raw`- expect message: {"handler":"nativeApp","name":"Save","match":{"text":"it's \"#quoted\""}}`)
  assert.equal(flowStep({ kind: "message", handler: "bridge", body: { component: "form", event: "connect", id: "1" } }),
    '- expect message: {"component":"form","event":"connect"}')
  assert.equal(flowStep({ kind: "gap", count: 1 }), null)
})

test("quotes for the shell and for Swift", () => {
  globalThis.location = { origin: "http://localhost:2734" }
  assert.ok(curl(message).includes(String.raw`it'\''s \"#quoted\"`))
  assert.equal(curl({ kind: "console" }), null)
  assert.equal(swiftTest({ kind: "evaluate", source: "a(\"#\")" }), "try await app.run(##\"a(\"#\")\"##)")
  assert.equal(swiftTest(message), '_ = try await app.nextRecord(TrafficFilter(parsing: #"kind:message handler:nativeApp name:Save"#))')
})

test("connects a visit with its requests, and a record with the problem about it", () => {
  const records = new Records()
  records.add({ record: 1, kind: "app", event: "visit" })
  records.add({ record: 2, kind: "request", page: "p1", visit: 1 })
  records.add({ record: 3, kind: "problem", about: 2 })
  assert.deepEqual(records.related(records.get(1)).map(({ record }) => record), [2])
  assert.deepEqual(records.related(records.get(2)).map(({ record }) => record), [1, 3])
})

test("connects no messages that have no number", () => {
  const records = new Records()
  for (const record of [1, 2]) records.add({ record, kind: "message", page: "p1" })
  assert.deepEqual(records.related(records.get(1)), [])
})

test("describes the beginning of a large payload", () => {
  const body = { text: "x".repeat(1e6), list: Array.from({ length: 1e5 }, (_, index) => ({ index })), ["__proto__"]: 1 }
  assert.ok(summary({ kind: "message", body }).length < 500)
  assert.equal(summary({ kind: "reply", value: { a: [1, { b: null }], ["__proto__"]: "x" } }), '{"a":[1,{"b":null}],"__proto__":"x"}')
  const deep = JSON.parse(`${"[".repeat(1000)}1${"]".repeat(1000)}`)
  assert.ok(summary({ kind: "reply", value: deep }).length < 500)
})

/** The text of a page could run as Swift in the test of whoever copies it. */
test("lets a page's text do nothing in Swift", () => {
  const evaluate = (source) => swiftTest({ kind: "evaluate", source })
  assert.equal(evaluate('\\#(exit(1))'), 'try await app.run(##"\\#(exit(1))"##)')
  assert.equal(evaluate('\\##(exit(1))"###'), 'try await app.run(####"\\##(exit(1))"###"####)')
  assert.equal(evaluate('a\r\\(exit(1))"\n\u202e'), 'try await app.run("a\\u{d}\\\\(exit(1))\\"\\n\\u{202e}")')
  assert.equal(evaluate(undefined), 'try await app.run(#""#)')
  assert.equal(swiftTest({ kind: "message", handler: "my handler" }),
    '_ = try await app.nextRecord(TrafficFilter(parsing: #"kind:message handler:"my handler""#))')
})
