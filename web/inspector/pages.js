import { button, element, field } from "./dom.js"

/** The panel of pages, handlers, stubs and faults. */
export class PagesPanel {
  #control
  #refusal = emptyAlert()
  #failedUpdate = emptyAlert()

  /**
   * @param {import("./control.js").Control} control
   * @param {HTMLElement} panel
   */
  constructor(control, panel) {
    this.#control = control
    this.pages = table("Pages", ["page", "web view", "title", "URL", "engine", ""])
    this.handlers = table("Handlers", ["handler", "web view", "messages", "replies", "stubs"])
    this.faults = table("Faults", ["fault", "url", "kind", "times", ""])
    panel.append(this.#refusal, this.#failedUpdate, this.pages, this.handlers, this.#stubForm(), this.faults, this.#faultForm())
  }

  /** Asks the daemon for everything that the panel shows. The reason why a form was refused stays in sight. */
  update() {
    return attempt(this.#failedUpdate, async () => {
      const [{ pages }, { handlers }, { faults }] = await Promise.all(
        ["pages.list", "handlers.list", "faults.list"].map((method) => this.#control.call(method)))
      fill(this.pages, pages.map((page) => this.#pageRow(page)), "No page is attached.")
      fill(this.handlers, byName(handlers).map((handler) => this.#handlerRow(handler)), "No handler is registered.")
      fill(this.faults, faults.map((fault) => this.#faultRow(fault)), "No fault is set.")
    })
  }

  #pageRow(page) {
    const reload = () => this.#change("page.navigate", () => ({ page: page.page, reload: true }))
    return [page.attached ? page.page : `${page.page} (away)`, page.webView, page.title, page.frame.url,
      page.engine ?? "attached by its script tag", page.attached ? control(page.page, () => button("Reload", reload, { "aria-label": `Reload ${page.page}` })) : ""]
  }

  #handlerRow(handler) {
    const chip = (stub) => element("span", { class: "chip" }, describeStub(stub), button(
      "Remove", () => this.#change("handlers.unstub", () => ({ stub: stub.stub })), { "aria-label": `Remove ${stub.stub}` }))
    return [handler.handler, handler.webViews.join(", "), String(handler.messages), handler.replies ? "yes" : "no",
      control(JSON.stringify(handler.stubs), () => element("span", {}, ...handler.stubs.map(chip)))]
  }

  #faultRow(fault) {
    const id = fault.fault
    const remove = () => this.#change("faults.remove", () => ({ fault: id }))
    return [id, fault.url, fault.kind, fault.times === undefined ? "always" : String(fault.times),
      control(id, () => button("Remove", remove, { "aria-label": `Remove ${id}` }))]
  }

  #stubForm() {
    const handler = element("input", { required: true, autocomplete: "off" })
    const kind = element("select", {}, ...["value", "error", "echo", "none"].map((name) => element("option", {}, name)))
    const value = element("input", { value: "null", autocomplete: "off", spellcheck: "false" })
    const match = element("input", { autocomplete: "off", spellcheck: "false", placeholder: '{"name": "Save"}' })
    const delay = element("input", { type: "number", min: "0" })
    const submit = () => this.#change("handlers.stub", () => ({
      handler: handler.value, reply: replyOf(kind.value, value.value),
      ...(match.value.trim() ? { match: parse(match.value, "The part of the body") } : {}),
      ...(delay.value ? { delayMs: Number(delay.value) } : {}),
    }))
    return form("Add a stub", submit, field("Handler", handler), field("Reply", kind),
      field("Value as JSON, or the error", value), field("If the body has (JSON)", match), field("Delay in ms", delay))
  }

  #faultForm() {
    const url = element("input", { required: true, placeholder: "/posts*", autocomplete: "off" })
    const kinds = ["offline", "slow", "status", "cut", "missing"]
    const kind = element("select", {}, ...kinds.map((name) => element("option", {}, name)))
    const status = element("input", { type: "number", min: "100", max: "599", value: "503" })
    const times = element("input", { type: "number", min: "1" })
    const delay = element("input", { type: "number", min: "0", value: "1000" })
    const submit = () => this.#change("faults.add", () => ({
      url: url.value, kind: kind.value, ...(kind.value === "status" ? { status: Number(status.value) } : {}),
      ...(kind.value === "slow" ? { delayMs: Number(delay.value) } : {}),
      ...(times.value ? { times: Number(times.value) } : {}),
    }))
    const statusField = field("Status", status)
    const delayField = field("Delay in ms", delay)
    const showFields = () => {
      statusField.hidden = kind.value !== "status"
      delayField.hidden = kind.value !== "slow"
    }
    kind.addEventListener("change", showFields)
    showFields()
    return form("Add a fault", submit, field("URL", url), field("Kind", kind), statusField, delayField, field("Times", times))
  }

  /** @param {() => Record<string, unknown>} makeParams It throws if a field has a mistake. */
  #change(method, makeParams) {
    return attempt(this.#refusal, async () => {
      await this.#control.call(method, makeParams())
      await this.update()
    })
  }
}

const emptyAlert = () => element("p", { class: "error", role: "alert", hidden: true })

/** Shows the error of some work, or hides an earlier one. */
async function attempt(alert, work) {
  try {
    await work()
    alert.hidden = true
  } catch (error) {
    alert.textContent = `${error.message} ${error.hint ?? ""}`
    alert.hidden = false
  }
}

/**
 * The handlers with one entry for each name, also if several web views have one of it.
 *
 * @param {any[]} handlers As `handlers.list` returns them.
 */
export function byName(handlers) {
  const entries = new Map()
  for (const { handler, webView = "all", messages, replies, stubs } of handlers) {
    const entry = entries.get(handler) ?? { handler, webViews: [], messages: 0, replies: false, stubs: [] }
    entries.set(handler, entry)
    entry.webViews.push(webView)
    // The daemon counts messages by name, in all web views.
    entry.messages = Math.max(entry.messages, messages)
    entry.replies ||= replies
    for (const stub of stubs) if (!entry.stubs.some((known) => known.stub === stub.stub)) entry.stubs.push(stub)
  }
  return [...entries.values()]
}

function replyOf(kind, text) {
  switch (kind) {
    case "value": return { value: parse(text, "The value") }
    case "error": return { error: text }
    case "echo": return { echo: true }
    default: return { none: true }
  }
}

function parse(text, what) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${what} is not JSON: ${error.message}`)
  }
}

function describeStub(stub) {
  return `${JSON.stringify(stub.reply ?? {})} ${stub.match === undefined ? "" : JSON.stringify(stub.match)} `
}

/** The roles say that it is a table where a narrow window shows each row as a list (panels.css). */
function table(title, columns) {
  const heads = columns.map((name) => element("th", { scope: "col", role: "columnheader" }, name))
  return element("table", { role: "table" },
    element("caption", {}, title),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)),
    element("tbody", { role: "rowgroup" }))
}

function row(table) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent)
  return element("tr", { role: "row" }, ...names.map((name) => element("td", { role: "cell", "data-column": name })))
}

/** A cell with a control. It stays as long as its key, so that a user can press the control while counters change. */
const control = (key, make) => ({ key, make })

function fill(table, rows, empty) {
  const body = table.tBodies[0]
  const width = table.tHead.rows[0].cells.length
  if (!rows.length) {
    return body.replaceChildren(element("tr", { role: "row" }, element("td", { role: "cell", colspan: width, class: "empty" }, empty)))
  }
  body.querySelector(".empty")?.closest("tr").remove()
  while (body.rows.length > rows.length) body.lastElementChild.remove()
  while (body.rows.length < rows.length) body.append(row(table))
  rows.forEach((cells, row) => cells.forEach((cell, column) => fillCell(body.rows[row].cells[column], cell)))
}

function fillCell(cell, content) {
  const key = content.make ? `control ${content.key}` : `text ${content}`
  if (cell.shown === key) return
  cell.shown = key
  cell.replaceChildren(content.make ? content.make() : content)
}

function form(title, submit, ...fields) {
  const onsubmit = (event) => {
    event.preventDefault()
    submit()
  }
  return element("form", { class: "inline", onsubmit }, ...fields, element("button", { type: "submit" }, title))
}
