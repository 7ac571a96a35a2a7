// Part of bridge.js: how a page leaves.

/** Firefox ends connections as it asks for the next document, and decides then whether to keep this one. */
const keepsNoSockets = "mozInnerScreenX" in window
const STAY_MS = 300 // Whoever is still here by then asked for a download, or waits for a slow server.

/** Has a document leave as in WebKit: in its order, and kept for the way back where WebKit would keep it. */
class Departure {
  #bridge
  #outbox
  #restoreUnload
  #isInScript = false
  #navigationType = null // of the navigation that began last

  constructor(bridge) {
    this.#bridge = bridge
    this.#outbox = bridge.outbox
  }

  start() {
    this.#restoreUnload = deferUnload()
    // Between two listeners all microtasks run, unless a script is still running.
    listen(window, "beforeunload", () => {
      this.#isInScript = true
      queueMicrotask(() => (this.#isInScript = false))
    }, true)
    listen(window, "beforeunload", () => this.#ask(), true)
    listen(window, "pagehide", (event) => this.#hide(event), true)
    window.navigation?.addEventListener("navigate", ({ navigationType }) => (this.#navigationType = navigationType))
  }

  /** Chromium and Firefox ask in the middle of the script that leads away, WebKit when it has ended. */
  #ask() {
    if (this.#isInScript) {
      this.#outbox.hold()
      setTimeout(() => this.#outbox.release())
    }
    if (!keepsNoSockets) return
    this.#bridge.leave()
    this.#bridge.disconnect()
    setTimeout(() => this.#bridge.stay(), STAY_MS)
  }

  #hide(event) {
    this.#outbox.release()
    const isKept = /^(push|traverse)$/.test(this.#navigationType)
    if (isKept) defineProperty(event, "persisted", { value: true, configurable: true })
    this.#bridge.leave()
    if (!event.persisted) return this.#restoreUnload()
    setTimeout(() => this.#outbox.suspend()) // Ahead of the timers that the page's own listeners start.
    this.#bridge.disconnect() // An open socket forbids the back/forward cache.
  }
}

/**
 * WebKit keeps a page for the way back though it listens to `unload`, and does not call it then. Chromium and Firefox
 * don't keep such a page: so they learn of the listeners when it is clear that the page is not kept.
 * @returns {() => void} lets the listeners have the event
 */
const deferUnload = () => {
  const { prototype } = window.EventTarget
  const deferred = []
  let onunload = null
  const isDeferred = (target, type) => type === "unload" && (target === window || target === undefined)
  override(prototype, "addEventListener", (method, target, list) => {
    if (!isDeferred(target, list[0])) return apply(method, target, list)
    deferred.push(list.slice(1))
  })
  override(prototype, "removeEventListener", (method, target, list) => {
    const at = isDeferred(target, list[0]) ? deferred.findIndex(([listener]) => listener === list[1]) : -1
    if (at >= 0) deferred.splice(at, 1)
    return apply(method, target, list)
  })
  defineProperty(window, "onunload", {
    get: () => onunload,
    set: (value) => (onunload = typeof value === "function" ? value : null),
    enumerable: true, configurable: true
  })
  return () => {
    for (const list of deferred.splice(0)) listen(window, "unload", ...list)
    if (onunload) listen(window, "unload", onunload)
  }
}
