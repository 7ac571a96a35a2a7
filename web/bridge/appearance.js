// Part of bridge.js: changes other parts of the browser so that they look to a page as they do in an app.

/** Replaces `window.close()`: in an app, native code decides whether to close the web view. */
const keepOpen = () => {
  override(window, "close", () => {
    report("info", "the page called window.close(). In an app, native code decides what happens then.")
  })
}

/** Hides requests that WebKit does not make from the Performance API: this script and the page's icon. */
const hideRequests = () => {
  const { prototype } = window.Performance
  const isForeign = (entry) => nameOf(entry) !== tagSource && !matches(nameOf(entry), /\/favicon\.ico$/)
  each(["getEntries", "getEntriesByType", "getEntriesByName"], (name) => {
    override(prototype, name, (method, object, list) => {
      const entries = apply(method, object, list)
      return setPrototypeOf(filter(entries, isForeign), getPrototypeOf(entries))
    })
  })
}

/**
 * Changes `navigator.userAgent`. It still calls the browser's own getter, which throws for a wrong `this`.
 * @param {string} userAgent
 */
const showUserAgent = (userAgent) => {
  const values = { userAgent, appVersion: replace(userAgent, /^Mozilla\//, "") }
  each(keysOf(values), (key) => {
    override(getPrototypeOf(navigator), key, (get, object, list) => {
      apply(get, object, list)
      return values[key]
    })
  })
}
