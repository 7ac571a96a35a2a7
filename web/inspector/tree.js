import { button, element } from "./dom.js"

const pageSize = 100

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
      more.remove()
      show(from + pageSize)
    })
    list.append(more)
  }
  show(0)
  return list
}

function leaf(value, type, key) {
  const shown = type === "undefined" ? "undefined" : typeof value === "string" ? JSON.stringify(value) : String(value)
  return element("div", { class: "leaf" },
    label(key), element("span", { class: `value ${type}` }, shown), element("span", { class: "type" }, type))
}

const label = (key) => (key === "" ? null : element("span", { class: "key" }, key))

function nameOfType(value) {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
