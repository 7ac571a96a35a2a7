import { detail } from "./detail.js"
import { pathOf } from "./device.js"
import { element, toggle } from "./dom.js"
import { isAsset, tone } from "./records.js"
import { VirtualList } from "./virtual-list.js"
import { bar, Waterfall } from "./waterfall.js"

const columns = ["begin", "method", "URL", "result", "type", "ms", "waterfall"]

/** The requests of the pages, with the time line of each load. Only a browser that bridged drives reports them. */
export class RequestsPanel {
  #waterfall = new Waterfall()
  /** Requests that are not in the list as long as nobody asks for them. */
  #all = []

  /**
   * @param {import("./control.js").Control} control
   * @param {import("./records.js").Records} records
   * @param {HTMLElement} panel
   * @param {(number: number) => void} select Shows a record in the traffic panel.
   */
  constructor(control, records, panel, select) {
    this.list = new VirtualList("Requests", fillRow, ({ record }) =>
      this.detail.replaceChildren(detail(record, records, control, select)))
    this.list.element.id = "request-list"
    this.assets = toggle("Images, styles, fonts", () => this.#showAll())
    this.detail = element("div", { class: "detail", role: "region", "aria-label": "Request", tabindex: "0" })
    const heads = element("div", { class: "row heads request", "aria-hidden": "true" }, ...columns.map((name) => element("span", {}, name)))
    panel.append(
      element("div", { class: "toolbar" }, this.assets.element),
      element("div", { class: "split" }, element("div", { class: "headed" }, heads, this.list.element), this.detail))
    this.restart()
  }

  restart() {
    this.#all = []
    this.#showAll()
    this.detail.replaceChildren(element("p", { class: "empty" }, "Select a request to see all that is known of it."))
  }

  /** @param {any} record */
  add(record) {
    if (record.kind !== "request") return
    this.#all.push(record)
    this.#add(record)
  }

  #showAll() {
    this.list.clear()
    this.#waterfall.clear()
    for (const record of this.#all) this.#add(record)
  }

  #add(record) {
    if (isAsset(record) && !this.assets.isOn) return
    const { row, index } = this.#waterfall.add(record)
    this.list.insert(index, row)
    this.list.dropFirst(this.#waterfall.drop())
    // The time line of the other rows of its load may be longer now.
    this.list.refill()
  }
}

/** Fills a row of the list. Its parts are made once, and then get other texts. */
function fillRow(row, item) {
  if (!row.firstChild) {
    row.classList.add("request")
    row.append(...columns.slice(0, -1).map((name) => element("span", { class: name })),
      element("span", { class: "track", "aria-hidden": "true" }, element("span")))
  }
  const { record, start, group } = item
  const [begin, method, url, result, type, milliseconds, track] = row.children
  row.dataset.tone = record.failure || record.status >= 400 ? "bad" : tone(record)
  begin.textContent = Number.isNaN(start) ? "" : new Date(start).toISOString().slice(11, 23)
  method.textContent = record.method ?? ""
  url.textContent = pathOf(record.requestURL ?? "")
  url.title = record.requestURL ?? ""
  result.textContent = String(record.failure ?? record.status ?? "")
  type.textContent = record.type ?? record.mimeType ?? ""
  milliseconds.textContent = record.durationMs === undefined ? "" : String(Math.round(record.durationMs))
  track.title = `begins ${Math.round(start - group.start)} ms after the first request of this load`
  const { left, width } = bar(item)
  track.firstChild.style.marginLeft = `${left * 100}%`
  track.firstChild.style.width = `${width * 100}%`
  row.classList.toggle("first", group.rows[0] === item)
}
