import { declaredOverlays } from "./device-parts.js"
import { button, element, field } from "./dom.js"

/**
 * What the app shows over its screen: alerts, sheets, menus, toasts, the sign-in, the lock.
 *
 * @param {any} state
 * @param {any} screen The visible screen.
 * @param {(action: string, parameters?: Record<string, string>) => void} perform
 * @returns {HTMLElement[]}
 */
export function overlays(state, screen, perform) {
  const components = screen?.components ?? {}
  return [
    toast(components.toast),
    menu(components.menu, perform),
    shareSheet(components.share, perform),
    scanner(components, perform),
    componentAlert(components.alert, perform),
    ...declaredOverlays(components, perform),
    ...state.alerts.slice(-1).map((alert) => dialog(alert.title, [
      button("OK", () => perform("answerAlert", { button: "OK" }), { class: "primary" }),
    ])),
    signIn(state.signIn, perform),
    authentication(state.authentication, perform),
    lock(components["biometrics-lock"], perform),
    state.isInBackground ? dialog("The app is in the background.", [button("Return", () => perform("foreground"))]) : null,
  ].filter(Boolean)
}

function dialog(title, buttons, ...content) {
  return element("div", { class: "overlay" },
    element("div", { class: "dialog", role: "alertdialog", "aria-label": title },
      element("p", { class: "large" }, title), ...content, element("div", { class: "buttons" }, ...buttons)))
}

/** A dialog with fields. Enter submits it, too. */
function form(label, title, submit, ...content) {
  const onsubmit = (event) => {
    event.preventDefault()
    submit()
  }
  return element("div", { class: "overlay" },
    element("form", { class: "dialog", role: "dialog", "aria-label": label, onsubmit },
      element("p", { class: "large" }, title), ...content))
}

function componentAlert(alert, perform) {
  if (!alert?.title) return null
  return dialog(alert.title, [
    button(alert.dismiss ?? "Cancel", () => perform("alert.dismiss")),
    button(alert.confirm ?? "OK", () => perform("alert.confirm"), { class: alert.isDestructive ? "destructive" : "primary" }),
  ], alert.description ? element("p", {}, alert.description) : null)
}

function menu(menu, perform) {
  if (!menu?.items?.length || !menu.isOpen) return null
  return element("div", { class: "sheet", role: "dialog", "aria-label": menu.title ?? "Menu" },
    menu.title ? element("p", { class: "quiet" }, menu.title) : null, ...menuItems(menu, perform),
    button("Cancel", () => perform("menu.dismiss"), { class: "cancel" }))
}

/** The items of a menu. Titles may repeat, so numbers say which item is meant. */
export function menuItems(menu, perform) {
  return menu.items.map((title, index) => button(String(title), () => perform("menu.select", { item: String(index + 1) })))
}

function shareSheet(share, perform) {
  if (!share?.isSheetUp) return null
  return element("div", { class: "sheet", role: "dialog", "aria-label": "Share" },
    element("p", {}, share.title ?? share.text ?? ""), element("code", {}, share.url ?? ""),
    button("Close", () => perform("share.leave"), { class: "cancel" }))
}

function scanner(components, perform) {
  if (!components["barcode-scanner"]?.isScanning) return null
  const code = element("input", { "aria-label": "Bar code", value: "4006381333931" })
  return dialog("The camera looks for a bar code.", [
    button("Cancel", () => perform("barcode-scanner.cancel")),
    button("See it", () => perform("barcode-scanner.see", { barcode: code.value }), { class: "primary" }),
  ], code)
}

function toast(toast) {
  return toast?.message ? element("p", { class: "toast", role: "status" }, toast.message) : null
}

function signIn(request, perform) {
  if (!request) return null
  const email = element("input", { type: "email", name: "email", autocomplete: "off" })
  const password = element("input", { type: "password", name: "password", autocomplete: "off" })
  return form("Sign in", "Sign in", () => perform("signIn", { email: email.value, password: password.value }),
    field("Email", email), field("Password", password),
    request.error ? element("p", { class: "error" }, request.error) : null,
    element("button", { type: "submit", class: "primary" }, "Sign in"))
}

function authentication(challenge, perform) {
  if (!challenge) return null
  const user = element("input", { name: "user", autocomplete: "off" })
  const password = element("input", { type: "password", name: "password", autocomplete: "off" })
  const answer = () => perform("answerAuthentication", { user: user.value, password: password.value })
  return form("Password", `${challenge.host} asks for a password`, answer,
    element("p", {}, challenge.realm), field("User", user), field("Password", password),
    element("div", { class: "buttons" },
      element("button", { type: "button", onclick: () => perform("answerAuthentication", { cancelled: "true" }) }, "Cancel"),
      element("button", { type: "submit", class: "primary" }, "Sign in")))
}

function lock(lock, perform) {
  if (!lock?.isLocked) return null
  return dialog("Locked", [
    button("Refuse", () => perform("biometrics-lock.refuse")),
    button("Unlock", () => perform("biometrics-lock.unlock"), { class: "primary" }),
  ])
}
