import { button, element } from "./dom.js"

const pageSize = 100
/** How much of a text is shown at first. Browsers lay out some megabytes of text in seconds. */
const maximumText = 5000

/**
 * Shows a JSON value as a tree that opens level by level.
 *
 * @param {unknown} value
 * @param {Record<string, string>} [types] The types that JSON cannot express, by JSON Pointer (docs/protocol.md).
 * @param {string} [key]
 * @param {string} [pointer]
 * @param {boolean} [isOpen]
 * @returns {HTMLElement}
 */
export function tree(value, types = {}, key = "", pointer = "", isOpen = true) {
  const type = types[pointer] ?? nameOfType(value)
  if (value === null || typeof value !== "object") return leaf(value, type, key)
  const entries = Object.entries(value)
  const branch = element("details", { class: "branch" },
    element("summary", {}, label(key), element("span", { class: "type" }, `${type}, ${entries.length}`)))
  let isFilled = false
  const fill = () => {
    if (isFilled || !branch.open) return
    isFilled = true
    branch.append(children(entries, types, pointer))
  }
  branch.addEventListener("toggle", fill)
  branch.open = isOpen
  fill()
  return branch
}

/**
 * Shows the description of a value that JSON cannot express, such as a DOM node (evaluation.js).
 *
 * @param {{text: string, type: string, members?: [string, any][], more?: number}} value
 * @param {string} [key]
 * @param {boolean} [isOpen]
 * @returns {HTMLElement}
 */
export function shown({ text, type, members = [], more = 0 }, key = "", isOpen = true) {
  const parts = [label(key), longText("span", text, { class: `value ${type === "string" ? "string" : ""}` }), element("span", { class: "type" }, type)]
  if (!members.length) return element("div", { class: "leaf" }, ...parts)
  const list = element("div", { class: "children" }, ...members.map(([name, member]) => shown(member, name, false)))
  if (more) list.append(element("div", { class: "empty" }, `and ${more} more`))
  return element("details", { class: "branch", open: isOpen }, element("summary", {}, ...parts), list)
}

/** The children of an object or array. A long one shows a page of them, and a button for more. */
function children(entries, types, pointer) {
  const list = element("div", { class: "children" })
  const show = (from) => {
    for (const [name, child] of entries.slice(from, from + pageSize)) {
      list.append(tree(child, types, name, `${pointer}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`, false))
    }
    const rest = entries.length - from - pageSize
    if (rest <= 0) return
    const more = button(`${rest} more`, () => {
      show(from + pageSize)
      more.nextElementSibling.querySelector("summary")?.focus()
      more.remove()
    })
    list.append(more)
  }
  show(0)
  return list
}

function leaf(value, type, key) {
  const shown = type === "undefined" ? "undefined" : typeof value === "string" ? JSON.stringify(value) : String(value)
  // The class says what the value is in JSON: the name of its type is the page's, which must not choose styles.
  return element("div", { class: "leaf" },
    label(key), longText("span", shown, { class: `value ${nameOfType(value)}` }), element("span", { class: "type" }, type))
}

/**
 * Makes an element with a text. A long text is cut, with a button that shows the rest.
 *
 * @param {string} tag
 * @param {string} text
 * @param {Record<string, unknown>} [properties]
 */
export function longText(tag, text, properties = {}) {
  const made = element(tag, properties, text.slice(0, maximumText))
  if (text.length > maximumText) {
    made.append(button(`… ${text.length - maximumText} more characters`, () => made.replaceChildren(text)))
  }
  return made
}

const label = (key) => (key === "" ? null : element("span", { class: "key" }, key))

function nameOfType(value) {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
