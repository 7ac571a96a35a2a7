import { typedSource } from "./evaluation.js"

/** How many records the inspector keeps. Older ones stay in the daemon's log. */
export const maximumRecords = 100_000

/**
 * The latest records of the daemon, with links between those that belong together: a message and its reply, an
 * evaluation and its result, a request and the visit that caused it.
 */
export class Records extends EventTarget {
  /** @type {Map<number, any>} By record number, in order. */
  #records = new Map()
  /** @type {Map<string, number[]>} Record numbers by what they are about. */
  #groups = new Map()

  get size() { return this.#records.size }

  /** The number of the latest record; 0 if there is none. */
  latest = 0

  /** All records of a kind, in order. */
  all(kind) { return [...this.#records.values()].filter((record) => record.kind === kind) }

  /** @param {number} number */
  get(number) { return this.#records.get(number) }

  /** @param {any} record */
  add(record) {
    if (record.record === undefined || this.#records.has(record.record)) return
    this.#records.set(record.record, record)
    this.latest = record.record
    const group = Records.group(record)
    if (group) this.#join(group, record.record)
    for (const cause of [record.about, record.visit]) if (cause !== undefined) this.#join(`caused by ${cause}`, record.record)
    if (this.#records.size > maximumRecords) this.#drop()
    this.dispatchEvent(new CustomEvent("record", { detail: record }))
  }

  clear() {
    this.#records.clear()
    this.#groups.clear()
  }

  /**
   * The other records that belong to a record, oldest first.
   *
   * @param {any} record
   */
  related(record) {
    const group = Records.group(record)
    const numbers = new Set([...(this.#groups.get(group) ?? []), ...(this.#groups.get(`caused by ${record.record}`) ?? [])])
    for (const number of [record.about, record.visit]) if (number !== undefined) numbers.add(number)
    numbers.delete(record.record)
    return [...numbers].sort((a, b) => a - b).map((number) => this.get(number)).filter(Boolean)
  }

  /** What a record is about: one message of a page or one evaluation. Numbers count anew in each page. */
  static group(record) {
    const page = record.page ?? record.webView ?? ""
    if (record.kind === "message" || record.kind === "reply") {
      return record.seq === undefined ? null : `message ${page} ${record.seq}`
    }
    if (["evaluate", "callAsync", "result"].includes(record.kind)) {
      return record.id === undefined ? null : `evaluation ${page} ${record.id}`
    }
    return null
  }

  #join(group, number) {
    const numbers = this.#groups.get(group)
    if (numbers) numbers.push(number)
    else this.#groups.set(group, [number])
  }

  #drop() {
    const [number, record] = this.#records.entries().next().value
    this.#records.delete(number)
    for (const group of [Records.group(record), `caused by ${record.about}`, `caused by ${record.visit}`]) {
      const numbers = this.#groups.get(group)
      // The oldest record of all is the first of its groups.
      if (numbers?.[0] === number) numbers.shift()
      if (!numbers?.length) this.#groups.delete(group)
    }
  }
}

/**
 * Describes a record in one line, as `bridged tail` does.
 *
 * @param {any} record
 */
export function summary(record) {
  const json = (value) => (value === undefined ? "" : preview(value))
  switch (record.kind) {
    case "message": return `${record.name ?? ""} ${json(record.body)}`.trim()
    case "reply": return record.error === undefined ? json(record.value) : `✗ ${text(record.error)}`
    case "evaluate": return cut(record.source ?? "")
    case "callAsync": return typedSource(record) !== null ? cut(typedSource(record)) : `${cut(record.body ?? "")} ${json(record.arguments)}`
    case "result": return record.error === undefined ? json(record.value) : `✗ ${text(record.error)}`
    case "console": return `${record.level}: ${cut(record.text ?? "")}`
    case "page": return `${record.event} ${record.url ?? ""}`
    case "request": return `${record.method} ${record.requestURL} ${record.status ?? record.failure ?? ""}`
    case "app": return `${record.event} ${record.cause ?? record.location ?? record.url ?? record.text ?? ""}`.trim()
    case "problem": return `${record.code}: ${record.text}`
    case "step": return record.text
    case "gap": return `${record.count} records are missing: this tab was too slow.`
    default: return record.kind
  }
}

/** The class of a record: `good`, `bad` or `quiet`; of a step in a recording, `step` or `failed`. */
export function tone(record) {
  if (record.kind === "step") return record.failed ? "failed" : "step"
  if (record.kind === "problem" || record.kind === "gap" || record.error !== undefined || record.failure) return "bad"
  const outcome = record.verdict?.outcome
  if (["rejected", "timedOut", "pageGone", "dropped"].includes(outcome)) return "bad"
  if (record.kind === "console" && record.level === "error") return "bad"
  if (outcome) return "good"
  return "quiet"
}

/** The beginning of a value as JSON. A payload may have megabytes, and a line shows little of it. */
function preview(value) {
  let rest = 200
  return cut(JSON.stringify(value, (_, part) => {
    if (rest-- <= 0) return undefined
    if (typeof part === "string") return part.slice(0, 401)
    if (Array.isArray(part)) return part.slice(0, 200)
    if (part === null || typeof part !== "object") return part
    const first = {}
    let count = 0
    for (const key in part) {
      if (count++ === 200) break
      Object.defineProperty(first, key, { value: part[key], enumerable: true })
    }
    return first
  }) ?? "")
}

const cut = (line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line)
const text = (error) => (typeof error === "string" ? error : (error.message ?? JSON.stringify(error)))

/**
 * Whether a record is a request for an image, a style or a font. WebKit says only the type of the response, and Chromium
 * calls the page's icon "other".
 */
export function isAsset(record) {
  if (record.kind !== "request") return false
  if (record.type && record.type !== "other") return ["image", "stylesheet", "font"].includes(record.type)
  return /^(image|font)\/|^text\/css$/.test(record.mimeType ?? "")
    || /\.(png|jpe?g|gif|webp|avif|svg|ico|css|woff2?|ttf|otf)([?#]|$)/i.test(record.requestURL ?? "")
}

/** When the request of a record began, and how long it took, in milliseconds. A record comes when its request has ended. */
export function timing(record) {
  const duration = record.durationMs ?? 0
  return { start: Date.parse(record.time) - duration, duration }
}

/**
 * Whether a record begins another page: a visit of the app or, without an app, a document.
 *
 * @param {any} record
 * @param {boolean} hasApp Whether an app is emulated.
 */
export function isNavigation(record, hasApp) {
  return hasApp ? record.kind === "app" && record.event === "visit" : record.kind === "page" && record.event === "attached"
}
