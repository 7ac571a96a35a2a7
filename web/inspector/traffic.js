import { detail } from "./detail.js"
import { afterPause, button, element, oncePerFrame, save, toggle } from "./dom.js"
import { isCompletion } from "./evaluation.js"
import { completions, finished, withQuotedAddresses } from "./filter.js"
import { isAsset, isNavigation, maximumRecords, Records, summary, tone } from "./records.js"
import { cassette } from "./snippets.js"
import { VirtualList } from "./virtual-list.js"

const columns = ["time", "page", "", "kind", "handler", "content", "outcome"]

/** The traffic panel: the records that fit a filter, and the one that is selected. */
export class TrafficPanel {
  #control
  #records
  #subscription = null
  /** The filter of the subscription. */
  #filter = ""
  /** The number of the first record to show: the others were cleared. */
  #first = 0
  /** The evaluations with which the console completes names (`Records.group`). */
  #completed = new Set()
  #hasApp = false
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
    const apply = afterPause(150, () => this.#apply(finished(this.filter.value)))
    this.filter = element("input", {
      type: "search", "aria-label": "Filter", list: "filter-terms", autocomplete: "off", spellcheck: "false",
      placeholder: "Filter: any word, or  kind:message -name:ActionButton",
      oninput: () => {
        this.#complete()
        apply()
      },
      onchange: () => this.#apply(this.filter.value.trim()),
    })
    this.terms = element("datalist", { id: "filter-terms" })
    this.error = element("p", { class: "error", role: "alert", hidden: true })
    this.pause = button("Pause", () => this.#togglePause(), { "aria-pressed": "false" })
    this.assets = toggle("Images, styles, fonts", () => this.#subscribe())
    this.clears = toggle("Clear on navigation", () => {})
    this.detail = element("div", { class: "detail", role: "region", "aria-label": "Record", tabindex: "0" })
    const live = control.isLive ? [this.clears.element, this.pause, button("Clear", () => this.#clearAll()), this.#exports()] : []
    const heads = element("div", { class: "row heads", "aria-hidden": "true" }, ...columns.map((name) => element("span", {}, name)))
    panel.append(
      element("div", { class: "toolbar" }, this.filter, this.terms, this.assets.element, ...live), this.error,
      element("div", { class: "split" }, element("div", { class: "headed" }, heads, this.list.element), this.detail))
    if (control.isLive) records.addEventListener("record", ({ detail }) => this.#navigated(detail))
    this.#showNothing()
    this.#subscribe()
  }

  /** Shows a record, and selects it in the list if the filter does not hide it. */
  select(number) {
    if (this.list.selectFirst((record) => record.record === number)) return
    this.#show(this.#records.get(number))
  }

  /** Shows the records of another moment of a recording. */
  restart() { this.#subscribe() }

  #apply(typed) {
    const filter = withQuotedAddresses(typed)
    if (filter === this.#filter) return
    this.#filter = filter
    this.#subscribe()
  }

  #subscribe() {
    this.#subscription?.cancel()
    this.list.clear()
    this.#waiting = []
    this.#showWaiting()
    this.#report(null)
    const [after, filter] = [Math.max(0, this.#first - 1), this.#filter]
    this.#subscription = this.#control.subscribe(
      filter ? { after, filter } : { after }, (record) => this.#add(this.#records.get(record.record) ?? record), (error) => this.#report(error))
  }

  #add(record) {
    if (record.record < this.#first || this.#isHidden(record)) return
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

  /** Whether a record is about what nobody has asked for: the names that the console completes, and images and so on. */
  #isHidden(record) {
    if (isCompletion(record)) this.#completed.add(Records.group(record))
    return this.#completed.has(Records.group(record)) || (isAsset(record) && !this.assets.isOn)
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused
    this.pause.setAttribute("aria-pressed", String(this.#isPaused))
    this.pause.textContent = this.#isPaused ? "Continue" : "Pause"
    if (this.#isPaused) return
    for (const record of this.#waiting.splice(0)) this.#add(record)
  }

  #navigated(record) {
    this.#hasApp ||= record.kind === "app" && record.by !== "tool"
    if (this.clears.isOn && !this.#isPaused && isNavigation(record, this.#hasApp)) this.#clear(record.record)
  }

  #clearAll() {
    this.#clear(this.#records.latest + 1)
    this.#showNothing()
  }

  /** Removes the records before one. The filter does not bring them back. */
  #clear(first) {
    this.#first = first
    this.list.dropWhile((record) => record.record < first)
    this.#waiting = this.#waiting.filter((record) => record.record >= first)
    this.#showWaiting()
  }

  #exports() {
    const query = (format) => ({ format, after: String(Math.max(0, this.#first - 1)), ...(this.#filter ? { filter: this.#filter } : {}) })
    const files = {
      HAR: ["traffic.har", () => this.#control.traffic(query("har"))],
      NDJSON: ["traffic.ndjson", () => this.#control.traffic(query("ndjson"))],
      Cassette: ["cassette.yml", async () => new Blob([cassette(this.#records)], { type: "application/yaml" })],
    }
    const buttons = Object.entries(files).map(([title, [name, make]]) => button(title, async () => {
      try {
        save(await make(), name)
        this.#report(null)
      } catch (error) {
        this.#report(error)
      }
    }, { "aria-label": `Export as ${title}` }))
    return element("div", { class: "toolbar", role: "group", "aria-label": "Export" }, "Export", ...buttons)
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
