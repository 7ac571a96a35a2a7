// The app's own script. Only `post` knows that the page may be in a native app.
addEventListener("error", (event) => event.preventDefault())

window.bridge = { register: (token) => { window.token = token } }

const post = (body) => window.webkit
  ? webkit.messageHandlers.nativeApp?.postMessage(body) // iOS
  : window.nativeApp?.postMessage(JSON.stringify(body)) // Android

for (const event of ["turbo:load", "turbolinks:load"]) {
  document.addEventListener(event, () => {
    const button = document.querySelector("[data-action-button]")
    if (button) post({ name: "ActionButton", path: button.dataset.actionButton, icon: button.dataset.icon })
    showComponents()
    showDemoComponent()
  })
}

document.addEventListener("click", ({ target }) => {
  if (target.id === "push") post({ name: "RegisterPushToken" })
  // The library visits the link, too, so that two visits follow each other at once.
  if (target.id === "twice") (window.Turbo ?? Turbolinks.controller).visit("/posts/2")
})

/** Connects the component of a page that `app.py --demo` serves. */
const showDemoComponent = () => {
  const element = document.querySelector("[data-bridge]:not([data-connected])")
  if (!element) return
  element.dataset.connected = "true"
  const { send, announce } = window.components
  announce("HotwireNative")
  announce("Strada")
  const { bridge: component, bridgeTitle } = element.dataset
  if (component === "form") {
    const submit = () => document.getElementById("submit").click()
    return send(component, "connect", { submitTitle: bridgeTitle }, submit)
  }
  const label = bridgeTitle
  const items = ["One", "Two"].map((title, index) => ({ title, index }))
  send(component, component === "menu" ? "display" : "connect", { title: label, label, items }, ({ data }) => {
    document.querySelector("h1").textContent = `Selected ${items[data?.selectedIndex]?.title ?? label}`
  })
}

/** Connects the components of the page at /components. */
const showComponents = () => {
  const said = document.getElementById("said")
  if (!said || said.dataset.connected) return
  said.dataset.connected = "true"
  const { send, announce } = window.components
  announce("HotwireNative")
  const say = (text) => { said.textContent = text }
  send("form", "connect", { submitTitle: "Save" }, () => {
    say("saved")
    send("toast", "show", { message: "Saved" })
  })
  const items = ["by date", "by name"].map((title, index) => ({ title, index }))
  document.getElementById("sort").onclick = () =>
    send("menu", "display", { title: "Sort", items }, ({ data }) => say(items[data.selectedIndex].title))
  document.getElementById("where").onclick = () =>
    send("location", "get", {}, ({ data }) => say(`at ${data.latitude}, ${data.longitude}`))
}
