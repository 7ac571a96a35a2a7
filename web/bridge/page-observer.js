// Part of bridge.js: reports the document's URL, title and state to the daemon.

/** Watches the document, and sends changes as `page.update`. */
class PageObserver {
  #outbox
  #reported = {}
  #isLoaded = document.readyState === "complete"

  constructor(outbox) {
    this.#outbox = outbox
    const check = () => this.check()
    // "complete" ends the load for native code, so the messages that listeners of `load` and `pageshow` post go first.
    window.addEventListener("load", () => setTimeout(() => this.#loaded()))
    for (const type of ["popstate", "hashchange", "load", "pageshow"]) window.addEventListener(type, check)
    for (const type of ["readystatechange", "visibilitychange"]) document.addEventListener(type, check)
    window.navigation?.addEventListener("currententrychange", check) // pushState and replaceState
    const options = { subtree: true, childList: true, characterData: true }
    new window.MutationObserver(check).observe(document.head ?? document.documentElement, options)
  }

  describe() {
    const { title, visibilityState: visibility } = document
    const readyState = document.readyState === "complete" && !this.#isLoaded ? "interactive" : document.readyState
    const status = performance.getEntriesByType("navigation")[0]?.responseStatus || undefined
    return { url: location.href, title, readyState, visibility, status }
  }

  attached({ url, title, readyState }) {
    this.#reported = { url, title, readyState }
    this.check()
  }

  #loaded() {
    this.#isLoaded = true
    this.check()
  }

  check() {
    const now = this.describe()
    const changes = {}
    const keys = keysOf(now)
    for (let index = 0; index < keys.length; index++) {
      if (now[keys[index]] !== this.#reported[keys[index]]) changes[keys[index]] = now[keys[index]]
    }
    this.#reported = now
    if (keysOf(changes).length > 0) this.#outbox.send(call("page.update", json(changes)))
  }
}
