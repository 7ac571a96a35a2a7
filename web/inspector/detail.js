import { button, element } from "./dom.js"
import { summary, tone } from "./records.js"
import { replay } from "./replay.js"
import { curl, flowStep, stubStep, swiftTest } from "./snippets.js"
import { longText, tree } from "./tree.js"

const payloads = ["body", "arguments", "value", "error", "effects", "main", "modal"]
const texts = ["source", "text", "stack", "hint"]
const shownElsewhere = new Set([...payloads, ...texts, "types", "verdict", "record", "kind"])

/**
 * Shows one record: its payload, its verdict, what belongs to it, and what one can do with it.
 *
 * @param {any} record
 * @param {import("./records.js").Records} records
 * @param {import("./control.js").Control} control
 * @param {(number: number) => void} select
 * @returns {HTMLElement}
 */
export function detail(record, records, control, select) {
  return element("article", { "data-tone": tone(record) },
    element("h2", {}, `${record.kind} ${record.record ?? ""}`),
    verdict(record.verdict),
    ...payloads.filter((key) => record[key] !== undefined).map((key) => payload(record, key)),
    ...texts.filter((key) => record[key]).map((key) => section(key, longText("pre", String(record[key])))),
    related(record, records, select),
    section("fields", fields(record)),
    actions(record, records, control))
}

function verdict(verdict) {
  if (!verdict) return null
  const rows = Object.entries(verdict).map(([key, value]) => fact(key, value))
  return section("verdict", element("dl", { class: "facts" }, ...rows))
}

function payload(record, key) {
  const value = record[key]
  const isScript = key === "body" && record.kind === "callAsync"
  return section(key, isScript ? longText("pre", String(value)) : tree(value, record.types))
}

function fields(record) {
  const rows = Object.entries(record).filter(([key]) => !shownElsewhere.has(key)).map(([key, value]) => fact(key, value))
  return element("dl", { class: "facts" }, ...rows)
}

function fact(key, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return element("div", {}, element("dt", {}, key), longText("dd", text))
}

function section(title, content) {
  return element("section", {}, element("h3", {}, title), content)
}

function related(record, records, select) {
  const others = records.related(record)
  if (!others.length) return null
  const links = others.map((other) => element("li", {},
    button(`${other.kind} ${other.record}`, () => select(other.record), { class: "link" }),
    " ", element("code", {}, summary(other)), elapsed(record, other)))
  return section("belongs to it", element("ul", { class: "related" }, ...links))
}

/** The time between two records. */
function elapsed(record, other) {
  const milliseconds = Date.parse(other.time) - Date.parse(record.time)
  return Number.isFinite(milliseconds)
    ? element("span", { class: "type" }, ` ${milliseconds >= 0 ? "+" : ""}${milliseconds} ms`) : null
}

function actions(record, records, control) {
  const reply = records.related(record).find(({ kind }) => kind === "reply")
  const stub = (record) => stubStep(record, reply)
  const snippets = [
    ...(control.isLive ? [["Copy as curl", curl]] : []), ["Copy as flow step", flowStep], ["Copy as stub", stub], ["Copy as Swift", swiftTest],
  ]
  const copies = snippets.filter(([, snippet]) => snippet({ ...record, body: null }) !== null)
    .map(([title, snippet]) => copyButton(title, () => snippet(record)))
  return element("div", { class: "actions" },
    record.kind === "message" && control.isLive ? replay(record, control) : null,
    element("div", { class: "buttons" }, copyButton("Copy JSON", () => JSON.stringify(record, null, 2)), ...copies))
}

/** A text is made only if the user wants it: that of a large payload takes time. */
function copyButton(title, makeText) {
  const made = button(title, async () => {
    const text = makeText()
    try {
      await navigator.clipboard.writeText(text)
      made.textContent = "Copied"
    } catch {
      // Browsers refuse the clipboard to pages that are not secure, such as those of another machine over http.
      made.replaceWith(element("textarea", { readonly: true, "aria-label": title, rows: "6" }, text))
    }
    setTimeout(() => { made.textContent = title }, 1500)
  })
  return made
}
