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
  return `curl ${location.origin}/rpc -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" `
    + `-d ${shellQuoted(body)}`
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
 * A record as a step of a flow (docs/test.md). JSON is YAML as well.
 *
 * @param {any} record
 * @returns {string | null}
 */
export function flowStep(record) {
  switch (record.kind) {
    case "message": return `- expect message: ${JSON.stringify(expectation(record))}`
    case "evaluate": return `- evaluate: ${JSON.stringify(record.source)}`
    case "request": return `- expect requests: ${JSON.stringify({ url: record.requestURL, method: record.method, status: record.status })}`
    case "problem": return `- expect no problem: ${JSON.stringify({ code: record.code })}`
    default: return null
  }
}

/** The message in the words of `expect message`. */
function expectation(record) {
  const { component, event } = record.body ?? {}
  if (component && event) return { component, event }
  const { name, ...match } = record.body ?? {}
  const fits = record.body !== null && typeof record.body === "object" && !Array.isArray(record.body)
  return { handler: record.handler, name: record.name, match: fits && Object.keys(match).length ? match : undefined }
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
    case "request": return `try await app.expectRequests(to: ${swiftQuoted(record.requestURL)}, count: 1)`
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
