// The terms of the filter language (docs/log.md). The daemon interprets filters; this only completes them.
const values = {
  dir: ["toNative", "toWeb"],
  kind: ["message", "reply", "evaluate", "callAsync", "result", "console", "page", "request", "app", "problem", "gap"],
  verdict: ["handled", "replied", "rejected", "timedOut", "pageGone", "dropped", "awaitingReply"],
  handler: [], name: [], page: [], "web-view": [], reason: [], text: [],
}

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
    : (Object.hasOwn(values, key) ? values[key] : []).filter((value) => value.startsWith(given)).map((value) => `${key}:${value}`)
  return terms.map((completed) => filter.slice(0, start) + sign + completed)
}
