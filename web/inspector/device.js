import { bar, webViewOf } from "./device-bar.js"
import { overlays } from "./device-overlays.js"
import { button, element, keepFocus } from "./dom.js"
import { touch } from "./touch.js"

/** Sizes of screens in points: portrait width and height. */
const sizes = {
  "iPhone SE": [375, 667], "iPhone 16": [393, 852], "iPhone 16 Pro Max": [440, 956], "iPad": [820, 1180],
  "iPad Pro 13": [1032, 1376], "Pixel 9": [412, 924], "Galaxy S24": [360, 780], "Pixel Tablet": [800, 1280],
}

/** The phone: what the emulated app shows. A click does what a finger does, through `app.perform`. */
export class DevicePanel {
  #control
  #state = null
  #error = null
  #shown = ""
  /** The depths of the stacks when they were shown last, which decide how a screen moves. */
  #depths = null
  /** What the user has chosen while there was no picture of a page. */
  #waiting = []
  /** Whether a finger or a button is down. What it pressed must still be there when it is released. */
  #isPressed = false
  #hasChanged = false
  size = "iPhone 16"
  isLandscape = false
  hasLargeText = false

  /**
   * @param {import("./control.js").Control} control
   * @param {HTMLElement} panel
   * @param {import("./picture.js").Pictures} pictures
   */
  constructor(control, panel, pictures) {
    this.#control = control
    this.pictures = pictures
    this.phone = element("div", { class: "phone", role: "group", "aria-label": "Phone", tabindex: "-1" })
    this.message = element("p", { class: "error", role: "alert", hidden: true })
    panel.append(this.#toolbar(), this.phone, this.message)
    pictures.addEventListener("picture", () => this.#showPicture())
    this.phone.addEventListener("pointerdown", () => { this.#isPressed = true })
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => this.#released())
    this.render()
  }

  /** Shows what has changed since the press. The click of a touch comes a little after it. */
  #released() {
    if (!this.#isPressed) return
    setTimeout(() => {
      this.#isPressed = false
      if (this.#hasChanged) this.render()
    }, 50)
  }

  get state() { return this.#state }

  /** @param {any} state The result of `app.state`. */
  show(state) {
    this.#error = null
    this.#state = state
    // Rendering only what differs keeps the focus and the text of a field that the user is typing into.
    const text = JSON.stringify(state)
    if (text === this.#shown) return
    this.#shown = text
    this.render()
  }

  /** @param {Error} error Why there is no state. */
  fail(error) {
    this.#state = null
    this.#depths = null
    this.#shown = ""
    this.#error = error
    this.render()
  }

  /**
   * Does what a finger does.
   *
   * @param {string} action
   * @param {Record<string, string>} [parameters]
   */
  perform = async (action, parameters = {}) => {
    this.message.hidden = true
    try {
      this.show(await this.#control.call("app.perform", { action, ...parameters }))
    } catch (error) {
      this.#report(error)
    }
  }

  render() {
    this.#hasChanged = this.#isPressed
    if (this.#isPressed) return
    const [width, height] = this.#screen
    this.phone.style.setProperty("--width", width)
    this.phone.style.setProperty("--height", height)
    this.phone.dataset.text = this.hasLargeText ? "large" : "normal"
    this.phone.dataset.platform = this.#state?.framework?.startsWith("android") ? "android" : "ios"
    keepFocus(this.phone, () => {
      this.phone.replaceChildren(...(this.#state ? this.#screens() : [this.#empty()]))
      this.#showPicture()
    })
    // Not where the state comes from: a phone that is pressed shows it later.
    this.pictures.show(this.#webViews)
  }

  #screens() {
    const state = this.#state
    const screens = [this.#stack("main", state.main)]
    if (state.modal.length) screens.push(element("div", { class: "shade" }), this.#stack("modal", state.modal))
    this.#depths = { main: state.main.length, modal: state.modal.length }
    if (state.tabs.length) screens.push(this.#tabBar(state.tabs, state.modal.length > 0))
    const above = overlays(state, this.visibleScreen, this.perform)
    // What an alert or a sheet covers is out of reach, for keys as well.
    if (above.some((overlay) => !overlay.classList.contains("toast"))) for (const screen of screens) screen.inert = true
    return [...screens, ...above]
  }

  get visibleScreen() { return this.#state?.[this.#state.visible]?.at(-1) ?? null }

  #stack(name, stack) {
    const screen = stack.at(-1)
    const before = this.#depths?.[name] ?? stack.length
    const motion = stack.length > before ? "enters" : stack.length < before ? "returns" : ""
    const isCovered = name !== this.#state.visible
    return element("div", { class: `screen ${name} ${motion}`, inert: isCovered, role: "group", "aria-label": `${name} stack` },
      name === "modal" ? element("div", { class: "grabber", "aria-hidden": "true" }) : null,
      bar(name, stack, this.#state, this.perform), screen ? this.#content(name, screen) : this.#noScreen())
  }

  #content(name, screen) {
    if (screen.error) return errorScreen(screen, this.perform)
    if (screen.native) return element("div", { class: "content native" }, element("p", {}, screen.native), element("code", {}, screen.url))
    return element("div", { class: "content web", "data-web-view": webViewOf(name, this.#state), "data-stack": name },
      element("p", { class: "elsewhere" }, this.pictures.missing), element("code", {}, pathOf(screen.url)))
  }

  /** The web view of the screen that is visible. */
  get visibleWebView() { return this.#state ? webViewOf(this.#state.visible, this.#state) : "main" }

  /** The web views whose screens are shown. */
  get #webViews() { return [...this.phone.querySelectorAll(".content.web")].map((content) => content.dataset.webView) }

  #report(error) {
    this.message.textContent = error.message
    this.message.hidden = false
  }

  #noScreen() {
    return element("div", { class: "content empty" }, element("p", {}, "The app has not started: no page is attached to main."))
  }

  /** Puts the latest picture of the page behind its screen's text. */
  #showPicture() {
    for (const content of this.phone.querySelectorAll(".content.web")) {
      const picture = this.pictures.of(content.dataset.webView, content.dataset.stack)
      if (picture && !content.querySelector(".picture")) content.append(...this.#livePicture(content.dataset.webView))
      if (!picture) for (const part of content.querySelectorAll(".picture, .touch")) part.remove()
      else content.querySelector(".picture").src = picture
      content.classList.toggle("has-picture", Boolean(picture))
    }
    if (!this.phone.querySelector(".has-picture")) return
    for (const emulation of this.#waiting.splice(0)) this.#emulate(emulation)
  }

  /** A picture, and what takes clicks and keys over it. */
  #livePicture(webView) {
    const picture = element("img", { class: "picture", alt: "", draggable: "false" })
    if (!this.#control.isLive) return [picture]
    return [picture, touch(this.#control, webView, (error) => this.#report(error), () => this.pictures.hurry())]
  }

  #tabBar(tabs, isCovered) {
    const buttons = tabs.map((tab) => button(tab.title, () => this.perform("tapTab", { tab: tab.title }), {
      "aria-current": tab.selected ? "page" : null, class: "tab",
    }))
    return element("nav", { class: "tab-bar", inert: isCovered, "aria-label": "Tabs of the app" }, ...buttons)
  }

  #empty() {
    const text = this.#error?.message ?? "Waiting for the daemon."
    return element("div", { class: "content empty" }, element("p", {}, text))
  }

  /** The width and height of the phone in points. */
  get #screen() {
    const [width, height] = sizes[this.size]
    return this.isLandscape ? [height, width] : [width, height]
  }

  /** The size of a page in points: that of its place on the phone, which is drawn smaller or larger. */
  #viewport = (content) => {
    const [width] = this.#screen
    return { width, height: Math.round(content.clientHeight * width / this.phone.clientWidth) }
  }

  /**
   * Gives the pages that driven browsers show the screen that the user chooses.
   *
   * @param {(content: HTMLElement) => Record<string, any>} emulation What a page gets.
   */
  #emulate(emulation) {
    if (!this.#control.isLive) return
    const contents = this.phone.querySelectorAll(".content.web.has-picture")
    // While a page is busy, there is no picture of it.
    if (contents.length === 0) this.#waiting.push(emulation)
    for (const content of contents) {
      const { webView } = content.dataset
      this.#control.call("page.emulate", { webView, ...emulation(content) })
        .then(() => this.pictures.hurry(), (error) => this.#report(error))
    }
  }

  #toolbar() {
    const names = Object.keys(sizes).map((name) => element("option", { selected: name === this.size }, name))
    const change = (set) => (event) => {
      set(event.target)
      this.render()
      this.#emulate(this.#viewport)
    }
    return element("div", { class: "toolbar" },
      element("select", { "aria-label": "Size", onchange: change((target) => { this.size = target.value }) }, ...names),
      toggle("Landscape", change((target) => { this.isLandscape = target.checked })),
      toggle("Larger text", change((target) => { this.hasLargeText = target.checked })),
      toggle("Dark", (event) => {
        const colorScheme = event.target.checked ? "dark" : "light"
        this.phone.dataset.theme = colorScheme
        this.#emulate(() => ({ colorScheme }))
      },
        matchMedia("(prefers-color-scheme: dark)").matches),
      this.#control.isLive ? button("Pull to refresh", () => this.perform("pullToRefresh")) : null)
  }
}

function toggle(label, onchange, checked = false) {
  return element("label", { class: "toggle" }, element("input", { type: "checkbox", onchange, checked }), label)
}

function errorScreen(screen, perform) {
  const { error, statusCode, description } = screen.error
  return element("div", { class: "content failed" },
    element("p", { class: "large" }, "Error loading page"),
    element("p", {}, description ?? (statusCode ? `${error} ${statusCode}` : String(error))), element("code", {}, pathOf(screen.url)),
    button("Retry", () => perform("retry"), { class: "primary" }))
}

/** The path of a URL; the whole URL if it is none. */
export function pathOf(url) {
  try {
    const { pathname, search } = new URL(url)
    return pathname + search
  } catch {
    return url
  }
}
