// The filter language (docs/log.md) for recordings. A daemon interprets it for the inspector.

const fields = {
  dir: (record) => record.direction, handler: (record) => record.handler, name: (record) => record.name,
  page: (record) => record.page, "web-view": (record) => record.webView, kind: (record) => record.kind,
  verdict: (record) => record.verdict?.outcome,
  reason: (record) => record.verdict?.reason ?? (record.kind === "problem" ? record.code : undefined),
  text: null,
}
const spellings = { direction: "dir", webView: "web-view" }

const value = String.raw`(?:"(?:[^"\\]|\\[^])*"|[^\s,"][^\s,]*)`
// A word without a field is one of the field "text".
const term = new RegExp(String.raw`(-|(?!-))(?:([^\s:"]*):|(?![^\s:"]*:))(${value}(?:,${value})*)(?=\s|$)`, "y")

/**
 * Reads a filter such as `dir:toNative -name:ActionButton "two words"`.
 *
 * @param {string} text
 * @returns {(record: any) => boolean}
 * @throws {Error} with what is wrong with the filter.
 */
export function parseFilter(text) {
  const terms = []
  const end = text.trimEnd().length
  let position = text.length - text.trimStart().length
  while (position < end) {
    term.lastIndex = position
    const match = term.exec(text)
    const rest = text.slice(position, end)
    if (!match) throw new Error(`"${rest}" is no term: write a word, or field:value, such as kind:message or name:"two words".`)
    const [, sign, key = "text", values] = match
    const field = spellings[key] ?? key
    if (!Object.hasOwn(fields, field)) {
      throw new Error(`There is no field "${key}"; there are ${Object.keys(fields).join(", ")}.`)
    }
    terms.push({ field, isNegated: sign === "-", values: values.match(new RegExp(value, "g")).map(unquoted) })
    position = term.lastIndex
    while (position < end && /\s/.test(text[position])) position++
  }
  return (record) => terms.every((term) => matches(term, record) !== term.isNegated)
}

function matches({ field, values }, record) {
  if (field !== "text") return values.includes(fields[field](record))
  // A line has a text as JSON, with its quotation marks escaped.
  const line = JSON.stringify(record).toLowerCase()
  return values.some((value) => line.includes(JSON.stringify(value).slice(1, -1).toLowerCase()))
}

const unquoted = (value) => (value.startsWith("\"") ? value.slice(1, -1).replace(/\\([^])/g, "$1") : value)
