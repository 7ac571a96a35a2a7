// The two bridge components of the app. /components.js does what @hotwired/hotwire-native-bridge does.
const { send, announce } = window.components
announce("HotwireNative")

/** Shows the form's submit button in the app's bar. */
const connectForm = (form) => {
  const submit = form.querySelector("[type=submit]")
  send("form", "connect", { submitTitle: submit.value }, () => submit.click())
}

/** Asks with the app's own menu before the form is submitted. */
const connectMenu = (form) => {
  const titles = JSON.parse(form.dataset.items)
  const items = titles.map((title, index) => ({ title, index }))
  form.addEventListener("submit", (event) => {
    if (form.dataset.isSure || !components.library.supportsComponent("menu")) return
    event.preventDefault()
    event.stopImmediatePropagation()
    send("menu", "display", { title: document.title, items }, ({ data }) => {
      if (data.selectedIndex !== 0) return
      form.dataset.isSure = "true"
      form.requestSubmit()
    })
  })
}

document.addEventListener("turbo:load", connect)
document.addEventListener("turbo:render", connect)

function connect() {
  for (const element of document.querySelectorAll("[data-bridge]:not([data-connected])")) {
    element.dataset.connected = "true"
    if (element.dataset.bridge === "form") connectForm(element)
    else connectMenu(element)
  }
}
