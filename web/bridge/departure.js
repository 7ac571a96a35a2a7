// Part of bridge.js: how a document unloads.

/** Whether a listener of `beforeunload` is running. */
const isUnloading = () => {
  const event = currentEvent()
  return event !== undefined && eventTypeOf(event) === "beforeunload"
}

/** If a document still exists after this time, it has started a download, or the next document's server is slow. */
const STAY_MS = 300

/**
 * Makes a document unload as in WebKit: events and messages come in WebKit's order, and `pagehide` is `persisted` if
 * WebKit would keep the page in its back/forward cache.
 */
class Departure {
  #bridge
  #outbox
  #restoreUnload
  #isInScript = false
  /** The type of the latest navigation. */
  #navigationType

  /** @param {string | null} unknownType the type of a navigation that no script has begun */
  constructor(bridge, unknownType = null) {
    this.#bridge = bridge
    this.#outbox = bridge.outbox
    this.#navigationType = unknownType
  }

  /** Notes the type of a navigation that no script begins. */
  expect(type) {
    this.#navigationType = type
  }

  start() {
    this.#restoreUnload = deferUnload()
    // If no script is running, all microtasks run between two listeners, so the second one sees `#isInScript` as false.
    listen(window, "beforeunload", () => {
      this.#isInScript = true
      queueMicrotask(() => (this.#isInScript = false))
    }, true)
    listen(window, "beforeunload", () => this.#beforeUnload(), true)
    listen(window, "pagehide", (event) => this.#pageHide(event), true)
    if (window.navigation) listen(window.navigation, "navigate", (event) => (this.#navigationType = navigationTypeOf(event)))
  }

  /**
   * Chromium and Firefox dispatch `beforeunload` while the script that navigates still runs; WebKit does so after it.
   */
  #beforeUnload() {
    if (this.#isInScript) {
      this.#outbox.hold()
      setTimeout(() => this.#outbox.release())
    }
    if (!isFirefox) return
    this.#bridge.leave()
    this.#bridge.disconnect()
    setTimeout(() => this.#bridge.stay(), STAY_MS)
  }

  #pageHide(event) {
    this.#outbox.release()
    const isKept = matches(this.#navigationType, /^(push|traverse)$/) || isTopLeaving()
    if (isKept) define(event, "persisted", { value: true, configurable: true })
    this.#bridge.leave()
    if (!isKept && !persistedOf(event)) return this.#restoreUnload()
    setTimeout(() => this.#outbox.suspend()) // This runs before timers that the page's own listeners start.
    this.#bridge.disconnect() // A page with an open socket is not kept in the back/forward cache.
  }
}

/** Whether this frame is left because the page around it is. That page gets its events first. */
const isTopLeaving = () => {
  try {
    const isTopHidden = visibilityOf(window.top.document) === "hidden"
    return isFrame && isTopHidden && visibilityOf(document) !== "hidden"
  } catch {
    return false // The page is of another origin.
  }
}

/**
 * Delays the registration of `unload` listeners. WebKit keeps a page in the back/forward cache even if it listens to
 * `unload`, and does not dispatch the event then. Chromium and Firefox do not keep such a page, so the browser gets the
 * listeners only when it is clear that the page is not kept.
 * @returns {() => void} registers the listeners
 */
const deferUnload = () => {
  const { prototype } = window.EventTarget
  /** The arguments of each call of `addEventListener`. */
  let deferred = makeList()
  let onunload = null
  const isDeferred = (target, type) => type === "unload" && (target === window || target === undefined)
  override(prototype, "addEventListener", (method, target, list) => {
    if (!isDeferred(target, list[0])) return apply(method, target, list)
    deferred[deferred.length] = list
  })
  override(prototype, "removeEventListener", (method, target, list) => {
    if (isDeferred(target, list[0])) deferred = filter(deferred, (other) => other[1] !== list[1])
    return apply(method, target, list)
  })
  define(window, "onunload", {
    get: () => onunload,
    set: (value) => (onunload = typeof value === "function" ? value : null),
    enumerable: true, configurable: true
  })
  return () => {
    const listeners = deferred
    deferred = makeList()
    each(listeners, (list) => apply(addEventListener, window, list))
    if (onunload) listen(window, "unload", onunload)
  }
}
