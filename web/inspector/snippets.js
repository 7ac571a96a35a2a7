import { typedSource } from "./evaluation.js"

/**
 * A record as a call of curl.
 *
 * @param {any} record
 * @returns {string | null} `null` if the record cannot be repeated by a tool.
 */
export function curl(record) {
  const call = callOf(record)
  if (!call) return null
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call })
  const token = shellQuoted(`Authorization: Bearer ${sessionStorage.getItem("token")}`)
  return `curl ${location.origin}/rpc -H ${token} -H "Content-Type: application/json" -d ${shellQuoted(body)}`
}

function callOf(record) {
  const webView = record.webView ?? "main"
  switch (record.kind) {
    case "message": return { method: "message.post", params: { webView, handler: record.handler, body: record.body, types: record.types } }
    case "evaluate": return { method: "script.evaluate", params: { webView, source: record.source } }
    case "callAsync": return { method: "script.callAsync", params: { webView, body: record.body, arguments: record.arguments } }
    default: return null
  }
}

/**
 * A record as a step of a flow (docs/test.md), which also passes in the next run. JSON is YAML as well.
 *
 * @param {any} record
 * @returns {string | null}
 */
export function flowStep(record) {
  switch (record.kind) {
    case "message": return `- expect message: ${JSON.stringify(expectation(record))}`
    case "evaluate": return `- evaluate: ${JSON.stringify(record.source)}`
    case "callAsync": return typedSource(record) === null ? null : `- evaluate: ${JSON.stringify(typedSource(record))}`
    case "request": return `- expect requests: ${JSON.stringify({ url: pattern(record), method: record.method, status: record.status })}`
    case "problem": return `- expect no problem: ${JSON.stringify({ code: record.code })}`
    default: return null
  }
}

/** The message in the words of `expect message`. */
function expectation(record) {
  const { component, event } = record.body ?? {}
  if (component && event) return { component, event }
  const { name, ...match } = isObject(record.body) ? record.body : {}
  return { handler: record.handler, name: record.name, match: emptyAsUndefined(stable(match)) }
}

/**
 * A message with its reply as a step of a flow that answers such messages; without `- ` it is a stub of bridged.yml.
 *
 * @param {any} record
 * @param {any} [reply] The record of the reply.
 * @returns {string | null} `null` if native code did not receive the message, or has not replied yet.
 */
export function stubStep(record, reply) {
  const stub = stubOf(record, reply)
  return stub && `- stub: ${JSON.stringify(stub)}`
}

function stubOf(record, reply) {
  if (record.kind !== "message") return null
  const answer = reply ? (reply.error === undefined ? { value: reply.value ?? null } : { error: errorText(reply.error) })
    : record.verdict?.outcome === "handled" ? { none: true } : null
  return answer && { handler: record.handler, match: emptyAsUndefined(stable(record.body)), reply: answer }
}

const errorText = (error) => (typeof error === "string" ? error : error.message ?? JSON.stringify(error))

/**
 * All replies as a flow of stubs. What native code answered last to a message is its answer.
 *
 * @param {import("./records.js").Records} records
 */
export function cassette(records) {
  const stubs = new Map()
  for (const reply of records.all("reply")) {
    const message = records.related(reply).find(({ kind }) => kind === "message")
    const stub = message && stubOf(message, reply)
    if (!stub) continue
    const key = JSON.stringify([stub.handler, stub.match])
    stubs.delete(key)
    stubs.set(key, `  - stub: ${JSON.stringify(stub)}`)
  }
  return ["name: What native code replied", stubs.size ? "steps:" : "steps: []", ...stubs.values(), ""].join("\n")
}

// MARK: What is the same in each run

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value)
const emptyAsUndefined = (value) => (isObject(value) && !Object.keys(value).length ? undefined : value)

const changingKey = /^(id|uuid|guid|nonce|csrf|token|timestamp|now|seed|session)$|(Id|ID|At|Uuid|UUID|Token|Timestamp)$|_(id|at|uuid|token|timestamp)$/
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i
const changingTexts = [
  uuid, /\d{4}-\d\d-\d\dT\d\d:\d\d/, /^\[redacted /, /^https?:\/\/(localhost|127\.|\[::1\])/, /\/\d+(?=[/?#]|$)/,
  /^(?=.*\d)(?=.*[a-z])[\w+/=-]{24,}$/i,
]

/** Whether a number looks like a time: milliseconds or seconds since 1970, or what `performance.now()` returns. */
const isTime = (number) => (number > 1e9 && number < 1e10) || (number > 1e12 && number < 1e13) || /\.\d{4}/.test(String(number))

/** The part of a value that is the same in each run; `undefined` if nothing of it is. */
function stable(value) {
  if (typeof value === "number") return isTime(value) ? undefined : value
  if (typeof value === "string") return changingTexts.some((text) => text.test(value)) ? undefined : value
  if (Array.isArray(value)) {
    // A match compares arrays element by element, so one that changes leaves out the whole array.
    const items = value.map(stable)
    return items.includes(undefined) ? undefined : items
  }
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([key]) => !changingKey.test(key))
    .map(([key, member]) => [key, stable(member)]).filter(([, member]) => member !== undefined)
  return members.length || !Object.keys(value).length ? Object.fromEntries(members) : undefined
}

/** The URL of a request as a pattern: without the app's own server, and with stars for the ids of records. */
function pattern({ requestURL, url }) {
  let request
  try { request = new URL(requestURL) } catch { return requestURL }
  const own = /^(localhost|127\.|\[::1\])/.test(request.hostname) || (URL.canParse(url) && new URL(url).origin === request.origin)
  const path = request.pathname.split("/").map((part) => (/^\d+$/.test(part) || uuid.test(part) ? "*" : part)).join("/")
  const query = request.search.slice(1).split("&").filter(Boolean).map((pair) => {
    const [key, value = ""] = pair.split("=")
    const changes = changingKey.test(key) || stable(value) === undefined || (/^\d+$/.test(value) && isTime(Number(value)))
    return changes ? `${key}=*` : pair
  })
  return (own ? "" : request.origin) + path + (query.length ? `?${query.join("&")}` : "")
}

/**
 * A record as a line of a Swift test with BridgeTesting.
 *
 * @param {any} record
 * @returns {string | null}
 */
export function swiftTest(record) {
  switch (record.kind) {
    case "message": {
      const filter = ["kind:message", term("handler", record.handler), record.name ? term("name", record.name) : ""].join(" ").trim()
      return `_ = try await app.nextRecord(TrafficFilter(parsing: ${swiftQuoted(filter)}))`
    }
    case "evaluate": return `try await app.run(${swiftQuoted(record.source)})`
    case "request": return `try await app.expectRequests(to: ${swiftQuoted(pattern(record))}, count: 1)`
    default: return null
  }
}

/** A term of the filter language. Quotation marks enclose spaces and commas (docs/log.md). */
const term = (key, value) => `${key}:${/[\s,]/.test(value) ? `"${value}"` : value}`

const shellQuoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A raw string of Swift, with as many number signs as its text needs: quotation marks must not end it, and backslashes
 * must not begin an interpolation, because the text is a page's. Characters that cannot be seen are escaped.
 */
function swiftQuoted(text = "") {
  if (unseen.test(text)) {
    return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replace(new RegExp(unseen, "g"), escaped)}"`
  }
  const marks = [...text.matchAll(/["\\](#*)/g)].map((match) => match[1].length + 1)
  const signs = "#".repeat(Math.max(1, ...marks))
  return text.includes("\n") ? `${signs}"""\n${text}\n"""${signs}` : `${signs}"${text}"${signs}`
}

const unseen = /[\0-\x09\x0b-\x1f\x7f\u2028-\u202e\u2066-\u2069]/
const escaped = (character) => `\\u{${character.codePointAt(0).toString(16)}}`
