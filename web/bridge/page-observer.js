// Part of bridge.js: what the daemon is told of the document.

class PageObserver {
  #outbox
  #told = {}
  #isLoaded = document.readyState === "complete"

  constructor(outbox) {
    this.#outbox = outbox
    const check = () => this.check()
    // Later: "complete" ends a load for native code, after what the page posts in `load` and `pageshow`.
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
    this.#told = { url, title, readyState }
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
      if (now[keys[index]] !== this.#told[keys[index]]) changes[keys[index]] = now[keys[index]]
    }
    this.#told = now
    if (keysOf(changes).length > 0) this.#outbox.send(call("page.update", json(changes)))
  }
}
