import { element, oncePerFrame } from "./dom.js"

const rowHeight = 26
const overscan = 8

/**
 * A list of any length that has elements only for the rows in sight. All rows are equally high.
 *
 * Up, Down, Home and End move the selection. The list follows its end as long as the user has neither scrolled away nor
 * selected another row than the last.
 */
export class VirtualList {
  #items = []
  #selected = -1
  #follows = true
  /** @type {HTMLElement[]} */
  #rows = []
  #fill
  #onSelect

  /**
   * @param {string} label What a screen reader calls the list.
   * @param {(row: HTMLElement, item: any) => void} fill Fills a row, which may have shown another item before.
   * @param {(item: any) => void} onSelect
   */
  constructor(label, fill, onSelect) {
    this.#fill = fill
    this.#onSelect = onSelect
    this.space = element("div", { class: "space", role: "none" })
    this.element = element("div", {
      class: "list", role: "listbox", tabindex: "0", "aria-label": label,
      onkeydown: (event) => this.#keyDown(event), onscroll: () => this.#scrolled(),
    }, this.space)
    this.update = oncePerFrame(() => this.#render())
    new ResizeObserver(this.update).observe(this.element)
  }

  get length() { return this.#items.length }
  get selected() { return this.#items[this.#selected] }

  /** @param {any} item */
  append(item) { this.insert(this.#items.length, item) }

  /**
   * @param {number} index
   * @param {any} item
   */
  insert(index, item) {
    this.#items.splice(index, 0, item)
    if (index <= this.#selected) this.#selected++
    this.update()
  }

  /** Fills the rows in sight again, because their items have changed. */
  refill() {
    for (const row of this.#rows) row.item = null
    this.update()
  }

  /** @param {(item: any) => boolean} predicate */
  dropWhile(predicate) {
    const count = this.#items.findIndex((item) => !predicate(item))
    this.dropFirst(count < 0 ? this.#items.length : count)
  }

  /** Drops the oldest items. */
  dropFirst(count) {
    this.#items.splice(0, count)
    this.#selected = Math.max(-1, this.#selected - count)
    this.element.scrollTop -= count * rowHeight
    this.update()
  }

  clear() {
    this.#items = []
    this.#selected = -1
    this.#follows = true
    this.update()
  }

  /** @param {(item: any) => boolean} predicate */
  selectFirst(predicate) {
    const index = this.#items.findIndex(predicate)
    if (index >= 0) this.#select(index)
    return index >= 0
  }

  #select(index) {
    this.#selected = Math.min(Math.max(index, 0), this.#items.length - 1)
    if (this.#selected < 0) return
    this.#follows = this.#selected === this.#items.length - 1
    const top = this.#selected * rowHeight
    const { scrollTop, clientHeight } = this.element
    if (top < scrollTop) this.element.scrollTop = top
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight
    this.update()
    this.#onSelect(this.selected)
  }

  #keyDown(event) {
    const page = Math.floor(this.element.clientHeight / rowHeight)
    const targets = {
      ArrowDown: this.#selected + 1, ArrowUp: this.#selected - 1, PageDown: this.#selected + page,
      PageUp: this.#selected - page, Home: 0, End: this.#items.length - 1,
    }
    if (targets[event.key] === undefined) return
    event.preventDefault()
    this.#select(targets[event.key])
  }

  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.element
    this.#follows = scrollTop + clientHeight >= scrollHeight - rowHeight
    this.update()
  }

  #render() {
    const height = this.#items.length * rowHeight
    if (this.space.offsetHeight !== height) this.space.style.height = `${height}px`
    if (this.#follows) this.element.scrollTop = height
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - overscan)
    const count = Math.min(
      Math.ceil(this.element.clientHeight / rowHeight) + 2 * overscan, this.#items.length - first)
    while (this.#rows.length < count) this.#rows.push(this.#makeRow())
    while (this.#rows.length > Math.max(count, 0)) this.#rows.pop().remove()
    this.element.removeAttribute("aria-activedescendant")
    this.#rows.forEach((row, offset) => this.#place(row, first + offset))
  }

  #makeRow() {
    // A list that grows moves its rows between the press and the release of the button, so the press selects. A click
    // without a press is that of a script or of a screen reader.
    const select = () => this.#select(Number(row.dataset.index))
    const row = element("div", {
      class: "row", role: "option", onmousedown: (event) => event.button === 0 && select(),
      onclick: (event) => event.detail === 0 && select(),
    })
    this.space.append(row)
    return row
  }

  #place(row, index) {
    const isSelected = index === this.#selected
    row.style.transform = `translateY(${index * rowHeight}px)`
    row.setAttribute("aria-selected", String(isSelected))
    row.id = isSelected ? `${this.element.id || "list"}-selected` : ""
    if (isSelected) this.element.setAttribute("aria-activedescendant", row.id)
    row.setAttribute("aria-posinset", String(index + 1))
    row.setAttribute("aria-setsize", String(this.#items.length))
    row.dataset.index = String(index)
    const item = this.#items[index]
    if (row.item === item) return
    row.item = item
    this.#fill(row, item)
  }
}
