import { detail } from "./detail.js"
import { button, element, oncePerFrame } from "./dom.js"
import { completions } from "./filter.js"
import { maximumRecords, summary, tone } from "./records.js"
import { VirtualList } from "./virtual-list.js"

/** The traffic panel: the records that fit a filter, and the one that is selected. */
export class TrafficPanel {
  #control
  #records
  #subscription = null
  #isPaused = false
  #showWaiting = oncePerFrame(() => {
    this.pause.textContent = this.#isPaused ? `Continue (${this.#waiting.length})` : "Pause"
  })
  /** Records that came while the list was paused. */
  #waiting = []

  /**
   * @param {import("./control.js").Control} control
   * @param {import("./records.js").Records} records
   * @param {HTMLElement} panel
   */
  constructor(control, records, panel) {
    this.#control = control
    this.#records = records
    this.list = new VirtualList("Records", fillRow, (record) => this.#show(record))
    this.list.element.id = "records"
    this.filter = element("input", {
      type: "search", "aria-label": "Filter", list: "filter-terms", autocomplete: "off", spellcheck: "false",
      placeholder: "Filter, such as  kind:message -name:ActionButton", oninput: () => this.#complete(),
      onchange: () => this.#subscribe(),
    })
    this.terms = element("datalist", { id: "filter-terms" })
    this.error = element("p", { class: "error", role: "alert", hidden: true })
    this.pause = button("Pause", () => this.#togglePause(), { "aria-pressed": "false" })
    this.detail = element("div", { class: "detail", role: "region", "aria-label": "Record", tabindex: "0" })
    const live = control.isLive ? [this.pause, button("Clear", () => this.#clear())] : []
    panel.append(
      element("div", { class: "toolbar" }, this.filter, this.terms, ...live),
      this.error, element("div", { class: "split" }, this.list.element, this.detail))
    this.#showNothing()
    this.#subscribe(0)
  }

  /** Shows a record, and selects it in the list if the filter does not hide it. */
  select(number) {
    if (this.list.selectFirst((record) => record.record === number)) return
    this.#show(this.#records.get(number))
  }

  /** Shows the records of another moment of a recording. */
  restart() { this.#subscribe(0) }

  #subscribe(after = 0) {
    this.#subscription?.cancel()
    this.list.clear()
    this.#waiting = []
    this.#showWaiting()
    this.#report(null)
    const filter = this.filter.value.trim()
    this.#subscription = this.#control.subscribe(
      filter ? { after, filter } : { after }, (record) => this.#add(this.#records.get(record.record) ?? record), (error) => this.#report(error))
  }

  #add(record) {
    if (this.#isPaused) {
      this.#waiting.push(record)
      if (this.#waiting.length > maximumRecords) this.#waiting.shift()
      this.#showWaiting()
      return
    }
    this.list.append(record)
    // Dropping many at once is cheaper than dropping one with each record.
    if (this.list.length > maximumRecords * 1.1) this.list.dropFirst(this.list.length - maximumRecords)
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused
    this.pause.setAttribute("aria-pressed", String(this.#isPaused))
    this.pause.textContent = this.#isPaused ? "Continue" : "Pause"
    if (this.#isPaused) return
    for (const record of this.#waiting.splice(0)) this.#add(record)
  }

  #clear() {
    this.list.clear()
    this.#waiting = []
    this.#showWaiting()
    this.#showNothing()
  }

  #complete() {
    this.terms.replaceChildren(...completions(this.filter.value).map((value) => element("option", { value })))
  }

  #show(record) {
    if (!record) return this.#showNothing("This record is no longer kept.")
    this.detail.replaceChildren(detail(record, this.#records, this.#control, (number) => this.select(number)))
  }

  #showNothing(text = "Select a record to see its payload, its verdict and what belongs to it.") {
    this.detail.replaceChildren(element("p", { class: "empty" }, text))
  }

  #report(error) {
    this.error.hidden = !error
    this.error.textContent = error ? `${error.message} ${error.hint ?? ""}` : ""
  }
}

/** Fills a row of the list. Its parts are made once, and then get other texts. */
function fillRow(row, record) {
  if (!row.firstChild) {
    for (const name of ["time", "page", "direction", "kind", "handler", "summary", "outcome"]) {
      row.append(element("span", { class: name }))
    }
  }
  const [time, page, direction, kind, handler, text, outcome] = row.children
  row.dataset.tone = tone(record)
  time.textContent = record.time?.slice(11, 23) ?? ""
  page.textContent = record.page ?? ""
  direction.textContent = record.direction === "toNative" ? "→" : record.direction === "toWeb" ? "←" : ""
  direction.title = record.direction ?? ""
  kind.textContent = record.kind
  handler.textContent = record.handler ?? ""
  text.textContent = summary(record)
  outcome.textContent = record.verdict?.reason ?? record.verdict?.outcome ?? ""
}
