/**
 * The app's adapter for Turbo 7 and 8 and for Turbolinks 5, as `window.turboNative`: what they tell goes to the message
 * handler `turbo` as `{name, data}`, on Android to methods of `TurboSession`, and native code calls its methods. A user
 * script: document end, main frame only.
 *
 * It decides nothing, and knows of no screens. An adapter that stands already is left alone.
 */
;(() => {
  "use strict"

  const LOAD_TIMEOUT = 4000

  const android = window.TurboSession
  const ios = window.webkit?.messageHandlers?.turbo

  /** Android's method for each event, and the members that it takes by their places. It has none for the others. */
  const METHODS = {
    turboIsReady: ["turboIsReady", "isReady"],
    pageLoaded: ["pageLoaded", "restorationIdentifier"],
    pageLoadFailed: ["turboFailedToLoad"],
    pageInvalidated: ["pageInvalidated"],
    visitProposed: ["visitProposedToLocation", "location", "options"],
    visitProposalScrollingToAnchor: ["visitProposalScrollingToAnchor", "location", "options"],
    visitProposalRefreshingPage: ["visitProposalRefreshingPage", "location", "options"],
    visitStarted: ["visitStarted", "identifier", "hasCachedSnapshot", "isPageRefresh", "location"],
    visitRequestStarted: ["visitRequestStarted", "identifier"],
    visitRequestCompleted: ["visitRequestCompleted", "identifier"],
    visitRequestFailed: ["visitRequestFailedWithStatusCode", "location", "identifier", "hasCachedSnapshot", "statusCode"],
    visitRequestFinished: ["visitRequestFinished", "identifier"],
    visitRendered: ["visitRendered", "identifier"],
    visitCompleted: ["visitCompleted", "identifier", "restorationIdentifier"],
    formSubmissionStarted: ["formSubmissionStarted", "location"],
    formSubmissionFinished: ["formSubmissionFinished", "location"],
    linkActivated: ["linkActivated", "location"]
  }
  METHODS.visitRequestFailedWithNonHttpStatusCode = METHODS.visitRequestFailed

  /** `more`: what Android alone is told. */
  const post = (name, data, more) => {
    if (!android) return ios.postMessage({ name, data: { ...data, timestamp: Date.now() } })
    const [method, ...keys] = METHODS[name] ?? []
    const members = { ...data, ...more, options: JSON.stringify(data?.options) }
    if (method) android[method](...keys.map((key) => members[key]))
  }

  /** Turbolinks has a class of its own for addresses. */
  const address = (location) => location.absoluteURL ?? location.href ?? `${location}`

  /** Options as plain data: they may hold what can't be posted. */
  const plain = (options) => JSON.parse(JSON.stringify(options ?? {}))

  /** A hidden document is not painted. */
  const afterRepaint = (callback) =>
    document.hidden ? callback() : requestAnimationFrame(() => requestAnimationFrame(callback))

  class Adapter {
    #isRegistered = false

    start() {
      addEventListener("error", ({ message, filename, lineno, colno }) => {
        if (message) post("errorRaised", { error: `${message} (${filename}:${lineno}:${colno})` })
      })
      if (this.#register()) return
      const register = () => this.#register()
      addEventListener("turbo:load", register, { once: true })
      addEventListener("turbolinks:load", register, { once: true })
      setTimeout(() => this.#register() || this.#fail(), LOAD_TIMEOUT)
    }

    #register() {
      if (this.#isRegistered) return true
      if (window.Turbo?.registerAdapter) window.Turbo.registerAdapter(this)
      else if (window.Turbolinks?.controller) window.Turbolinks.controller.adapter = this
      else return false
      this.#isRegistered = true
      post("turboIsReady", { isReady: true })
      const { restorationIdentifier } = window.Turbo?.navigator ?? window.Turbolinks.controller
      afterRepaint(() => post("pageLoaded", { restorationIdentifier }))
      return true
    }

    #fail() {
      post("turboIsReady", { isReady: false })
      post("pageLoadFailed")
    }

    // Native code calls these.

    /** `options`: an object, or its JSON. */
    visitLocationWithOptionsAndRestorationIdentifier(location, options, restorationIdentifier) {
      const given = typeof options === "string" ? JSON.parse(options) : options
      if (window.Turbo) {
        // A screen of its own is no jump within the page, though only the anchor may differ.
        const isSamePage = window.Turbo.navigator.locationWithActionIsSamePage?.(new URL(location), given.action)
        const all = isSamePage ? { ...given, action: "replace" } : given
        window.Turbo.navigator.startVisit(location, restorationIdentifier, { acceptsStreamResponse: true, ...all })
      } else {
        window.Turbolinks.controller.startVisitToLocationWithAction(location, given.action, restorationIdentifier)
      }
    }

    clearSnapshotCache() {
      if (window.Turbo) (window.Turbo.cache ?? { clear: window.Turbo.clearCache }).clear()
      else window.Turbolinks.controller.clearCache()
    }

    cacheSnapshot() {
      if (window.Turbo) window.Turbo.session.view.cacheSnapshot()
      else window.Turbolinks.controller.cacheSnapshot()
    }

    cancelVisitWithIdentifier(identifier) {
      const { currentVisit } = window.Turbo?.navigator ?? window.Turbolinks.controller
      if (currentVisit?.identifier === identifier) currentVisit.cancel()
    }

    // Turbo and Turbolinks call these.

    visitProposedToLocation(location, options) {
      const proposal = { location: address(location), options: plain(options) }
      const { navigator } = window.Turbo
      if (navigator.locationWithActionIsSamePage?.(location, options.action)) {
        navigator.view.scrollToAnchorFromLocation(location)
        post("visitProposalScrollingToAnchor", proposal)
      } else if (navigator.location?.href === proposal.location && navigator.view.isPageRefresh) {
        // Turbo 8 morphs the page that it shows: no screen comes or goes.
        post("visitProposalRefreshingPage", proposal)
        this.visitLocationWithOptionsAndRestorationIdentifier(location, options, navigator.restorationIdentifier)
      } else {
        post("visitProposed", proposal)
      }
    }

    visitProposedToLocationWithAction(location, action) {
      post("visitProposed", { location: address(location), options: { action } })
    }

    visitStarted(visit) {
      this.currentVisit = visit
      const { identifier, isPageRefresh, location } = visit
      post("visitStarted", {
        identifier, hasCachedSnapshot: visit.hasCachedSnapshot(), isPageRefresh: isPageRefresh ?? false
      }, { location: address(location) })
      visit.issueRequest()
      visit.changeHistory()
      visit.loadCachedSnapshot()
    }

    visitRequestStarted({ identifier }) {
      post("visitRequestStarted", { identifier })
    }

    visitRequestCompleted(visit) {
      post("visitRequestCompleted", { identifier: visit.identifier })
      visit.loadResponse()
    }

    visitRequestFailedWithStatusCode(visit, statusCode) {
      const { identifier, location } = visit
      const name = statusCode > 0 ? "visitRequestFailed" : "visitRequestFailedWithNonHttpStatusCode"
      const more = { hasCachedSnapshot: visit.hasCachedSnapshot() }
      post(name, { identifier, statusCode, location: address(location) }, more)
    }

    visitRequestFinished({ identifier }) {
      post("visitRequestFinished", { identifier })
    }

    visitRendered({ identifier }) {
      afterRepaint(() => post("visitRendered", { identifier }))
    }

    visitCompleted({ identifier, restorationIdentifier }) {
      post("visitCompleted", { identifier, restorationIdentifier })
    }

    visitFailed() {}

    formSubmissionStarted({ location }) {
      post("formSubmissionStarted", { location: address(location) })
    }

    formSubmissionFinished({ location }) {
      post("formSubmissionFinished", { location: address(location) })
    }

    pageInvalidated() {
      post("pageInvalidated")
    }

    linkPrefetchingIsEnabledForLocation() {
      return false
    }

    log(message) {
      post("log", { message: `${message}` })
    }
  }

  /**
   * A link to another host would take the browser away from the app. WebKit asks its app before it follows one; here
   * the page has to.
   */
  const keepInApp = (event) => {
    const link = event.composedPath().find((node) => node.localName === "a" && node.href)
    const isPlain = !event.defaultPrevented && event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey)
    if (!link || !isPlain || link.hostname === location.hostname || link.protocol === "javascript:") return
    event.preventDefault()
    post("linkActivated", { location: link.href })
  }

  if (window.turboNative || !(android || ios)) return
  window.turboNative = new Adapter()
  window.turboNative.start()
  // The last to hear of a click: whoever else handles it comes first.
  addEventListener("click", () => addEventListener("click", keepInApp, { once: true }), true)
})()
