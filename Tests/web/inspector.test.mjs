// The parts of the inspector that need no page. InspectorTests.swift tests the page itself.
import assert from "node:assert/strict"
import { test } from "node:test"
import { bodies, isCompletion, nameAtEnd, namesBody, typedSource } from "../../web/inspector/evaluation.js"
import { completions, finished, withQuotedAddresses } from "../../web/inspector/filter.js"
import { byName } from "../../web/inspector/pages.js"
import { isAsset, isNavigation, maximumRecords, Records, summary, tone } from "../../web/inspector/records.js"
import { cassette, curl, flowStep, stubStep, swiftTest } from "../../web/inspector/snippets.js"
import { bar, Waterfall } from "../../web/inspector/waterfall.js"

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
  globalThis.sessionStorage = { getItem: () => "cafe" }
  assert.ok(curl(message).includes("-H 'Authorization: Bearer cafe' "))
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

test("leaves out what is not finished while a filter is typed", () => {
  const cases = {
    "Posts": "Posts", "kind:": "", "kind:mes": "", "kind:message": "kind:message", "kind:message,": "", "-": "", "-kind:mess": "",
    "Posts kind:mess": "Posts", "name:Sa": "name:Sa", "kind:message,re": "", "\"two wo": "\"two wo\"", "text:\"say \\\"": "text:\"say \\\"\"",
    "hander:x": "hander:x", "": "",
  }
  for (const [typed, filter] of Object.entries(cases)) assert.equal(finished(typed), filter, typed)
  assert.equal(withQuotedAddresses("-http://a/b?c,d kind:request"), "-\"http://a/b?c,d\" kind:request")
})

test("knows requests for images, styles and fonts, also of WebKit", () => {
  for (const type of ["image", "stylesheet", "font"]) assert.ok(isAsset({ kind: "request", type }))
  for (const mimeType of ["image/png", "font/woff2", "text/css"]) assert.ok(isAsset({ kind: "request", mimeType }))
  assert.ok(!isAsset({ kind: "request", type: "document", mimeType: "image/png" }))
  assert.ok(!isAsset({ kind: "request", mimeType: "text/html" }))
  assert.ok(isAsset({ kind: "request", mimeType: "text/html", requestURL: "http://a/missing.png?1" }))
  assert.ok(isAsset({ kind: "request", type: "other", requestURL: "http://a/favicon.ico" }))
  assert.ok(!isAsset({ kind: "message" }))
})

test("takes visits for navigations, or documents if there is no app", () => {
  const [visit, attached] = [{ kind: "app", event: "visit" }, { kind: "page", event: "attached" }]
  assert.ok(isNavigation(visit, true) && !isNavigation(attached, true) && isNavigation(attached, false))
})

test("copies a step that matches in the next run, too", () => {
  const body = {
    name: "Save", id: "a", postId: 7, createdAt: "yesterday", count: 3, when: 1795168800000, seconds: 12.34567, title: "Tea",
    token: "[redacted string, 7 characters]", uuid: "x", link: "http://localhost:3000/a", path: "/posts/42", list: [{ id: 1, title: "x" }],
    mixed: [1, "2026-11-20T10:00:00Z"], only: { id: 1 }, empty: {}, session: "x", key: "sk_4eC39HqLyjWDarjtT1zdp7dc0",
  }
  assert.equal(flowStep({ kind: "message", handler: "nativeApp", name: "Save", body }),
    '- expect message: {"handler":"nativeApp","name":"Save","match":{"count":3,"title":"Tea","list":[{"title":"x"}],"empty":{}}}')
  const request = (requestURL, url) => flowStep({ kind: "request", requestURL, url, method: "GET", status: 200 })
  assert.equal(request("http://localhost:3000/posts/42/edit?page=2&at=1795168800000"),
    '- expect requests: {"url":"/posts/*/edit?page=2&at=*","method":"GET","status":200}')
  assert.equal(request("https://cdn.example/a.js", "https://app.example/"),
    '- expect requests: {"url":"https://cdn.example/a.js","method":"GET","status":200}')
  assert.equal(request("https://app.example/a", "https://app.example/"), '- expect requests: {"url":"/a","method":"GET","status":200}')
})

test("copies a message and its reply as a stub", () => {
  const asked = { kind: "message", handler: "contacts", body: { name: "All", id: "a" }, verdict: { outcome: "awaitingReply" } }
  assert.equal(stubStep(asked), null)
  assert.equal(stubStep(asked, { value: ["Zoe"] }), '- stub: {"handler":"contacts","match":{"name":"All"},"reply":{"value":["Zoe"]}}')
  assert.equal(stubStep(asked, { error: { message: "No." } }), '- stub: {"handler":"contacts","match":{"name":"All"},"reply":{"error":"No."}}')
  const told = { ...asked, body: 1, verdict: { outcome: "handled" } }
  assert.equal(stubStep(told), '- stub: {"handler":"contacts","match":1,"reply":{"none":true}}')
  assert.equal(stubStep({ ...told, verdict: { outcome: "dropped" } }), null)
  assert.equal(stubStep({ kind: "console" }), null)
})

test("exports all replies as stubs, the latest of equal messages", () => {
  const records = new Records()
  const ask = (seq, body, value) => {
    records.add({ record: 2 * seq, kind: "message", page: "p1", handler: "contacts", seq, body })
    records.add({ record: 2 * seq + 1, kind: "reply", page: "p1", handler: "contacts", seq, value })
  }
  ask(1, { name: "All" }, [])
  ask(2, { name: "One", id: 1 }, "Zoe")
  ask(3, { name: "All" }, ["Zoe"])
  assert.equal(cassette(records), `name: What native code replied
steps:
  - stub: {"handler":"contacts","match":{"name":"One"},"reply":{"value":"Zoe"}}
  - stub: {"handler":"contacts","match":{"name":"All"},"reply":{"value":["Zoe"]}}
`)
  assert.equal(cassette(new Records()), "name: What native code replied\nsteps: []\n")
})

test("draws each load's requests on a time line of its own", () => {
  const waterfall = new Waterfall()
  const add = (end, durationMs, visit) => waterfall.add({ time: new Date(end).toISOString(), durationMs, visit })
  const page = add(100, 100, 1)
  assert.equal(page.index, 0)
  assert.equal(add(400, 100).index, 1)
  // It ended later, but began earlier.
  const script = add(500, 400)
  assert.equal(script.index, 1)
  assert.deepEqual(bar(script.row), { left: 0.2, width: 0.8 })
  // Another visit, and a request of the visit before that ends only now.
  assert.equal(add(700, 100, 2).index, 3)
  assert.equal(add(800, 450).index, 3)
  assert.deepEqual(bar(page.row), { left: 0, width: 0.125 })
  // After a pause. The scripts of a document can end before the document, which belongs to another visit.
  const late = add(9000, 100)
  assert.equal(late.index, 5)
  assert.equal(add(9100, 300, 3).index, 5)
  assert.deepEqual(bar(late.row), { left: 1 / 3, width: 1 / 3 })
})

test("shows one row for each handler", () => {
  const stub = { stub: "s1" }
  assert.deepEqual(byName([
    { handler: "a", messages: 2, replies: true, stubs: [stub] }, { handler: "a", webView: "modal", messages: 2, replies: true, stubs: [stub] },
    { handler: "b", webView: "modal", messages: 0, replies: false, stubs: [] },
  ]), [
    { handler: "a", webViews: ["all", "modal"], messages: 2, replies: true, stubs: [stub] },
    { handler: "b", webViews: ["modal"], messages: 0, replies: false, stubs: [] },
  ])
})

/** Runs a source as the console does: the first body that parses. */
async function evaluated(source) {
  const AsyncFunction = (async () => {}).constructor
  for (const body of bodies(source)) {
    let made
    try { made = new AsyncFunction("typed", body) } catch { continue }
    return made(source)
  }
  return "a script"
}

test("runs expressions and statements with await in the console", async () => {
  const cases = {
    "6 * 7": 42, "({ a: [1] })": { a: [1] }, "await 3;": 3, "const x1 = await 5; x1 + 1": 6, "x1": 5,
    "const { y1, z1 } = await Promise.resolve({ y1: 1, z1: 2 })\ny1 + z1": 3, "let [a1] = [await 9]\na1": 9, "if (await true) { q1 = 9 }": undefined,
    "q1": 9, "f1 = async () => { await 1; return 2 }; await f1()": 2, "await 1 // a; b": 1, "const t1 = `a; ${await 'b'}`; t1": "a; b",
  }
  for (const [source, value] of Object.entries(cases)) assert.deepEqual(await evaluated(source), { value }, source)
  for (const source of ["function f() {}", "async function f() { await 1 }", "class A {}", "for (;false;) {}", "throw 1", "let a = 1"]) {
    assert.equal(await evaluated(source), "a script", source)
  }
  assert.deepEqual(await evaluated("(() => { throw new TypeError('no') })()"), { error: "TypeError: no" })
  assert.deepEqual(await evaluated("JSON.parse('{')").then(({ error }) => error.slice(0, 11)), "SyntaxError")
})

test("shows what JSON cannot express", async () => {
  const { shown } = await evaluated("new Map([['a', { b: [1] }]])")
  assert.equal(shown.type, "Map")
  assert.deepEqual(shown.members[0][1].members[0][1].members, [["0", { text: "1", type: "number" }]])
  assert.equal((await evaluated("x => x + 1")).shown.text, "x => x + 1")
  assert.equal((await evaluated("new URL('http://a/b')")).shown.members.find(([name]) => name === "pathname")[1].text, '"/b"')
  assert.equal((await evaluated("Promise.resolve(1)")).shown.type, "Promise")
  assert.equal((await evaluated("const o1 = await {}; o1.self = o1; o1.f = () => 1; o1")).shown.members[0][1].type, "Object")
  assert.equal((await evaluated("Array.from({ length: 300 }, () => Symbol('s'))")).shown.more, 200)
})

test("completes names and dots only", () => {
  assert.deepEqual(nameAtEnd("1 + document.ti"), { path: ["document"], prefix: "ti" })
  assert.deepEqual(nameAtEnd("f(window.a?.b."), { path: ["window", "a", "b"], prefix: "" })
  assert.deepEqual(nameAtEnd("docu"), { path: [], prefix: "docu" })
  for (const text of ["", "f().", "1.", "a[0].", "x + ", "a..b"]) assert.equal(nameAtEnd(text), null, text)
  const names = new Function("path", namesBody)(["Math"])
  assert.ok(names.includes("max") && names.includes("hasOwnProperty"))
  assert.ok(isCompletion({ kind: "callAsync", body: namesBody }) && !isCompletion({ kind: "callAsync", body: "return 1" }))
})

test("shows what was typed in the console in place of what runs", () => {
  const record = { kind: "callAsync", body: bodies("6 * 7")[0], arguments: { typed: "6 * 7" } }
  assert.equal(summary(record), "6 * 7")
  assert.equal(flowStep(record), '- evaluate: "6 * 7"')
  assert.equal(typedSource({ kind: "callAsync", body: "return 1" }), null)
})
