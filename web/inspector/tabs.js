import { button } from "./dom.js"

/**
 * Makes the tabs of the panels, and shows the first one. Left, Right, Home and End move between them (WAI-ARIA's tabs pattern).
 *
 * @param {Record<string, string>} titles The title of each panel, by the id of its element.
 * @param {string | null} first
 * @param {(name: string) => void} onSelect
 */
export function makeTabs(titles, first, onSelect = () => {}) {
  const list = document.getElementById("tabs")
  const names = Object.keys(titles)
  const tabs = names.map((name) => button(titles[name], () => select(name), {
    role: "tab", id: `tab-${name}`, "aria-controls": name,
  }))
  const select = (name) => {
    names.forEach((other, index) => {
      tabs[index].setAttribute("aria-selected", String(other === name))
      tabs[index].tabIndex = other === name ? 0 : -1
      document.getElementById(other).hidden = other !== name
    })
    onSelect(name)
  }
  list.addEventListener("keydown", (event) => {
    const current = tabs.indexOf(document.activeElement)
    const target = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: -1 }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const index = (target + tabs.length) % tabs.length
    tabs[index].focus()
    select(names[index])
  })
  list.append(...tabs)
  select(names.includes(first) ? first : names[0])
  return select
}
