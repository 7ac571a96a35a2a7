import { timing } from "./records.js"

/** A pause after which requests are no longer part of the same load, in milliseconds. */
const pause = 1000
const maximumRows = 5000

/**
 * Requests in the order in which they began. Those of one load are a group with a time line of its own: a group begins
 * with the request of another visit, or after a second without requests.
 */
export class Waterfall {
  /** @type {{start: number, end: number, visit?: number, rows: {record: any, start: number, duration: number, group: any}[]}[]} */
  #groups = []

  /**
   * @param {any} record A record of a request, which comes when the request has ended.
   * @returns {{row: any, index: number}} The row, and its place among all rows.
   */
  add(record) {
    const { start, duration } = timing(record)
    const group = this.#group(record, start, start + duration)
    const row = { record, start, duration, group }
    const later = group.rows.findIndex((other) => other.start > start)
    const place = later < 0 ? group.rows.length : later
    group.rows.splice(place, 0, row)
    group.start = Math.min(group.start, start)
    group.end = Math.max(group.end, start + duration)
    group.visit ??= record.visit
    const before = this.#groups.slice(0, this.#groups.indexOf(group)).reduce((count, { rows }) => count + rows.length, 0)
    return { row, index: before + place }
  }

  /** The latest load that a request can belong to: rather one that has begun before it than one that has begun since. */
  #group({ visit }, start, end) {
    const fits = (group) => (visit ?? group.visit) === (group.visit ?? visit) && start <= group.end + pause && end >= group.start - pause
    const group = this.#groups.findLast((group) => group.start <= start && fits(group)) ?? this.#groups.findLast(fits)
    if (group) return group
    const made = { start, end, visit, rows: [] }
    this.#groups.splice(this.#groups.findLastIndex((group) => group.start <= start) + 1, 0, made)
    return made
  }

  clear() { this.#groups = [] }

  /** Forgets the oldest loads if there are too many rows, and returns how many rows they had. */
  drop() {
    let count = this.#groups.reduce((count, { rows }) => count + rows.length, 0)
    let dropped = 0
    while (count - dropped > maximumRows && this.#groups.length > 1) dropped += this.#groups.shift().rows.length
    return dropped
  }
}

/** Where the bar of a row is in the time line of its group: parts of its length. */
export function bar({ start, duration, group }) {
  const length = Math.max(1, group.end - group.start)
  return { left: (start - group.start) / length, width: duration / length }
}
