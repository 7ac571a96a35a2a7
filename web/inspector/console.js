import { CompletionList } from "./completion.js"
import { element, oncePerFrame } from "./dom.js"
import { bodies, namesBody } from "./evaluation.js"
import { longText, shown, tree } from "./tree.js"

const maximumEntries = 1000

/** The console: evaluates in a web view, and shows what pages print, throw and get wrong. */
export class ConsolePanel {
  #control
  /** @type {string[]} */
  #history = []
  #position = 0
  /** Entries that the next frame shows, so that the browser lays out once for all of them. */
  #waiting = []
  #isAtEnd = true
  #hasChosen = false
  #show = oncePerFrame(() => this.#showWaiting())

  /**
   * @param {import("./control.js").Control} control
   * @param {HTMLElement} panel
   */
  constructor(control, panel) {
    this.#control = control
    this.output = element("div", {
      class: "output", role: "log", "aria-label": "Console", "aria-live": "off", tabindex: "0", onscroll: () => this.#scrolled(),
    })
    new ResizeObserver(this.#show).observe(this.output)
    // A screen reader says the result of a script, but not all that pages print.
    this.status = element("p", { role: "status", class: "unseen" })
    this.webView = element("select", { "aria-label": "Web view", onchange: () => { this.#hasChosen = true } }, element("option", {}, "main"))
    this.world = element("input", { "aria-label": "Content world", placeholder: "world", size: "10" })
    this.input = element("textarea", {
      "aria-label": "Script", rows: "2", spellcheck: "false", placeholder: "A script. Enter runs it, Shift-Enter adds a line.",
      onkeydown: (event) => this.#keyDown(event),
    })
    panel.append(this.output, this.status)
    if (!control.isLive) return
    this.names = new CompletionList(this.input, (path) => this.#names(path))
    panel.append(this.names.element, element("div", { class: "prompt" }, this.webView, this.world, this.input))
  }

  /**
   * Offers the web views. Until the user chooses one, sources run in the visible one.
   *
   * @param {string[]} names
   * @param {string} visible
   */
  showWebViews(names, visible) {
    // While something is typed the web view stays, and one that was chosen even if its page has closed: a script must not
    // run elsewhere unnoticed.
    const chosen = this.#hasChosen || this.input.value || !names.includes(visible) ? this.webView.value : visible
    names = [...new Set([...names, chosen])]
    if (names.join() !== [...this.webView.options].map((option) => option.value).join()) {
      this.webView.replaceChildren(...names.map((name) => element("option", {}, name)))
    }
    if (this.webView.value === chosen) return
    this.webView.value = chosen
    this.names?.close()
  }

  /** @param {any} record */
  add(record) {
    if (record.kind === "console") this.#print(record.level === "error" ? "bad" : "", line(record.text), place(record))
    if (record.kind === "problem") this.#print("bad", line(`${record.code}: ${record.text}`), line(record.hint ?? ""))
  }

  restart() {
    this.#waiting = []
    this.output.replaceChildren()
  }

  #keyDown(event) {
    if (this.names.keyDown(event)) return
    const { value, selectionStart } = this.input
    const isOnFirstLine = !value.slice(0, selectionStart).includes("\n")
    const isOnLastLine = !value.slice(selectionStart).includes("\n")
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      this.#evaluate()
    } else if (event.key === "ArrowUp" && isOnFirstLine) this.#recall(event, -1)
    else if (event.key === "ArrowDown" && isOnLastLine) this.#recall(event, 1)
  }

  #recall(event, step) {
    const position = this.#position + step
    if (position < 0 || position > this.#history.length) return
    event.preventDefault()
    this.#position = position
    this.input.value = this.#history[position] ?? ""
  }

  async #evaluate() {
    const source = this.input.value
    if (!source.trim()) return
    if (this.#history.at(-1) !== source) this.#history.push(source)
    this.#position = this.#history.length
    this.input.value = ""
    this.names.close()
    this.#print("source", line(source))
    try {
      this.#printResult(await this.#run(source))
    } catch (error) {
      this.#print("bad", line(error.message), error.hint ? line(error.hint) : null)
      this.status.textContent = error.message
    }
  }

  /** The web view and the world in which sources run. */
  get #place() {
    const world = this.world.value.trim()
    return { webView: this.webView.value, ...(world ? { world } : {}) }
  }

  /** Runs a source as the first of its forms that parses. */
  async #run(source) {
    for (const body of bodies(source)) {
      try {
        return await this.#control.call("script.callAsync", { body, arguments: { typed: source }, ...this.#place })
      } catch (error) {
        if (!/SyntaxError/.test(error.message)) throw error
      }
    }
    const { value = null, types = {} } = await this.#control.call("script.evaluate", { source, ...this.#place })
    const moved = Object.entries(types).map(([pointer, type]) => [`/value${pointer}`, type])
    return { value: { value }, types: Object.fromEntries(moved) }
  }

  #printResult({ value: result, types }) {
    if (result.error !== undefined) {
      this.#print("bad", line(result.error))
      this.status.textContent = result.error
      return
    }
    const made = result.shown ? shown(result.shown, "result") : tree(result.value ?? null, types, "result", "/value")
    this.#print("", made)
    this.status.textContent = made.textContent.slice(0, 500)
  }

  async #names(path) {
    const { value } = await this.#control.call("script.callAsync", { body: namesBody, arguments: { path }, timeoutMs: 2000, ...this.#place })
    return value
  }

  #print(tone, ...content) {
    this.#waiting.push(element("div", { class: "entry", "data-tone": tone }, ...content))
    if (this.#waiting.length > maximumEntries) this.#waiting.shift()
    this.#show()
  }

  #showWaiting() {
    this.output.append(...this.#waiting.splice(0))
    while (this.output.childElementCount > maximumEntries) this.output.firstChild.remove()
    if (this.#isAtEnd) this.output.scrollTop = this.output.scrollHeight
  }

  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.output
    this.#isAtEnd = scrollTop + clientHeight >= scrollHeight - 30
  }
}

const line = (text) => longText("pre", String(text))

function place(record) {
  return record.sourceURL ? element("span", { class: "type" }, `${record.sourceURL}:${record.line ?? ""}`) : null
}
