// Part of bridge.js: frames that can't load bridge.js themselves.

const FRAMES = "iframe, frame, object"
/** Frames that keep their first, empty document. */
const EMPTY_FRAMES = "iframe:not([src], [srcdoc]), frame:not([src])"

const isElement = (node) => nodeTypeOf(node) === 1
const nodeTypeOf = getter("Node", "nodeType")
const addedNodesOf = getter("MutationRecord", "addedNodes")
const nodeCountOf = getter("NodeList", "length")
const firstChildOf = getter("Element", "firstElementChild")
const localNameOf = getter("Element", "localName")
const matchesSelector = method("Element", "matches")
const findElements = method("Element", "querySelectorAll")
const getAttribute = method("Element", "getAttribute")
const hasAttribute = method("Element", "hasAttribute")
const defaultViewOf = getter("Document", "defaultView")
const windowOf = {
  iframe: getter("HTMLIFrameElement", "contentWindow"),
  frame: getter("HTMLFrameElement", "contentWindow"),
  object: getter("HTMLObjectElement", "contentWindow")
}

const eachNode = (nodes, run) => {
  const count = nodeCountOf(nodes)
  for (let index = 0; index < count; index++) run(nodes[index])
}

/** Runs bridge.js in the frames that load nothing (about:blank and srcdoc), whose documents have no tag for it. */
class ChildFrames {
  #webView

  constructor(webView) {
    this.#webView = webView
  }

  start() {
    // A script may access a frame before a MutationObserver reports it.
    each(["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement"], (name) => {
      each(["contentWindow", "contentDocument"], (key) => this.#watch(window[name].prototype, key))
    })
    const adopt = (node) => {
      if (!isElement(node)) return
      if (matchesSelector(node, EMPTY_FRAMES)) this.#adopt(node)
      if (firstChildOf(node)) eachNode(findElements(node, EMPTY_FRAMES), (frame) => this.#adopt(frame))
    }
    const observer = new MutationObserver((records) => {
      each(records, (record) => eachNode(addedNodesOf(record), adopt))
    })
    observer.observe(document, { subtree: true, childList: true })
    const loaded = (node) => isElement(node) && matchesSelector(node, FRAMES) && this.#adopt(node)
    listen(document, "load", (event) => loaded(targetOf(event)), true)
  }

  #watch(prototype, key) {
    override(prototype, key, (get, element, list) => {
      const value = apply(get, element, list)
      const child = key === "contentWindow" ? value : value && defaultViewOf(value)
      if (child) this.#adopt(element, child)
      return value
    })
  }

  #adopt(element, child = windowOf[localNameOf(element)](element)) {
    try {
      const { document, location } = child
      const loads = getAttribute(element, localNameOf(element) === "object" ? "data" : "src") ?? ""
      // A frame that loads something shows about:blank until that has arrived, and needs nothing.
      const isBlank = location.href === "about:blank" && !hasAttribute(element, "srcdoc")
      if (document.bridged || !(isBlank ? matches(loads, /^(about:.*)?$/) : location.href === "about:srcdoc")) return
      const script = createElement(document, "script")
      setNonce(script, nonce)
      const dataset = { webView: this.#webView }
      const shared = { trust, registrations, openSocket: sharedSocket ?? openSocket, isLeaving: () => bridge.isLeaving }
      define(script, "tag", { value: { src: tagSource, nonce, dataset, remove() {}, ...shared } })
      setText(script, trust.createScript(`(${functionText(start)})(document.currentScript.tag, true)`))
      appendChild(headOf(document) ?? rootOf(document), script)
      removeElement(script)
    } catch {} // The frame has another origin, or it was removed.
  }
}
