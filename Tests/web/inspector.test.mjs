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
