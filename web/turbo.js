/**
 * The app's adapter for Turbo 7 and 8 and for Turbolinks 5, as `window.turboNative`. It posts their events as
 * `{name, data}` to the message handler `turbo`, and on Android to methods of `TurboSession`. Native code calls the
 * adapter's methods. The app adds it as a user script for document end, in main frames only.
 *
 * Native code makes all decisions: this adapter knows nothing about screens. It does not replace another adapter.
 */
;(() => {
  "use strict"

  /** How long to wait for Turbo, in milliseconds. The app says how long its release waits. */
  const LOAD_TIMEOUT = typeof turboLoadTimeout === "number" ? turboLoadTimeout : 30000

  const android = window.TurboSession
  const ios = window.webkit?.messageHandlers?.turbo

  /** Android's method for each event, and the members that it takes, in order. It has no methods for other events. */
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
    visitRequestFailed: [
      "visitRequestFailedWithStatusCode", "location", "identifier", "hasCachedSnapshot", "statusCode"
    ],
    visitRequestFailedWithNonHttpStatusCode: [
      "visitRequestFailedWithNonHttpStatusCode", "location", "identifier", "hasCachedSnapshot"
    ],
    visitRequestFinished: ["visitRequestFinished", "identifier"],
    visitRendered: ["visitRendered", "identifier"],
    visitCompleted: ["visitCompleted", "identifier", "restorationIdentifier"],
    formSubmissionStarted: ["formSubmissionStarted", "location"],
    formSubmissionFinished: ["formSubmissionFinished", "location"],
    linkActivated: ["linkActivated", "location"],
    elementTouchStarted: ["elementTouchStarted", "preventsPullToRefresh"],
    elementTouchEnded: ["elementTouchEnded"]
  }
  /**
   * @param {string} name the event
   * @param {object} data the members for iOS and Android
   * @param {object} more the members for Android only
   */
  const post = (name, data, more) => {
    if (!android) return ios.postMessage({ name, data: { ...data, timestamp: Date.now() } })
    const [method, ...keys] = METHODS[name] ?? []
    const members = { ...data, ...more, options: JSON.stringify(data?.options) }
    if (method) android[method](...keys.map((key) => members[key]))
  }

  /** The URL as text. Turbolinks has its own class for locations. */
  const address = (location) => location.absoluteURL ?? location.href ?? `${location}`

  /** A plain copy of visit options, because they may have values that can't be posted. */
  const plain = (options) => JSON.parse(JSON.stringify(options ?? {}))

  /** Waits for two frames. In a hidden document, which is not painted, it does not wait. */
  const afterRepaint = (callback) =>
    document.hidden ? callback() : requestAnimationFrame(() => requestAnimationFrame(callback))

  /** Whether a touch of an element scrolls something in the page, or the page keeps it from pulling the screen down. */
  const preventsPullToRefresh = (touched) => {
    for (let element = touched; element; element = element.parentElement) {
      const canScroll = element.scrollHeight > element.clientHeight
      if (canScroll && ["auto", "scroll"].includes(getComputedStyle(element).overflowY)) return true
    }
    return Boolean(touched.closest?.("[data-native-prevent-pull-to-refresh]"))
  }

  /** Tells an app for Android about each touch. On iOS the system decides. */
  const followTouches = () => {
    document.addEventListener("touchstart", ({ target }) => {
      post("elementTouchStarted", { preventsPullToRefresh: preventsPullToRefresh(target) })
    }, { passive: true })
    document.addEventListener("touchend", () => post("elementTouchEnded"))
  }

  class Adapter {
    #isRegistered = false

    start() {
      addEventListener("error", ({ message, filename, lineno, colno }) => {
        if (message) post("errorRaised", { error: `${message} (${filename}:${lineno}:${colno})` })
      })
      if (this.#register()) return
      // Turbo that starts after the document's load event does not dispatch `turbo:load`. As in the frameworks, nothing
      // else registers the adapter then, so the visit does not end.
      const register = () => {
        if (!this.#register()) return
        removeEventListener("turbo:load", register)
        removeEventListener("turbolinks:load", register)
      }
      addEventListener("turbo:load", register)
      addEventListener("turbolinks:load", register)
      setTimeout(() => window.Turbo || window.Turbolinks || this.#fail(), LOAD_TIMEOUT)
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
      if (android) followTouches()
      return true
    }

    #fail() {
      post("turboIsReady", { isReady: false })
      post("pageLoadFailed")
    }

    // Native code calls these.

    /** @param {object | string} options the options or their JSON */
    visitLocationWithOptionsAndRestorationIdentifier(location, options, restorationIdentifier) {
      const given = typeof options === "string" ? JSON.parse(options) : options
      if (window.Turbo) {
        // Native code shows a new screen even if only the anchor differs, so this must not be a jump within the page.
        const isSamePage = window.Turbo.navigator.locationWithActionIsSamePage?.(new URL(location), given.action)
        const all = isSamePage ? { ...given, action: "replace" } : given
        window.Turbo.navigator.startVisit(location, restorationIdentifier, all)
      } else {
        const { controller } = window.Turbolinks
        if (controller.startVisitToLocationWithAction) {
          controller.startVisitToLocationWithAction(location, given.action, restorationIdentifier)
        } else {
          controller.startVisitToLocation(location, restorationIdentifier, given) // Turbolinks 5.3
        }
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

    /**
     * Tells the page that its screen has come back from beneath a native one on Android. Nothing is visited, so nothing
     * else would tell bridge components that they are shown again.
     */
    restoreCurrentVisit() {
      document.dispatchEvent(new Event("native:restore"))
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
      } else if (navigator.location?.href === proposal.location) {
        // Turbo refreshes the current page: the screen stays the same.
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
      // As the frameworks' adapters, it does not show the response of a visit that began before it was registered.
      if (visit.identifier === this.currentVisit?.identifier) visit.loadResponse()
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
      const report = () => post("visitCompleted", { identifier, restorationIdentifier })
      if (android) afterRepaint(report)
      else report()
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

  /** Whether a link leads to a place in the document that is shown. */
  const isAnchor = (link) => link.hash && link.href.split("#")[0] === location.href.split("#")[0]

  /** Whether the app decides about a link that Turbo does not handle: on Android about each, on iOS outside the host. */
  const isForApp = (link) => android ? !isAnchor(link) : link.hostname !== location.hostname

  /**
   * Reports a click on a link instead of following it, because the browser would leave the app's pages. WebKit and
   * Android's web view ask their app before they follow a link; here the adapter has to ask.
   */
  const keepInApp = (event) => {
    const link = event.composedPath().find((node) => node.localName === "a" && node.href)
    const isPlain = !event.defaultPrevented && event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey)
    if (!link || !isPlain || !isForApp(link) || link.protocol === "javascript:") return
    event.preventDefault()
    post("linkActivated", { location: link.href })
  }

  if (window.turboNative || !(android || ios)) return
  window.turboNative = new Adapter()
  window.turboNative.start()
  // Adding the listener during capture makes it the last one, so all others have handled the click before.
  addEventListener("click", () => addEventListener("click", keepInApp, { once: true }), true)
})()
