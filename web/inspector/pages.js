import { button, element, field } from "./dom.js"

/** The panel of pages, handlers, stubs and faults. */
export class PagesPanel {
  #control
  #error = element("p", { class: "error", role: "alert", hidden: true })

  /**
   * @param {import("./control.js").Control} control
   * @param {HTMLElement} panel
   */
  constructor(control, panel) {
    this.#control = control
    this.pages = table("Pages", ["page", "web view", "title", "URL", "engine", ""])
    this.handlers = table("Handlers", ["handler", "web view", "messages", "replies", "stubs"])
    this.faults = table("Faults", ["fault", "url", "kind", "times", ""])
    panel.append(this.#error, this.pages, this.handlers, this.#stubForm(), this.faults, this.#faultForm())
  }

  /** Asks the daemon for everything that the panel shows. */
  async update() {
    await this.#attempt(async () => {
      const [{ pages }, { handlers }, { faults }] = await Promise.all(
        ["pages.list", "handlers.list", "faults.list"].map((method) => this.#control.call(method)))
      fill(this.pages, pages.map((page) => this.#pageRow(page)), "No page is attached.")
      fill(this.handlers, handlers.map((handler) => this.#handlerRow(handler)), "No handler is registered.")
      fill(this.faults, faults.map((fault) => this.#faultRow(fault)), "No fault is set.")
      return null
    })
  }

  #pageRow(page) {
    const reload = () => this.#change("page.navigate", { page: page.page, reload: true })
    return [page.attached ? page.page : `${page.page} (away)`, page.webView, page.title, page.frame.url,
      page.engine ?? "attached by its script tag", page.attached ? button("Reload", reload) : ""]
  }

  #handlerRow(handler) {
    const stubs = handler.stubs.map((stub) => element("span", { class: "chip" }, describeStub(stub),
      button("Remove", () => this.#change("handlers.unstub", { stub: stub.stub ?? stub.id }), { "aria-label": `Remove ${stub.stub ?? stub.id}` })))
    return [handler.handler, handler.webView ?? "all", String(handler.messages), handler.replies ? "yes" : "no",
      stubs.length ? element("span", {}, ...stubs) : ""]
  }

  #faultRow(fault) {
    const id = fault.fault ?? fault.id
    return [id, fault.url, fault.kind, fault.times === undefined ? "always" : String(fault.times),
      button("Remove", () => this.#change("faults.remove", { fault: id }))]
  }

  #stubForm() {
    const handler = element("input", { required: true, autocomplete: "off" })
    const kind = element("select", {}, ...["value", "error", "echo", "none"].map((name) => element("option", {}, name)))
    const value = element("input", { value: "null", autocomplete: "off", spellcheck: "false" })
    const submit = () => this.#change("handlers.stub", { handler: handler.value, reply: replyOf(kind.value, value.value) })
    return form("Add a stub", submit, field("Handler", handler), field("Reply", kind), field("Value as JSON, or the error", value))
  }

  #faultForm() {
    const url = element("input", { required: true, placeholder: "/posts*", autocomplete: "off" })
    const kinds = ["offline", "slow", "status", "cut", "missing"]
    const kind = element("select", {}, ...kinds.map((name) => element("option", {}, name)))
    const status = element("input", { type: "number", min: "100", max: "599", value: "503" })
    const times = element("input", { type: "number", min: "1" })
    const submit = () => this.#change("faults.add", {
      url: url.value, kind: kind.value, ...(kind.value === "status" ? { status: Number(status.value) } : {}),
      ...(times.value ? { times: Number(times.value) } : {}),
    })
    return form("Add a fault", submit, field("URL", url), field("Kind", kind), field("Status", status), field("Times", times))
  }

  #change(method, params) {
    return this.#attempt(async () => {
      await this.#control.call(method, params)
      await this.update()
    })
  }

  async #attempt(work) {
    try {
      await work()
      this.#error.hidden = true
    } catch (error) {
      this.#error.textContent = error.message
      this.#error.hidden = false
    }
  }
}

function replyOf(kind, text) {
  switch (kind) {
    case "value": return { value: JSON.parse(text) }
    case "error": return { error: text }
    case "echo": return { echo: true }
    default: return { none: true }
  }
}

function describeStub(stub) {
  return `${JSON.stringify(stub.reply ?? {})} ${stub.match === undefined ? "" : JSON.stringify(stub.match)} `
}

function table(title, columns) {
  return element("table", {},
    element("caption", {}, title),
    element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody"))
}

function fill(table, rows, empty) {
  const width = table.tHead.rows[0].cells.length
  table.tBodies[0].replaceChildren(...rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)))))
  if (!rows.length) table.tBodies[0].append(element("tr", {}, element("td", { colspan: width, class: "empty" }, empty)))
}

function form(title, submit, ...fields) {
  const onsubmit = (event) => {
    event.preventDefault()
    submit()
  }
  return element("form", { class: "inline", onsubmit }, ...fields, element("button", { type: "submit" }, title))
}
