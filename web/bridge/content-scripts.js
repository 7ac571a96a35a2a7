// Part of bridge.js: web views in which native code forbids the page's own scripts (`allowsContentJavaScript = false`).

// This policy blocks the page's scripts. Scripts of this program and of native code run by a nonce or by eval.
if (bridge.scope.contentScripts === false) {
  nonce = makeUUID()
  const meta = document.createElement("meta")
  meta.httpEquiv = "Content-Security-Policy"
  meta.content = `script-src 'nonce-${nonce}' 'unsafe-eval'`
  ;(document.head ?? document.documentElement.appendChild(document.createElement("head"))).append(meta)
  meta.remove()
}
