// Part of bridge.js: reports the document's URL, title and state to the daemon.

/** Watches the document, and sends changes as `page.update`. */
class PageObserver {
  #outbox
  #reported = { __proto__: null }
  #document = document
  #isLoaded = document.readyState === "complete"

  constructor(outbox) {
    this.#outbox = outbox
    const check = () => this.check()
    // "complete" ends the load for native code, so the messages that listeners of `load` and `pageshow` post go first.
    listen(window, "load", () => setTimeout(() => this.loaded()))
    each(["popstate", "hashchange", "load", "pageshow"], (type) => listen(window, type, check))
    each(["readystatechange", "visibilitychange"], (type) => listen(document, type, check))
    if (window.navigation) listen(window.navigation, "currententrychange", check) // pushState and replaceState
    const options = { subtree: true, childList: true, characterData: true }
    new MutationObserver(check).observe(document.head ?? document.documentElement, options)
  }

  describe() {
    const state = readyStateOf(document)
    const entry = first(performanceEntries(performance, "navigation"))
    return {
      url: clip(location.href),
      title: clip(titleOf(document)),
      readyState: state === "complete" && !this.#isLoaded ? "interactive" : state,
      visibility: visibilityOf(document),
      status: (entry && statusCodeOf(entry)) || undefined
    }
  }

  attached({ url, title, readyState }) {
    this.#reported = { __proto__: null, url, title, readyState }
    this.check()
  }

  /** The document has loaded, and its listeners have run. */
  loaded() {
    this.#isLoaded = true
    this.check()
  }

  check() {
    if (document !== this.#document) return // Firefox has given the window to another document.
    const now = this.describe()
    const changes = { __proto__: null }
    const keys = keysOf(now)
    for (let index = 0; index < keys.length; index++) {
      if (now[keys[index]] !== this.#reported[keys[index]]) changes[keys[index]] = now[keys[index]]
    }
    this.#reported = now
    if (keysOf(changes).length > 0) this.#outbox.send(call("page.update", json(changes)))
  }
}
