// The terms of the filter language (docs/log.md). The daemon interprets filters; this only completes them.
const values = {
  dir: ["toNative", "toWeb"],
  kind: ["message", "reply", "evaluate", "callAsync", "result", "console", "page", "request", "app", "problem", "gap"],
  verdict: ["handled", "replied", "rejected", "timedOut", "pageGone", "dropped", "awaitingReply", "observed"],
  handler: [], name: [], page: [], "web-view": [], reason: [], text: [],
}

const valuesOf = (key) => (Object.hasOwn(values, key) ? values[key] : [])

/**
 * Completes the last term of a filter.
 *
 * @param {string} filter
 * @returns {string[]} Whole filters.
 */
export function completions(filter) {
  const start = filter.lastIndexOf(" ") + 1
  const term = filter.slice(start)
  const sign = term.startsWith("-") ? "-" : ""
  const [key, given] = term.slice(sign.length).split(":")
  const terms = given === undefined
    ? Object.keys(values).filter((name) => name.startsWith(key)).map((name) => `${name}:`)
    : valuesOf(key).filter((value) => value.startsWith(given)).map((value) => `${key}:${value}`)
  return terms.map((completed) => filter.slice(0, start) + sign + completed)
}

/** A filter with quotation marks around addresses, in which the scheme is no field. */
export const withQuotedAddresses = (filter) => filter.replace(/(?<=^|\s)(-?)([a-z]+:\/\/[^\s"]*)/g, '$1"$2"')

/**
 * A filter while somebody types it: it leaves out a last term that is not finished, such as `kind:mes`, and closes a
 * quotation.
 *
 * @param {string} filter
 */
export function finished(filter) {
  const quotationMarks = filter.replace(/\\./g, "").match(/"/g)?.length ?? 0
  if (quotationMarks % 2) return `${filter}"`
  const term = filter.match(/\S*$/)[0]
  const [, key, given] = term.match(/^-?([^\s:"]*):(.*)$/) ?? []
  const last = given?.split(",").at(-1)
  const isOpen = term === "-" || term.endsWith(",") || last === ""
    || (valuesOf(key).length > 0 && last !== undefined && !valuesOf(key).includes(last))
  return (isOpen ? filter.slice(0, filter.length - term.length) : filter).trim()
}
