import { button, element } from "./dom.js"

/**
 * The parts of components that are declared instead of written in Swift (docs/write-a-component.md), as `app.state` shows them.
 *
 * @typedef {{ title?: string, message?: string, items: string[] }} Choice
 * @typedef {{ title?: string, icon?: string, side: string, isEnabled: boolean }} BarButton
 * @typedef {{ barButtons?: BarButton[], alert?: Choice, menu?: Choice, picker?: Choice, choose?: Choice,
 *   textField?: { placeholder?: string, text: string } }} Parts
 * @typedef {(action: string, parameters?: Record<string, string>) => void} Perform
 */

/**
 * The buttons on one side of the bar.
 *
 * @param {"left" | "right"} side
 * @param {Record<string, Parts>} components
 * @param {Perform} perform
 * @param {(symbol: string | undefined, label: string, onclick: () => void) => HTMLButtonElement} make
 */
export function declaredButtons(side, components, perform, make) {
  return Object.entries(components).flatMap(([name, parts]) =>
    (Array.isArray(parts.barButtons) ? parts.barButtons : []).filter((item) => item.side === side).map((item) => {
      const made = make(item.icon, item.title ?? item.icon ?? name, () => perform(`${name}.tap`, { button: side }))
      made.disabled = !item.isEnabled
      return made
    }))
}

/**
 * The text fields of the bar.
 *
 * @param {Record<string, Parts>} components
 * @param {Perform} perform
 */
export function declaredFields(components, perform) {
  return Object.entries(components).filter(([, parts]) => parts.textField).map(([name, { textField }]) =>
    element("input", {
      class: "search", "aria-label": textField.placeholder ?? name, placeholder: textField.placeholder ?? "",
      value: textField.text, onchange: (event) => perform(`${name}.type`, { text: event.target.value }),
    }))
}

/**
 * The alerts, menus and pickers over the screen, and the responses that a tester chooses from.
 *
 * @param {Record<string, Parts>} components
 * @param {Perform} perform
 */
export function declaredOverlays(components, perform) {
  return Object.entries(components).flatMap(([name, parts]) =>
    [parts.alert, parts.menu, parts.picker, parts.choose].filter((part) => Array.isArray(part?.items)).map((part) => {
      const title = part.title ?? name
      return element("div", { class: "sheet", role: "dialog", "aria-label": title },
        element("p", { class: "quiet" }, title), part.message ? element("p", {}, part.message) : null,
        // Titles may repeat, so numbers say which item is meant.
        ...part.items.map((item, index) => button(item, () => perform(`${name}.choose`, { item: String(index + 1) }))),
        button("Cancel", () => perform(`${name}.dismiss`), { class: "cancel" }))
    }))
}
