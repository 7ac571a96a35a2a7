// Part of bridge.js: frames that can't load bridge.js themselves.

const FRAMES = "iframe, frame, object"
/** Frames that keep their first, empty document. */
const EMPTY_FRAMES = "iframe:not([src], [srcdoc]), frame:not([src])"

/** Runs this program in the frames that load nothing (about:blank and srcdoc): their documents have no tag for it. */
class ChildFrames {
  #webView

  constructor(webView) {
    this.#webView = webView
  }

  start() {
    // A script may access a frame before a MutationObserver reports it.
    for (const name of ["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement"]) {
      for (const key of ["contentWindow", "contentDocument"]) this.#watch(window[name].prototype, key)
    }
    const adopt = (node) => {
      if (node.localName && node.matches(EMPTY_FRAMES)) this.#adopt(node)
      if (node.firstElementChild) for (const frame of node.querySelectorAll(EMPTY_FRAMES)) this.#adopt(frame)
    }
    const observer = new window.MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) adopt(node)
    })
    observer.observe(document, { subtree: true, childList: true })
    listen(document, "load", ({ target }) => target.matches?.(FRAMES) && this.#adopt(target), true)
  }

  #watch(prototype, key) {
    override(prototype, key, (get, element, list) => {
      const value = apply(get, element, list)
      const child = key === "contentWindow" ? value : value?.defaultView
      if (child) this.#adopt(element, child)
      return value
    })
  }

  #adopt(element, child = element.contentWindow) {
    try {
      const { document, location } = child
      const loads = element.getAttribute(element.localName === "object" ? "data" : "src")
      const isBlank = location.href === "about:blank" && !element.hasAttribute("srcdoc")
      if (document.bridged || !(isBlank ? /^(about:.*)?$/.test(loads ?? "") : location.href === "about:srcdoc")) return
      const script = document.createElement("script")
      script.nonce = nonce
      const dataset = { webView: this.#webView }
      const isLeaving = () => bridge.isLeaving
      const shared = { trust, registrations, openSocket: tag?.openSocket ?? openSocket, isLeaving }
      script.tag = { src: tag?.src, nonce: script.nonce, dataset, remove() {}, ...shared }
      script.textContent = trust.createScript(`(${start})(document.currentScript.tag, true)`)
      ;(document.head ?? document.documentElement).append(script)
      script.remove()
    } catch {} // The frame has another origin, or it was removed.
  }
}
