// Part of bridge.js where native code forbids scripts of the page's own in some web view.

/** The page's own scripts don't run; this file's and native code's do, by a nonce or by eval. */
if (bridge.scope.contentScripts === false) {
  nonce = makeUUID()
  const meta = document.createElement("meta")
  meta.httpEquiv = "Content-Security-Policy"
  meta.content = `script-src 'nonce-${nonce}' 'unsafe-eval'`
  ;(document.head ?? document.documentElement.appendChild(document.createElement("head"))).append(meta)
  meta.remove()
}
