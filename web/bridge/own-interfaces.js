// Part of bridge.js: finds out whether an Android app has given this page interface objects. It runs before any script of
// the page, and before the other parts.

/**
 * The names of the interface objects that native code has made: those of frameworks, those that the daemon knows, and in
 * Android's WebView all others, too. (There, nothing else is an enumerable object of the window with native methods.)
 */
const findOwnInterfaces = (names) => {
  const isNative = (run) => /\{\s*\[native code\]\s*\}$/.test(globalThis.Function.prototype.toString.call(run))
  const isMadeByNative = (object) => {
    if (typeof object !== "object" || object === null) return false
    const methods = []
    for (const key in object) if (typeof object[key] === "function") methods.push(object[key])
    return methods.length > 0 && methods.every(isNative)
  }
  const isInWebView = /Android.*; wv\)/.test(window.navigator.userAgent)
  const others = isInWebView ? globalThis.Object.keys(window).filter((name) => name !== "chrome") : []
  const all = new globalThis.Set(["TurboSession", "BridgeComponentsNative", "StradaNative", ...names, ...others])
  return [...all].filter((name) => {
    const property = globalThis.Object.getOwnPropertyDescriptor(window, name)
    return property?.configurable === true && isMadeByNative(property.value)
  })
}
