/**
 * The page's half of bridged: it gives any browser WKWebView's message handlers. Load it first in <head>:
 *
 *     <script src="http://localhost:2734/bridge.js" data-web-view="main"></script>
 *
 * The page's address may name the web view instead, with `?bridged-web-view=modal`; the tab remembers that name.
 *
 * `document.bridged` is `{state, page, url, webView}`: the state is "connecting", "connected" or "away", `page` is the
 * daemon's id of this document or null, `url` is the WebSocket's address, and `webView` is the web view's name.
 * At each change, `document` gets the event "bridged:state" with `detail: {state, page, attempt}`.
 *
 * In the repository this program is web/bridge.js and the files of web/bridge/. The daemon puts them together, writes
 * its settings into them, and serves them as they are apart from that.
 */
(function start(tag, isOwn) {
  "use strict"

  const settings = /* bridged:settings */ null

  if (window.document.bridged) {
    // Once the document is loaded, Turbo adds the next page's tag to <head>, because this program has removed its own.
    if (window.document.readyState !== "loading") return
    return window.console.warn("bridged: bridge.js is on this page twice. Remove one of the two tags.")
  }

  // An app, or a browser that bridged drives, has already given this page its handlers, which cannot be redefined. In an
  // app of its own the page is only observed.
  const webkit = globalThis.Object.getOwnPropertyDescriptor(window, "webkit")
  const kind = globalThis.Object.prototype.toString.call(window.webkit)
  const hasHandlers = kind === "[object WebKitNamespace]" && webkit?.configurable === false
  // Without handlers, as on Android, nothing tells such a page apart, so its driver cancels this event.
  const isDriven = !window.dispatchEvent(new window.CustomEvent("bridged:start", { cancelable: true }))
  if (isDriven) {
    return window.console.info("bridged: bridge.js does nothing, because this page has its handlers without it.")
  }
  /* bridged:part own-interfaces */
  const declared = (settings?.interfaces ?? []).map(({ name }) => name)
  const ownInterfaces = isOwn ? [] : findOwnInterfaces([...declared, ...(settings?.observe ?? [])])
  const isInApp = hasHandlers || ownInterfaces.length > 0

  // A page's Content-Security-Policy may require trusted types and allow the policy `bridged`.
  const plain = { createScript: (text) => text, createScriptURL: (url) => url }
  const makeTrust = () => {
    try {
      const policy = window.trustedTypes.createPolicy("bridged", plain)
      const { defineProperty } = window.Object
      // WebKit calls `toString` of a trusted text, which the page may replace.
      const makeText = (create) => (text) => {
        return defineProperty(create(text), "toString", { __proto__: null, value: () => text })
      }
      return {
        createScript: makeText(policy.createScript.bind(policy)),
        createScriptURL: makeText(policy.createScriptURL.bind(policy))
      }
    } catch {
      return plain
    }
  }
  const trust = tag?.trust ?? (isInApp ? plain : makeTrust())

  if (isOwn) window.document.currentScript.remove()

  // If a script of another origin throws, the page sees only "Script error.", and the same holds for code which that
  // script evaluates. So this program runs again, as an inline script of the document, if its policy allows that.
  if (!isInApp && !isOwn && tag?.src && new window.URL(tag.src).origin !== window.location.origin) {
    const script = window.document.createElement("script")
    script.nonce = tag.nonce
    script.tag = tag
    tag.trust = trust
    const text = `(${start})(document.currentScript.tag, document.currentScript.hasRun = true)`
    script.textContent = trust.createScript(text)
    tag.after(script)
    script.remove()
    if (script.hasRun) return
  }

  let nonce = tag?.nonce ?? ""
  // The page around a frame that loads nothing gives the frame more than the tag has.
  const { src: tagSource, registrations: sharedRegistrations, openSocket: sharedSocket, isLeaving } = tag ?? {}

  // The daemon replaces each of these comments with a file of web/bridge/.
  /* bridged:part builtins */
  /* bridged:part lists */
  /* bridged:part wire */
  /* bridged:part describe */
  /* bridged:part values */
  /* bridged:part exceptions */
  /* bridged:part overrides */
  /* bridged:part connection */
  /* bridged:part identity */
  /* bridged:part console */
  /* bridged:part page-observer */
  /* bridged:part stand-ins */
  /* bridged:part quiet-copies */
  /* bridged:part observations */
  /* bridged:part observed-calls */
  /* bridged:part observed-handlers */
  /* bridged:part observed-interfaces */
  /* bridged:part programs */
  /* bridged:part evaluator */
  /* bridged:part observer */

  if (isInApp) {
    if (!settings) return apply(native.error, console, ["bridged: bridge.js has no settings. Load it from the daemon."])
    return new Observer(findURL(tag), askedWebView(tag)).start(hasHandlers, ownInterfaces)
  }

  /* bridged:part handlers */
  /* bridged:part outbox */
  /* bridged:part user-scripts */
  /* bridged:part appearance */
  /* bridged:part departure */
  /* bridged:part child-frames */
  /* bridged:part error-events */
  /* bridged:part page */

  let bridge = null

  /** Writes to the page's console and to the daemon's log. */
  const report = (level, text) => {
    apply(native[level], console, [`bridged: ${text}`])
    bridge?.console.forward(level, `bridged: ${text}`)
  }

  if (!settings) {
    return report("error", "bridge.js has no settings. Load it from the daemon: http://localhost:2734/bridge.js")
  }
  const name = findWebView(tag)
  const scopes = settings.webViews ?? {}
  // A window that a page opens is a web view of its own with its opener's scope.
  const opener = findOpener()
  const isPopup = opener === name || opener === `${name}.popup`
  const webView = isPopup ? `${name}.popup` : name
  bridge = new Bridge(findURL(tag), webView, hasOwn(scopes, name) ? scopes[name] : settings)
  define(document, "bridged", { get: () => bridge.status, configurable: true })
  if (document.readyState !== "loading" && tag?.isConnected) {
    native.info("bridged: put bridge.js first in <head>, so that the handlers exist before any other script runs.")
  }
  /* bridged:part content-scripts */
  /* bridged:part interface-objects */
  /* bridged:part interfaces */
  /* bridged:part dialogs */
  /* bridged:part loads */
  bridge.start()
})(window.document.currentScript)
