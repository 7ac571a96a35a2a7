/**
 * Reports the bridge components that elements of the page use and the app does not have: a message
 * `{name: "unsupportedComponent", component, element}` for each component.
 *
 * The page's web library does not load controllers of components that the user agent does not list, so these elements do
 * nothing, and nothing else would tell native code about them. The app adds this as a user script for document start, in
 * main frames only, if it is to report what its build lacks.
 */
;(() => {
  "use strict"

  const listed = navigator.userAgent.match(/bridge-components: \[([^\]]*)\]/)?.[1].split(" ")
  const android = window.BridgeComponentsNative ?? window.StradaNative
  const ios = window.webkit?.messageHandlers?.bridge ?? window.webkit?.messageHandlers?.strada
  if (!listed || !(android || ios)) return

  const optOut = `data-controller-optout-${android ? "android" : "ios"}`
  const selector = '[data-controller*="bridge--"]'
  const reported = new Set()

  /** The element for people: its tag, and its text or its label. */
  const describe = (element) => {
    const text = element.getAttribute("aria-label") || element.getAttribute("data-bridge-title") || element.textContent
    const words = text.trim().replace(/\s+/g, " ")
    return `<${element.localName}>${words ? ` "${words.length > 40 ? `${words.slice(0, 40)}…` : words}"` : ""}`
  }

  const report = (component, element) => {
    if (listed.includes(component) || reported.has(component)) return
    reported.add(component)
    const message = { name: "unsupportedComponent", component, element: describe(element) }
    if (android) android.bridgeDidReceiveMessage(JSON.stringify(message))
    else ios.postMessage(message)
  }

  const inspect = (element) => {
    for (const identifier of element.getAttribute("data-controller").split(/\s+/)) {
      const component = identifier.match(/^bridge--([\w-]+)$/)?.[1]
      if (component && element.getAttribute(optOut) !== identifier) report(component, element)
    }
  }

  const look = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return
    if (node.matches(selector)) inspect(node)
    node.querySelectorAll(selector).forEach(inspect)
  }

  const start = () => {
    look(document.documentElement)
    new MutationObserver((records) => {
      for (const { target, addedNodes, type } of records) {
        if (type === "attributes") target.matches(selector) && inspect(target)
        else addedNodes.forEach(look)
      }
    }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-controller"] })
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start, { once: true })
  else start()
})()
