// Part of bridge.js: what else a page sees as in an app.

/** In an app it is native code that closes a web view, or does not. */
const keepOpen = () => {
  override(window, "close", () => {
    tell("info", "the page called window.close(), which is left to native code in an app.")
  })
}

/** What the page can list of its requests. WebKit asks for no icon. */
const hideRequests = () => {
  const { prototype } = window.Performance
  const isForeign = ({ name }) => name !== tag?.src && !/\/favicon\.ico$/.test(name)
  for (const method of ["getEntries", "getEntriesByType", "getEntriesByName"]) {
    override(prototype, method, (method, object, list) => apply(method, object, list).filter(isForeign))
  }
}

/** `navigator.userAgent` by the browser's own getter, which knows a wrong `this`. */
const showUserAgent = (userAgent) => {
  const values = { userAgent, appVersion: userAgent.replace(/^Mozilla\//, "") }
  for (const key of keysOf(values)) {
    override(getPrototypeOf(navigator), key, (get, object, list) => {
      apply(get, object, list)
      return values[key]
    })
  }
}
