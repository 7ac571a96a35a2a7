// Part of driven.js: Chromium's back/forward cache.

const removeListener = method("EventTarget", "removeEventListener")
const pageHideHandler = propertyOf(window, "onpagehide")?.get
const visibilityHandlerOf = getter("Document", "onvisibilitychange")
const freezeHandlerOf = getter("Document", "onfreeze")

/**
 * Decides whether Chromium may keep the document in its back/forward cache. Before `pagehide`, Chromium moves its
 * driver to the next document, and what a kept page posts from then on does not arrive. So it may keep a page only if
 * no listener of the page runs then, and no message waits. It keeps no document that listens to `unload`.
 */
class DocumentCache {
  #outbox
  #isForbidden = false
  #noticesDeparture = false
  #tellsDeparture = false
  #ignore = () => {}

  constructor(outbox) {
    this.#outbox = outbox
  }

  start() {
    this.forbid()
    if (isFrame) return
    override(window.EventTarget.prototype, "addEventListener", (method, target, list) => {
      if (typeof list[0] !== "string" || matches(list[0], /^(pagehide|visibilitychange|freeze)$/)) {
        this.#notice(list[0])
      }
      return apply(method, target, list)
    })
    listen(window, "beforeunload", () => this.#mayBeKept && this.#allow(), true)
  }

  /** The driver may not hear what a listener posts in `pagehide`, and then says so. */
  #notice(type) {
    this.#noticesDeparture = true
    this.forbid()
    if (type !== "pagehide" || this.#tellsDeparture) return
    this.#tellsDeparture = true
    send("departure noticed")
    listen(window, "pagehide", () => send("departure heard"))
  }

  get #mayBeKept() {
    const handlers = pageHideHandler && apply(pageHideHandler, window, [])
    const isNoticed = handlers || visibilityHandlerOf(document) || freezeHandlerOf(document)
    return !this.#noticesDeparture && !isNoticed && this.#outbox.isEmpty
  }

  #allow() {
    this.#isForbidden = false
    removeListener(window, "unload", this.#ignore)
  }

  /** Call this when the page posts, or has come back. */
  forbid() {
    if (this.#isForbidden) return
    this.#isForbidden = true
    listen(window, "unload", this.#ignore)
  }
}
