import { afterPause, element } from "./dom.js"
import { nameAtEnd } from "./evaluation.js"

const maximumNames = 50

/**
 * The names that can complete what stands before the caret of a field. They appear while the user types: Tab takes the
 * first one or the chosen one, Down and Up choose, Enter takes a chosen one, and Escape closes the list.
 */
export class CompletionList {
  #input
  #ask
  /** @type {Map<string, Promise<string[]>>} The names of members by the path of their object, until a source has run. */
  #known = new Map()
  #chosen = -1
  /** @type {string[]} */
  #names = []
  #prefix = ""

  /**
   * @param {HTMLTextAreaElement} input
   * @param {(path: string[]) => Promise<string[]>} ask Returns the names of an object's members.
   */
  constructor(input, ask) {
    this.#input = input
    this.#ask = ask
    this.element = element("ul", { class: "names", id: "console-names", role: "listbox", "aria-label": "Names", hidden: true })
    input.setAttribute("aria-autocomplete", "list")
    input.setAttribute("aria-controls", this.element.id)
    input.addEventListener("input", afterPause(100, () => this.#update()))
    input.addEventListener("blur", () => this.#hide())
  }

  /** Closes the list, and forgets the names: what runs may make others. */
  close() {
    this.#known.clear()
    this.#hide()
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} Whether the key was for the list.
   */
  keyDown(event) {
    if (this.element.hidden || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false
    const isChosen = this.#chosen >= 0
    if (event.key === "ArrowDown") this.#choose(Math.min(this.#chosen + 1, this.#names.length - 1))
    else if (event.key === "ArrowUp" && isChosen) this.#choose(this.#chosen - 1)
    else if (event.key === "Tab" || (event.key === "Enter" && isChosen)) this.#take(this.#names[Math.max(0, this.#chosen)])
    else if (event.key === "Escape") this.#hide()
    else return false
    event.preventDefault()
    return true
  }

  async #update() {
    const text = this.#input.value.slice(0, this.#input.selectionEnd)
    const name = nameAtEnd(text)
    if (!name || !text || document.activeElement !== this.#input) return this.#hide()
    const key = name.path.join(".")
    if (!this.#known.has(key)) this.#known.set(key, this.#ask(name.path).catch(() => []))
    const names = await this.#known.get(key)
    if (text !== this.#input.value.slice(0, this.#input.selectionEnd)) return
    this.#show(names.filter((other) => other.startsWith(name.prefix) && other !== name.prefix), name.prefix)
  }

  #show(names, prefix) {
    this.#names = names.slice(0, maximumNames)
    this.#prefix = prefix
    this.element.replaceChildren(...this.#names.map((name, index) => element("li", {
      role: "option", id: `console-name-${index}`,
      // The field keeps the focus.
      onmousedown: (event) => {
        event.preventDefault()
        this.#take(name)
      },
    }, name)))
    this.element.hidden = !this.#names.length
    this.#choose(-1)
  }

  #choose(index) {
    this.#chosen = index
    ;[...this.element.children].forEach((option, other) => option.setAttribute("aria-selected", String(other === index)))
    const option = this.element.children[index]
    option?.scrollIntoView({ block: "nearest" })
    if (option) this.#input.setAttribute("aria-activedescendant", option.id)
    else this.#input.removeAttribute("aria-activedescendant")
  }

  #take(name) {
    const end = this.#input.selectionEnd
    this.#input.setRangeText(name.slice(this.#prefix.length), end, end, "end")
    this.#hide()
  }

  #hide() {
    this.element.hidden = true
    this.#choose(-1)
  }
}
