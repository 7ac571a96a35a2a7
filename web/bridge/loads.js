// Part of bridge.js: asks native code about the loads that the page itself begins, as the driver of a browser does. The
// page learns of them by the event `navigate`. Only while its listeners run can it be cancelled, so the page waits for
// the answer.

const cancelableOf = getter("Event", "cancelable")
const isCancelled = getter("Event", "defaultPrevented")
const destinationOf = getter("NavigateEvent", "destination")
const downloadOf = getter("NavigateEvent", "downloadRequest")
const formDataOf = getter("NavigateEvent", "formData")
const sourceElementOf = getter("NavigateEvent", "sourceElement")
const unlisten = method("EventTarget", "removeEventListener")
const staysInDocument = getter("NavigationDestination", "sameDocument")
const destinationURLOf = getter("NavigationDestination", "url")

/** Why a load begins, as in `navigation.decide`; undefined if native code is not asked. */
const loadTypeOf = (event) => {
  const type = navigationTypeOf(event)
  const isOwn = isNavigating || type === "traverse" || staysInDocument(destinationOf(event)) || downloadOf(event) !== null
  if (isOwn || isCancelled(event) || !cancelableOf(event)) return undefined
  if (type === "reload") return "reload"
  const element = sourceElementOf(event)
  if (element && matches(localNameOf(element), /^(a|area)$/)) return "link"
  return element || formDataOf(event) ? "form" : "script"
}

/** Asks native code. If the daemon is not there, the load goes on. */
const mayLoad = (url, type, isPost) => {
  if (bridge.isLeaving || bridge.status.state === "away") return true
  try {
    return callInterface("window", "navigate", [url, type, isPost]) !== false
  } catch (error) {
    report("warn", `native code was not asked about the load of ${url}: ${error.message}`)
    return true
  }
}

// Without `sourceElement`, a form that is sent by `get` could not be told from a link. Firefox closes the page's connection
// when a load begins, even if it is cancelled then, so that what native code does instead would be lost.
if (bridge.scope.loads && !isFrame && !isFirefox && lookUp("NavigateEvent", "sourceElement")) {
  // The latest navigation for which a script of the page makes the document. WebKit does not ask native code about it,
  // either.
  let intercepted
  override(window.NavigateEvent.prototype, "intercept", (method, event, list) => {
    intercepted = event
    return apply(method, event, list)
  })
  const decide = (event) => {
    const type = event === intercepted ? undefined : loadTypeOf(event)
    if (!type) return
    // Only a form that is sent by `post` has data here.
    if (!mayLoad(destinationURLOf(destinationOf(event)), type, formDataOf(event) !== null)) preventDefault(event)
  }
  /** Makes this the last listener: those of the page decide first whether the load goes on. */
  const listenLast = () => {
    unlisten(window.navigation, "navigate", decide)
    listen(window.navigation, "navigate", decide)
  }
  // Only this object gets a method of its own: other listeners are of no interest, and every page adds many.
  define(window.navigation, "addEventListener", {
    value: disguise(window.EventTarget.prototype.addEventListener, {
      apply: (method, target, list) => {
        const result = apply(method, target, list)
        listenLast()
        return result
      },
    }),
    writable: true,
    configurable: true,
  })
  listenLast()
}
