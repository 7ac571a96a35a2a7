// The parts of a trace that need no page. TraceTests.swift tests the page itself.
import assert from "node:assert/strict"
import { test } from "node:test"
import { parseFilter } from "../../web/trace/filter.js"
import { Recording } from "../../web/trace/recording.js"

const message = {
  record: 1, time: "2026-11-20T10:00:00Z", page: "p1", webView: "main", url: "http://localhost/customers",
  direction: "toNative", kind: "message", handler: "nativeApp", name: "ActionButton", seq: 1,
  body: { title: "Say \"Hi\" to Zoë, please" }, verdict: { outcome: "dropped", reason: "undecodable" },
}

// The same cases as in TrafficFilterTests.swift.
test("filters as the daemon does", () => {
  const cases = [
    ["", true], ["dir:toNative", true], ["dir:toWeb", false], ["-dir:toWeb", true], ["direction:toNative", true],
    ["handler:nativeApp name:ActionButton page:p1 web-view:main", true], ["page:p2", false],
    ["handler:nativeApp -name:ActionButton", false], ["kind:message,reply", true], ["kind:reply,result", false],
    ["-kind:reply,result", true], ["verdict:dropped", true], ["verdict:dropped reason:undecodable", true],
    ["reason:noHandler", false], ["text:customers", true], ["text:CUSTOMERS", true], ["text:nowhere", false],
    [String.raw`text:"say \"hi\" to"`, true], ["text:\"Zoë, please\"", true], ["text:one,customers", true],
    ["-text:nowhere", true], ["name:\"ActionButton\"", true], ["  dir:toNative   ", true],
    ["CUSTOMERS", true], ["nowhere", false], ["-nowhere", true], ["action undecodable", true], ["action no", false],
    ["nowhere,zoë", true], ["\"zoë, please\" dir:toNative", true], ["-\"zoë, please\"", false],
  ]
  for (const [filter, expected] of cases) assert.equal(parseFilter(filter)(message), expected, filter)
  assert.ok(parseFilter("-handler:nativeApp")({ kind: "page" }))
  assert.ok(parseFilter("reason:doubleVisit")({ kind: "problem", code: "doubleVisit" }))
})

test("says what is wrong with a filter", () => {
  for (const filter of ["page:", "dir:toNative -", "text:\"open", "kind:message,"]) {
    assert.throws(() => parseFilter(filter), /is no term: write a word, or field:value/, filter)
  }
  for (const filter of ["hander:x", "constructor:x"]) assert.throws(() => parseFilter(filter), /There is no field/)
})

const trace = {
  steps: [
    { number: 1, text: "open /", time: "2026-11-20T10:00:00Z", milliseconds: 5 },
    { number: 2, text: "tap a", time: "2026-11-20T10:00:01Z", milliseconds: 5 },
    { number: 3, text: "tap b" },
  ],
  moments: [{ record: 0 }, { record: 2 }, { record: 3 }],
  records: [{ record: 1, kind: "page" }, { record: 2, kind: "message" }, { record: 3, kind: "message" }],
  failure: { step: 2 },
}

const shown = (recording, filter) => {
  const found = []
  recording.subscribe({ filter }, (record) => found.push(record.record ?? record.text), (error) => found.push(error.message))
  return found
}

test("begins with the last moment, and shows the records until the chosen one", () => {
  const recording = new Recording(trace)
  assert.equal(recording.moment, 2)
  assert.deepEqual(shown(recording), ["1. open /", 1, 2, "2. tap a", 3])
  assert.deepEqual(shown(recording, "kind:message"), ["1. open /", 2, "2. tap a", 3])
  recording.moment = 1
  assert.deepEqual(shown(recording), ["1. open /", 1, 2])
  recording.moment = 0
  assert.deepEqual(shown(recording), [])
  assert.match(shown(recording, "x:")[0], /no term/)
})

test("marks the step that failed", () => {
  assert.deepEqual(new Recording(trace).records().filter(({ kind }) => kind === "step").map(({ failed }) => failed), [false, true])
})

test("shows a run without records or moments", () => {
  const recording = new Recording({ steps: [], moments: [], records: [] })
  assert.deepEqual(shown(recording), [])
  assert.equal(recording.shown.state, null)
})
