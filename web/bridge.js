/**
 * The page's half of bridged: WKWebView's message handlers in any browser. First in <head>:
 *
 *     <script src="http://localhost:2734/bridge.js" data-web-view="main"></script>
 *
 * The web view may be named in the page's address, too: `?bridged-web-view=modal`. A tab keeps it.
 * `document.bridged` is `{state, page, url, webView}`: "connecting", "connected" or "away", the daemon's id of this
 * document or null, its WebSocket, and the web view's name. `document` gets "bridged:state" with `detail: {state, page,
 * attempt}` at each change.
 */
(function start(tag, isOwn) {
  "use strict"

  const settings = /* bridged:settings */ null

  // A policy may ask for trusted types, and list `bridged` as one that may be made.
  const plain = { createScript: (text) => text, createScriptURL: (url) => url }
  const makeTrust = () => {
    try {
      return window.trustedTypes.createPolicy("bridged", plain)
    } catch {
      return plain
    }
  }
  const trust = tag?.trust ?? makeTrust()

  if (isOwn) window.document.currentScript.remove()

  // What a script of another origin throws or rejects is muted ("Script error."), and so is what it evaluates.
  // Therefore the text runs once more, as the document's own, where its policy has nothing against that.
  if (!isOwn && tag?.src && new window.URL(tag.src).origin !== window.location.origin) {
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

  // The files of `bridge/`, which the daemon puts in here as it starts.
  /* bridged:part builtins */
  /* bridged:part wire */
  /* bridged:part describe */
  /* bridged:part values */
  /* bridged:part handlers */
  /* bridged:part outbox */
  /* bridged:part connection */
  /* bridged:part programs */
  /* bridged:part evaluator */
  /* bridged:part user-scripts */
  /* bridged:part appearance */
  /* bridged:part departure */
  /* bridged:part child-frames */
  /* bridged:part console */
  /* bridged:part page-observer */
  /* bridged:part page */
  /* bridged:part identity */

  let bridge = null

  const tell = (level, text) => {
    apply(native[level], console, [`bridged: ${text}`])
    bridge?.console.forward(level, `bridged: ${text}`)
  }

  if (document.bridged) {
    // Later it is Turbo that puts the next page's tag into <head>, because this one has taken its own out.
    if (document.readyState !== "loading") return
    return tell("warn", "bridge.js is on this page twice. Remove one tag.")
  }
  if (!settings) return tell("error", "load bridge.js from the daemon: http://localhost:2734/bridge.js")
  const name = findWebView(tag)
  const scopes = settings.webViews ?? {}
  // A window that a page opens is a web view of its own, made like that of its opener.
  const isPopup = [name, `${name}.popup`].includes(findOpener())
  const webView = isPopup ? `${name}.popup` : name
  bridge = new Bridge(findURL(tag), webView, hasOwn(scopes, name) ? scopes[name] : settings)
  defineProperty(document, "bridged", { get: () => bridge.status, configurable: true })
  if (document.readyState !== "loading" && tag?.isConnected) {
    native.info("bridged: put bridge.js first in <head>, so that the handlers are there before any script.")
  }
  /* bridged:part content-scripts */
  /* bridged:part interfaces */
  bridge.start()
})(window.document.currentScript)
