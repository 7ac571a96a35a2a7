import { button, element } from "./dom.js"
import { menuItems } from "./device-overlays.js"
import { declaredButtons, declaredFields } from "./device-parts.js"
import { icon } from "./icons.js"

/**
 * The navigation bar of a stack's top screen: back button, title, and the buttons that its page has asked for.
 *
 * @param {"main" | "modal"} name
 * @param {any[]} stack
 * @param {any} state
 * @param {(action: string, parameters?: Record<string, string>) => void} perform
 */
export function bar(name, stack, state, perform) {
  const screen = stack.at(-1)
  const title = screen?.title ?? screen?.native ?? ""
  const components = screen?.components ?? {}
  return element("header", { class: "bar" },
    element("div", { class: "left" }, back(name, stack, perform), sideButton("left", components, perform),
      ...declaredButtons("left", components, perform, symbolButton)),
    element("h2", { title }, title),
    element("div", { class: "right" }, ...rightButtons(name, screen, state, components, perform)),
    search(components, perform), ...declaredFields(components, perform))
}

function back(name, stack, perform) {
  if (stack.length > 1) {
    return symbolButton("chevron.left", "Back", () => perform("back"))
  }
  return name === "modal" ? symbolButton("xmark", "Close", () => perform("dismissModal")) : null
}

function rightButtons(name, screen, state, components, perform) {
  const webView = webViewOf(name, state)
  const actionButton = state.webViews[webView]?.actionButton
  return [
    ...(actionButton ? [symbolButton(actionButton.icon, actionButton.icon || "Action", () => perform("tapActionButton", { webView }))] : []),
    sideButton("right", components, perform),
    ...declaredButtons("right", components, perform, symbolButton),
    components.form?.title ? button(components.form.title ?? "Submit", () => perform("form.submit"), { class: "strong", disabled: components.form.isEnabled === false }) : null,
    components.share?.isSheetUp !== undefined ? symbolButton("square.and.arrow.up", "Share", () => perform("share.tap")) : null,
    barMenu(components.menu, perform),
    components["overflow-menu"]?.label ? symbolButton("ellipsis", components["overflow-menu"].label ?? "More", () => perform("overflow-menu.tap")) : null,
  ]
}

function sideButton(side, components, perform) {
  const item = components.button?.[side]
  if (!item) return null
  return symbolButton(item.image, item.title ?? item.image ?? side, () => perform("button.tap", { side }))
}

/** The button of a menu that the page has put into the bar, with the menu that it opens. */
function barMenu(menu, perform) {
  if (!menu?.items?.length || menu.isOpen) return null
  return element("details", { class: "bar-menu" },
    element("summary", { "aria-label": menu.title ?? "Menu" }, icon("ellipsis")),
    element("div", { class: "sheet" }, ...menuItems(menu, perform)))
}

function search(components, perform) {
  if (components.search?.query === undefined) return null
  return element("input", {
    type: "search", class: "search", "aria-label": "Search", placeholder: components.search.placeholder ?? "Search",
    value: components.search.query ?? "", onchange: (event) => perform("search.type", { query: event.target.value }),
  })
}

/**
 * The web view that shows the top screen of a stack. In a driven browser each tab has its own: those of the second are
 * `main.2` and `modal.2`. A browser with one window shows modals in `main`.
 *
 * @param {"main" | "modal"} name
 * @param {any} state
 */
export function webViewOf(name, state) {
  const suffix = `.${state.tabs.findIndex((tab) => tab.selected) + 1}`
  const ofTab = state.webViews[`main${suffix}`] ? suffix : ""
  return state.webViews[name + ofTab] ? name + ofTab : `main${ofTab}`
}

/** A button with a symbol; with the symbol's name if there is no drawing of it. */
function symbolButton(symbol, label, onclick) {
  const drawing = icon(symbol)
  const made = button(drawing ? "" : label, onclick, { "aria-label": label, title: symbol ?? label })
  if (drawing) made.append(drawing)
  return made
}
