import { button, element } from "../inspector/dom.js"
import { pathOf } from "../inspector/device.js"
import { tone } from "../inspector/records.js"

const columns = ["time", "method", "URL", "status", "type", "ms"]

/** The requests of the pages until the chosen moment. Only a browser that bridged drives reports them. */
export class RequestsPanel {
  /**
   * @param {HTMLElement} panel
   * @param {(number: number) => void} select Shows a record in the traffic panel.
   */
  constructor(panel, select) {
    this.select = select
    this.rows = element("tbody")
    const titles = columns.map((name) => element("th", { scope: "col" }, name))
    panel.append(element("table", { class: "requests" }, element("thead", {}, element("tr", {}, ...titles)), this.rows))
    this.restart()
  }

  restart() {
    this.rows.replaceChildren(
      element("tr", {}, element("td", { colspan: columns.length, class: "empty" }, "No request was recorded.")))
    this.isEmpty = true
  }

  /** @param {any} record */
  add(record) {
    if (record.kind !== "request") return
    if (this.isEmpty) this.rows.replaceChildren()
    this.isEmpty = false
    const status = record.failure ?? record.status ?? ""
    const cells = [
      button(record.time?.slice(11, 23) ?? "", () => this.select(record.record), { class: "link" }),
      record.method ?? "", element("span", { title: record.requestURL }, pathOf(record.requestURL ?? "")),
      element("span", { class: status >= 400 || record.failure ? "error" : "" }, String(status)),
      record.type ?? "", record.durationMs === undefined ? "" : String(Math.round(record.durationMs)),
    ]
    this.rows.append(element("tr", { "data-tone": tone(record) }, ...cells.map((cell) => element("td", {}, cell))))
  }
}
