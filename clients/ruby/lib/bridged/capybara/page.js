/**
 * What Capybara asks of a page: finds elements, says what state they are in, and changes those that need no finger.
 *
 * It runs in the page's own world, because scripts of a test get elements as arguments and return them. Elements have
 * handles: the name of the document and a number. Elements of frames of the same origin have handles of the window.
 */
(() => {
  const name = Math.random().toString(36).slice(2)
  const handles = new WeakMap()
  const nodes = new Map()
  let count = 0
  let leaves = false
  let arrived = false
  /** Whether the page has seen the press of a button that the input began with. */
  let isSeen = true
  /** How many keys the page has seen go down since typing began. */
  let keys = 0
  const countKey = () => { keys++ }
  // Tests replace these by a clock of their own.
  const later = setTimeout.bind(globalThis)
  const clock = performance.now.bind(performance)
  addEventListener("beforeunload", () => { leaves = true })

  class Failure extends Error {
    constructor(kind, message) {
      super(message)
      this.kind = kind
    }
  }

  const handle = (node) => {
    let found = handles.get(node)
    if (!found) {
      count += 1
      found = `${name}:${count}`
      handles.set(node, found)
      nodes.set(found, node)
    }
    return found
  }

  const isThere = (node) => node.isConnected && node.ownerDocument.defaultView !== null
  const node = (key) => {
    const found = nodes.get(key)
    if (!found || !isThere(found)) throw new Failure("stale", "The element is no longer in the page.")
    return found
  }

  /** The document in the innermost of these frames. */
  const documentOf = (frames) => {
    if (frames.length === 0) return document
    const frame = nodes.get(frames.at(-1))
    const inner = frame && isThere(frame) ? frame.contentDocument : null
    if (!inner) throw new Failure("stale", "The frame is gone, or belongs to another origin.")
    return inner
  }

  // ---- Values ----

  /** A value as JSON, in which an element is an object with its handle. */
  const pack = (value, around = []) => {
    if (value === undefined || value === null) return null
    if (typeof value === "function" || typeof value === "symbol") return null
    if (typeof value === "bigint") return String(value)
    if (typeof value !== "object") return value
    if (value.nodeType === 9) return { "bridged.node": handle(value.documentElement) }
    if (value.nodeType !== undefined && typeof value.nodeName === "string") return { "bridged.node": handle(value) }
    if (around.includes(value)) return null
    const inner = [...around, value]
    if (typeof value.toJSON === "function") return value.toJSON()
    if (Array.isArray(value) || /^\[object (NodeList|HTMLCollection|Arguments|HTMLOptionsCollection)\]$/.test(Object.prototype.toString.call(value))) {
      return Array.from(value, (item) => pack(item, inner))
    }
    return Object.fromEntries(Object.keys(value).map((key) => [key, pack(value[key], inner)]))
  }

  const unpack = (value) => {
    if (Array.isArray(value)) return value.map(unpack)
    if (value === null || typeof value !== "object") return value
    if ("bridged.node" in value) return node(value["bridged.node"])
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]))
  }

  // ---- State ----

  const tag = (element) => element.localName?.toLowerCase() ?? "ShadowRoot"

  const isShown = (element) => {
    if (element.nodeType !== 1) return true
    const kind = tag(element)
    if (["head", "script", "style", "template", "noscript", "meta", "title", "link"].includes(kind)
      && element.namespaceURI === "http://www.w3.org/1999/xhtml") return false
    if (kind === "option" || kind === "optgroup") {
      const select = element.closest("select, datalist")
      return select !== null && isShown(select)
    }
    if (kind === "input" && element.type === "hidden") return false
    if (kind === "area" || kind === "map") {
      const map = element.closest("map")
      const image = map?.name && element.ownerDocument.querySelector(`img[usemap="#${CSS.escape(map.name)}"]`)
      return Boolean(image) && isShown(image)
    }
    const style = getComputedStyle(element)
    if (style.visibility !== "visible" || style.display === "none") return false
    // A closed <details> shows its summary only.
    for (let inner = element, outer = element.parentElement; outer; inner = outer, outer = outer.parentElement) {
      if (outer.localName === "details" && !outer.open
        && inner !== [...outer.children].find((child) => child.localName === "summary")) return false
    }
    if (kind === "details" || kind === "body" || kind === "html") return isDisplayed(element)
    if (!isDisplayed(element)) return false
    return !isTransparent(element) && hasSize(element) && !isHiddenByClipping(element)
  }

  const isDisplayed = (element) => {
    for (let outer = element; outer; outer = outer.parentElement ?? outer.getRootNode().host) {
      if (getComputedStyle(outer).display === "none") return false
    }
    return true
  }

  /** How an element with this style clips others. The window, as <html>, takes what <body> says, if <html> says nothing. */
  const clippingOf = (element, { overflowX: x, overflowY: y }) => {
    const { documentElement: root, body } = element.ownerDocument
    if (element !== root && element !== body) return { x, y }
    const isOfWindow = getComputedStyle(root).overflow === "visible"
    if (element === body) return isOfWindow ? { x: "visible", y: "visible" } : { x, y }
    if (isOfWindow && body) ({ overflowX: x, overflowY: y } = getComputedStyle(body))
    return { x: x === "visible" ? "auto" : x, y: y === "visible" ? "auto" : y }
  }

  const clippingBox = (element) => {
    const root = element.ownerDocument.documentElement
    if (element !== root) return element.getBoundingClientRect()
    return { left: 0, top: 0, right: root.clientWidth, bottom: root.clientHeight, width: root.clientWidth, height: root.clientHeight }
  }

  /** Where an element is outside of the one that clips it. */
  const placeIn = (element, clipper, outer) => {
    const inner = element.getBoundingClientRect()
    const { documentElement: root, defaultView: view } = clipper.ownerDocument
    const scroll = clipper === root ? { x: view.scrollX, y: view.scrollY } : { x: clipper.scrollLeft, y: clipper.scrollTop }
    return {
      isBefore: { x: inner.right < outer.left, y: inner.bottom < outer.top },
      isBehind: { x: inner.left >= outer.right, y: inner.top >= outer.bottom },
      // Nobody can scroll to what is before the beginning.
      isLost: { x: inner.right < outer.left - scroll.x, y: inner.bottom < outer.top - scroll.y }
    }
  }

  /** Whether a parent that has this style clips an element in this position. */
  const mayClip = (style, position) => !style.display.startsWith("inline") && style.display !== "contents"
    && !(position === "absolute" && style.position === "static")

  /** Whether no scrolling shows an element, because one around it clips it (as WebDriver's clients have it). */
  const isClipped = (element) => {
    const root = element.ownerDocument.documentElement
    let { position } = getComputedStyle(element)
    let isFixed = false
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      isFixed ||= position === "fixed"
      const style = outer === root || position !== "fixed" ? getComputedStyle(outer) : null
      if (outer !== root && !(style && mayClip(style, position))) continue
      position = style.position
      const clipping = clippingOf(outer, style)
      if (clipping.x === "visible" && clipping.y === "visible") continue
      const box = clippingBox(outer)
      if (box.width === 0 || box.height === 0) return true
      const { isBefore, isBehind, isLost } = placeIn(element, outer, box)
      const axes = ["x", "y"].filter((axis) => clipping[axis] !== "visible" && (isBefore[axis] || isBehind[axis]))
      if (axes.length === 0) continue
      const never = (axis) => ["hidden", "clip"].includes(clipping[axis]) || isLost[axis] || isFixed && isBehind[axis]
      return axes.some(never) || isClipped(outer)
    }
    return false
  }

  /** Whether an element and all that is in it are clipped. */
  const isHiddenByClipping = (element) => isClipped(element)
    && [...element.children].every((child) => isHiddenByClipping(child) || !hasSize(child))

  const isTransparent = (element) => {
    for (let outer = element; outer; outer = outer.parentElement) {
      if (getComputedStyle(outer).opacity === "0") return true
    }
    return false
  }

  const hasSize = (element) => {
    const { width, height } = element.getBoundingClientRect()
    if (width > 0 && height > 0) return true
    if (getComputedStyle(element).overflow === "hidden" && (width === 0 || height === 0)
      && getComputedStyle(element).display !== "inline") return false
    return [...element.childNodes].some((child) => child.nodeType === 3
      ? child.data.trim() !== "" : child.nodeType === 1 && isShown(child))
      || element.shadowRoot !== null || element.childNodes.length === 0 && element.getClientRects().length > 0
  }

  /** Those of WebDriver's clients. */
  const booleans = [
    "allowfullscreen", "allowpaymentrequest", "allowusermedia", "async", "autofocus", "autoplay", "checked", "compact",
    "complete", "controls", "declare", "default", "defaultchecked", "defaultselected", "defer", "disabled", "ended",
    "formnovalidate", "hidden", "indeterminate", "inert", "iscontenteditable", "ismap", "itemscope", "loop", "multiple",
    "muted", "nohref", "nomodule", "noresize", "noshade", "novalidate", "nowrap", "open", "paused", "playsinline",
    "pubdate", "readonly", "required", "reversed", "scoped", "seamless", "seeking", "selected", "truespeed",
    "typemustmatch", "willvalidate"
  ]
  const properties = {
    allowfullscreen: "allowFullscreen", defaultchecked: "defaultChecked", defaultselected: "defaultSelected",
    formnovalidate: "formNoValidate", iscontenteditable: "isContentEditable", ismap: "isMap", nomodule: "noModule",
    novalidate: "noValidate", playsinline: "playsInline", readonly: "readOnly", willvalidate: "willValidate"
  }

  /** An attribute as WebDriver's clients see it: the state of it if it has one. */
  const attribute = (element, key) => {
    const lower = key.toLowerCase()
    if (booleans.includes(lower)) {
      const isChoice = ["checked", "selected"].includes(lower) && element.matches?.("option, [type=checkbox], [type=radio]")
      const state = isChoice ? Boolean(element.selected ?? element.checked) : element[properties[lower] ?? lower]
      return (typeof state === "boolean" ? state : element.hasAttribute?.(lower)) ? "true" : null
    }
    if (lower === "style") return element.getAttribute("style") === null ? null : element.style.cssText
    if (["href", "src"].includes(lower)) {
      return element.hasAttribute(lower) ? String(element[lower]?.baseVal ?? element[lower] ?? element.getAttribute(lower)) : null
    }
    const state = element[key]
    if (state === undefined || state === null || typeof state === "object" || typeof state === "function") {
      return element.getAttribute?.(key) ?? null
    }
    return String(state)
  }

  const value = (element) => {
    if (tag(element) === "select" && element.multiple) return [...element.selectedOptions].map((option) => option.value)
    // It is a number in <progress>, <meter> and <li>.
    return typeof element.value === "number" ? String(element.value) : element.value ?? null
  }

  const isDisabled = (element) => element.matches(":disabled, select:disabled *")
    || tag(element) === "fieldset" && element.disabled

  const visibleText = (element) => {
    if (!isShown(element)) return ""
    if (tag(element) === "textarea") return keepSpace(element.textContent)
    if (element.nodeType !== 1 || element.innerText === undefined) {
      // A shadow root, or a part of a picture.
      return element.nodeType === 11
        ? [...element.childNodes].map((child) => child.nodeType === 1 ? visibleText(child) : child.textContent).join("")
        : element.textContent
    }
    return textOf(element)
  }

  /** Spaces and ends of lines that stay as they are: Capybara's driver in Ruby knows these characters. */
  const keepSpace = (text) => text.replace(/[ \t]/g, "\u00a0").replace(/\n(?=[^]*[^\n])/g, "\ue000")

  /** The visible text of an element, in which the spaces of preformatted parts are kept. */
  const textOf = (element) => {
    let [rest, text] = [element.innerText, ""]
    // Only these would be lost. To look at the style of each element takes time.
    if (!/ {2}|\t|\n[ \n]| \n/.test(rest)) return rest
    for (const part of preformattedParts(element)) {
      // What is not shown has an innerText, too.
      const own = part.getClientRects().length > 0 && part.innerText?.replace(/\n+$/, "")
      const index = own ? rest.indexOf(own) : -1
      if (index < 0) continue
      text += rest.slice(0, index) + (getComputedStyle(part).whiteSpace === "pre-line" ? own.replace(/\n/g, "\ue000") : keepSpace(own))
      rest = rest.slice(index + own.length)
    }
    return text + rest
  }

  const isPreformatted = (element) => /^(pre|break-spaces)/.test(getComputedStyle(element).whiteSpace)

  /** The outermost elements in which spaces count. */
  const preformattedParts = (element) => {
    if (isPreformatted(element)) return [element]
    return [...element.children].flatMap(preformattedParts)
  }

  const path = (element) => {
    if (element.getRootNode() !== element.ownerDocument) return "(: Shadow DOM element - no XPath :)"
    const steps = []
    for (let step = element; step && step.nodeType === 1; step = step.parentNode) {
      const alike = [...step.parentNode?.children ?? []].filter((other) => other.nodeName === step.nodeName)
      const isForeign = step.namespaceURI !== element.ownerDocument.documentElement.namespaceURI
      const label = isForeign ? `*[local-name()='${step.nodeName}' and namespace-uri()='${step.namespaceURI ?? ""}']` : step.nodeName.toUpperCase()
      steps.unshift(step.parentNode?.nodeType === 9 ? label : `${label}[${alike.indexOf(step) + 1}]`)
    }
    return `/${steps.join("/")}`
  }

  /** Where the frame of a document is in the window. */
  const origin = (inner) => {
    let [x, y] = [0, 0]
    for (let view = inner.defaultView; view && view !== window; view = view.parent) {
      const frame = view.frameElement
      const box = frame.getBoundingClientRect()
      x += box.left + frame.clientLeft + parseFloat(getComputedStyle(frame).paddingLeft || 0)
      y += box.top + frame.clientTop + parseFloat(getComputedStyle(frame).paddingTop || 0)
    }
    return { x, y }
  }

  /** The innermost element at a point, also in shadow trees. */
  const elementAt = (root, x, y) => {
    let found = root.elementFromPoint(x, y)
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === found) break
      found = inner
    }
    return found
  }

  const contains = (element, other) => {
    for (let inner = other; inner; inner = inner.assignedSlot ?? inner.parentNode ?? inner.host) {
      if (inner === element) return true
    }
    return false
  }

  const describe = (element) => {
    const classes = [...element.classList ?? []].map((one) => `.${one}`).join("")
    return `${tag(element)}${element.id ? `#${element.id}` : ""}${classes}`
  }

  /** What a person would call an element: its tag and its label or text. */
  const label = (element) => {
    const own = element.matches?.("input[type=submit], input[type=button], input[type=reset]") ? element.value : ""
    const text = element.getAttribute("aria-label") || element.labels?.[0]?.textContent || own || element.placeholder
      || (element.matches("input, textarea, select") ? "" : element.textContent)
    const short = (text ?? "").trim().replace(/\s+/g, " ").slice(0, 40)
    return short ? `${tag(element)} "${short}"` : describe(element)
  }

  const isInView = (element, x, y) => {
    const view = element.ownerDocument.defaultView
    if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) return false
    for (let inner = view; inner !== window; inner = inner.parent) {
      const box = inner.frameElement.getBoundingClientRect()
      if (box.bottom < 0 || box.top > inner.parent.innerHeight) return false
    }
    return true
  }

  const boxOf = (element) => {
    const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    return tag(element) === "a" || boxes.length > 0 && getComputedStyle(element).display === "inline"
      ? boxes[0] ?? element.getBoundingClientRect() : element.getBoundingClientRect()
  }

  /** The point of an element that an offset names, or its middle. */
  const pointOf = (element, x, y, isFromMiddle) => {
    const box = x === null ? boxOf(element) : element.getBoundingClientRect()
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
    if (x === null) return middle
    return isFromMiddle ? { x: middle.x + x, y: middle.y + y } : { x: box.left + x, y: box.top + y }
  }

  const scrollIntoView = (element) => element.scrollIntoView({ behavior: "instant", block: "center", inline: "center" })

  const isHidden = (element) => {
    const box = element.getBoundingClientRect()
    return element.getClientRects().length === 0 || getComputedStyle(element).visibility !== "visible"
      || box.width === 0 && box.height === 0 && element.children.length === 0
  }

  /** Brings an element into view, and returns where a pointer reaches it, in the window. */
  const aim = (element, x, y, isFromMiddle, mayMiss) => {
    if (isHidden(element)) throw new Failure("hidden", `${describe(element)} is hidden.`)
    let point = pointOf(element, x, y, isFromMiddle)
    if (!isInView(element, point.x, point.y)) {
      scrollIntoView(element)
      point = pointOf(element, x, y, isFromMiddle)
    }
    const root = element.getRootNode()
    if (!mayMiss && x === null) {
      let hit = elementAt(root.nodeType === 11 ? element.ownerDocument : root, point.x, point.y)
      if (!contains(element, hit) && !contains(hit?.closest?.("label")?.control ?? null, element)) {
        scrollIntoView(element)
        point = pointOf(element, x, y, isFromMiddle)
        hit = elementAt(element.ownerDocument, point.x, point.y)
      }
      if (!contains(element, hit)) {
        const other = hit ? describe(hit) : "nothing"
        throw new Failure("covered", `${describe(element)} cannot be clicked at (${point.x}, ${point.y}): ${other} is there.`)
      }
    }
    const corner = origin(element.ownerDocument)
    return { x: point.x + corner.x, y: point.y + corner.y }
  }

  /** Waits for the events of input that follows, and for whether the page is left then. */
  const watch = (inner, type) => {
    [leaves, arrived, isSeen] = [false, false, false]
    const see = () => { arrived = isSeen = true }
    const options = { capture: true, once: true, passive: true }
    inner.defaultView.addEventListener(type, see, options)
    for (const first of ["pointerdown", "mousedown"]) inner.defaultView.addEventListener(first, () => { isSeen = true }, options)
  }

  // ---- Changes ----

  const tell = (element, type, kind = Event, options = {}) =>
    element.dispatchEvent(new kind(type, { bubbles: true, ...options }))

  const setByScript = (element, text) => {
    if (element.readOnly || element.disabled) return
    element.focus()
    const former = element.value
    if (former === text) return
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")
    set.call(element, text)
    if (text !== "" && element.value === "") {
      set.call(element, former)
      throw new Failure("value", `A field of the type ${element.type} takes no ${JSON.stringify(text)}.`)
    }
    tell(element, "input", InputEvent)
    tell(element, "change")
  }

  /** Whether a text can be typed into an element; then it has the focus, and its contents are selected. */
  const beginTyping = (element, clear) => {
    keys = 0
    element.ownerDocument.defaultView.addEventListener("keydown", countKey, { capture: true, passive: true })
    if (element.isContentEditable) {
      let host = element
      while (host.parentElement?.isContentEditable) host = host.parentElement
      host.focus()
      const range = element.ownerDocument.createRange()
      range.selectNodeContents(element)
      if (clear === "none") range.collapse(false)
      const selection = element.ownerDocument.defaultView.getSelection()
      selection.removeAllRanges()
      selection.addRange(range)
      return { isTyped: true, length: element.textContent.length }
    }
    if (!element.matches("input, textarea") || isDisabled(element)) return { isTyped: false }
    if (element.readOnly) return { isTyped: false, isReadOnly: true }
    if (isHidden(element)) throw new Failure("hidden", `${describe(element)} is hidden.`)
    if (element.ownerDocument.activeElement !== element) {
      const box = element.getBoundingClientRect()
      if (!isInView(element, box.left, box.top)) scrollIntoView(element)
      element.focus()
    }
    const length = element.value.length
    if (clear === "none") {
      try { element.setSelectionRange(length, length) } catch { /* A number has no selection. */ }
    } else {
      element.select()
    }
    return { isTyped: true, length, maximum: element.maxLength >= 0 ? element.maxLength : null }
  }

  const fileOf = ({ name, type, data }) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return new File([bytes], name, { type })
  }

  const itemsOf = (strings, files) => {
    const transfer = new DataTransfer()
    for (const { type, data } of strings) transfer.items.add(data, type)
    for (const file of files) transfer.items.add(fileOf(file))
    return transfer
  }

  const selectOption = (option, isSelected) => {
    const select = option.closest("select")
    if (isDisabled(option) || !select) return
    if (!isSelected && !select.multiple) throw new Failure("unselect", "Cannot unselect option from single select box.")
    if (option.selected === isSelected) return
    tell(select, "mousedown", MouseEvent)
    select.focus()
    option.selected = isSelected
    tell(select, "input")
    tell(select, "change")
    tell(select, "mouseup", MouseEvent)
    tell(select, "click", MouseEvent)
  }

  const pause = (milliseconds) => new Promise((resolve) => { later(resolve, milliseconds) })

  /** The events of a drag of an element that is draggable by itself, for which browsers without a window have no input. */
  const dragByScript = async (from, to, milliseconds, keys) => {
    const source = from.closest("[draggable=true], a[href], img") ?? from
    const dataTransfer = new DataTransfer()
    const link = source.href ?? source.src
    if (link) {
      dataTransfer.setData("text/uri-list", link)
      dataTransfer.setData("text", link)
    }
    const options = { bubbles: true, cancelable: true, dataTransfer }
    const start = pointOf(source, null)
    source.dispatchEvent(new DragEvent("dragstart", { ...options, clientX: start.x, clientY: start.y }))
    await pause(milliseconds)
    for (const key of keys) options[`${key === "control" ? "ctrl" : key}Key`] = true
    scrollIntoView(to)
    const box = to.getBoundingClientRect()
    const middle = pointOf(to, null)
    const now = pointOf(source, null)
    // It enters over the edge that is nearest, so that the page sees a direction.
    const edge = {
      clientX: Math.min(Math.max(now.x, box.left), box.right), clientY: Math.min(Math.max(now.y, box.top), box.bottom)
    }
    to.dispatchEvent(new DragEvent("dragenter", { ...options, ...edge }))
    to.dispatchEvent(new DragEvent("dragover", { ...options, ...edge }))
    await pause(milliseconds)
    const place = { clientX: middle.x, clientY: middle.y }
    const accepts = !to.dispatchEvent(new DragEvent("dragover", { ...options, ...place }))
    await pause(milliseconds)
    to.dispatchEvent(new DragEvent("dragleave", { ...options, ...place }))
    if (accepts) to.dispatchEvent(new DragEvent("drop", { ...options, ...place }))
    source.dispatchEvent(new DragEvent("dragend", { ...options, ...place }))
  }

  /** The events of a mouse that drags to an element which the window does not show beside the first one. */
  const dragByMouseEvents = async (from, to, keys) => {
    const send = (element, type, buttons, held = []) => {
      const { x, y } = pointOf(element, null)
      const options = { cancelable: true, clientX: x, clientY: y, button: 0, buttons, view: window, composed: true }
      for (const key of held) options[`${key === "control" ? "ctrl" : key}Key`] = true
      tell(element, type, MouseEvent, options)
    }
    scrollIntoView(from)
    send(from, "mousedown", 1)
    send(from, "mousemove", 1)
    await pause(10)
    scrollIntoView(to)
    send(to, "mousemove", 1)
    await pause(10)
    send(to, "mousemove", 1, keys)
    send(to, "mouseup", 0, keys)
  }

  // ---- Calls ----

  /** A page listens to a click with any event; a link or a button takes only that of a mouse. */
  const eventOf = (type) => {
    if (["click", "dblclick", "contextmenu", "auxclick"].includes(type) || type.startsWith("mouse")) return MouseEvent
    return ["focus", "blur", "focusin", "focusout"].includes(type) ? FocusEvent : Event
  }

  /** A script of the test as a function of a window. The policy of a frame may forbid to make one of a text. */
  const functionOf = (view, source, script) => {
    if (view === window) return script
    try {
      return view.Function(source)
    } catch (error) {
      if (error?.name !== "EvalError") throw error
      return script(view)
    }
  }

  const evaluateXPath = (query, root) => {
    const result = (root.ownerDocument ?? root).evaluate(query, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
    return Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index))
  }

  const box = (element) => {
    const { x, y, width, height, top, right, bottom, left } = element.getBoundingClientRect()
    return { x, y, width, height, top, right, bottom, left }
  }

  const calls = {
    find(frames, kind, query, within, { visible = false, texts = [], styles = null, position = false }) {
      const root = within ? node(within) : documentOf(frames)
      let found
      try {
        found = kind === "css" ? [...root.querySelectorAll(query)] : evaluateXPath(query, root)
      } catch (error) {
        throw new Failure("selector", error.message)
      }
      if (texts.length > 0) {
        const lower = texts.map((text) => text.toLowerCase())
        found = found.filter(({ textContent }) => lower.every((text) => textContent.toLowerCase().includes(text)))
      }
      return found.map((element) => {
        const hints = {}
        if (visible) hints.visible = isShown(element)
        if (position) hints.position = box(element)
        if (styles) hints.style = styleOf(element, styles)
        return [handle(element), element.nodeType === 1 ? tag(element) : "", hints]
      })
    },
    tag: (element) => tag(element),
    attribute,
    value,
    allText: (element) => element.textContent ?? "",
    visibleText,
    isShown,
    isChecked: (element) => Boolean(element.checked),
    isSelected: (element) => Boolean(element.selected ?? element.checked),
    isDisabled,
    path,
    rect: box,
    style: (element, names) => styleOf(element, names),
    shadowRoot: (element) => element.shadowRoot ? handle(element.shadowRoot) : null,
    isObscured(element, x, y) {
      const area = element.getBoundingClientRect()
      let [left, top] = [area.left + (x ?? area.width / 2), area.top + (y ?? area.height / 2)]
      if (!contains(element, elementAt(element.ownerDocument, left, top))) return true
      for (let view = element.ownerDocument.defaultView; view !== window; view = view.parent) {
        const frame = view.frameElement
        const corner = frame.getBoundingClientRect()
        left += corner.left + frame.clientLeft
        top += corner.top + frame.clientTop
        if (!contains(frame, elementAt(frame.ownerDocument, left, top))) return true
      }
      return false
    },
    kind: (element) => ({
      tag: tag(element), type: (element.type ?? "").toLowerCase(), isEditable: Boolean(element.isContentEditable),
      isMultiple: Boolean(element.multiple), isChecked: Boolean(element.checked), isReadOnly: Boolean(element.readOnly),
      hasValue: "value" in element, label: label(element)
    }),
    aim(element, x, y, isFromMiddle, mayMiss, type) {
      const point = aim(element, x, y, isFromMiddle, mayMiss)
      watch(element.ownerDocument, type)
      return { ...point, label: label(element) }
    },
    beginTyping,
    /** Begins to type into what has the focus, or into an element. */
    focus(element) {
      if (element.ownerDocument.activeElement !== element) {
        element.focus()
        if (element.matches("input, textarea")) {
          try { element.setSelectionRange(element.value.length, element.value.length) } catch { /* as above */ }
        } else if (element.isContentEditable) {
          element.ownerDocument.defaultView.getSelection().selectAllChildren(element)
          element.ownerDocument.defaultView.getSelection().collapseToEnd()
        }
      }
      watch(element.ownerDocument, "keyup")
      return label(element)
    },
    clear(element) {
      if (element.readOnly || isDisabled(element)) return
      element.focus()
      if (element.value !== "") {
        element.select()
        element.ownerDocument.execCommand("delete") || (element.value = "")
        tell(element, "change")
      }
    },
    insert(element, text) { element.ownerDocument.execCommand("insertText", false, text) },
    setByScript,
    selectOption(option, isSelected) {
      selectOption(option, isSelected)
      return label(option)
    },
    attach(element, files) {
      element.files = itemsOf([], files).files
      tell(element, "input")
      tell(element, "change")
    },
    drop(element, strings, files) {
      const options = { bubbles: true, cancelable: true, dataTransfer: itemsOf(strings, files) }
      element.dispatchEvent(new DragEvent("dragenter", options))
      element.dispatchEvent(new DragEvent("dragover", options))
      element.dispatchEvent(new DragEvent("drop", options))
    },
    isDraggable(element) {
      const source = element.closest("[draggable=true], a[href], img")
      if (!source || element.closest("[draggable=false]")) return false
      // A page that drags by itself keeps the browser from it.
      const isFree = tell(element, "mousedown", MouseEvent, { cancelable: true, button: 0 })
      tell(element, "mouseup", MouseEvent, { button: 0 })
      return isFree
    },
    dragByScript,
    dragByMouseEvents,
    scrollBy: (element, x, y) => element.scrollBy(x, y),
    scrollTo(element, x, y) { (element.scrollTo ? element : document.scrollingElement).scrollTo(x, y) },
    scrollToPlace(element, place) {
      const root = element.localName === "html" ? element.ownerDocument.scrollingElement : element
      const end = root.scrollHeight
      root.scrollTo(0, { top: 0, bottom: end, center: Math.floor((end - root.clientHeight) / 2) }[place])
    },
    scrollToElement(element, place) {
      element.scrollIntoView({ behavior: "instant", block: { top: "start", bottom: "end", center: "center" }[place] })
    },
    trigger(element, type) {
      leaves = false
      tell(element, type, eventOf(type), {
        cancelable: true, composed: true, bubbles: !["focus", "blur", "mouseenter", "mouseleave"].includes(type),
        view: element.ownerDocument.defaultView
      })
    },
    /** Runs a function of the test; in a frame, its text, because it has to be a function of the frame's own. */
    run(frames, source, values, script) {
      const view = documentOf(frames).defaultView
      return pack(functionOf(view, source, script).apply(view, unpack(values)))
    },
    async runAsync(frames, source, values, script, milliseconds) {
      const view = documentOf(frames).defaultView
      const function_ = functionOf(view, source, script)
      return pack(await new Promise((resolve, reject) => {
        later(() => reject(new Failure("timeout", "The script did not call back in time.")), milliseconds)
        function_.apply(view, [...unpack(values), resolve])
      }))
    },
    html(frames) {
      const inner = documentOf(frames)
      const type = inner.doctype ? new XMLSerializer().serializeToString(inner.doctype) : ""
      return type + (inner.documentElement?.outerHTML ?? "")
    },
    title: () => document.title,
    frameTitle: (frames) => documentOf(frames).title,
    frameURL: (frames) => documentOf(frames).location.href,
    url: () => location.href,
    state: () => ({ isLoaded: document.readyState === "complete", url: location.href }),
    active(frames) {
      const inner = documentOf(frames)
      return handle(inner.activeElement ?? inner.body ?? inner.documentElement)
    },
    size: () => [innerWidth, innerHeight],
    frame(element) {
      if (!element.contentWindow) throw new Failure("stale", "This is no frame.")
      if (!element.contentDocument) throw new Failure("origin", "The frame belongs to another origin.")
      return true
    },
    /** Waits until a field has got a text, because browsers handle keys later. A page may make something else of it. */
    async typed(element, text, milliseconds) {
      const end = clock() + milliseconds
      const found = () => element.value ?? element.textContent
      while (!found().includes(text) && clock() < end) await pause(1)
      return { value: found(), keys }
    },
    /** Waits until input has arrived, and says whether it makes the browser leave the page. */
    async settle(frames, milliseconds) {
      const end = clock() + milliseconds
      while (!arrived && clock() < end) await pause(1)
      await pause(0)
      await pause(0)
      return { leaves, isSeen, isLoading: document.readyState !== "complete" }
    }
  }
  const ofPage = ["find", "run", "runAsync", "html", "title", "frameTitle", "frameURL", "url", "state", "active", "size", "settle"]

  const styleOf = (element, names) => {
    const style = getComputedStyle(element)
    return Object.fromEntries(names.map((key) => [key, style.getPropertyValue(key) || style[key] || ""]))
  }

  const failure = (error) => JSON.stringify({
    kind: error?.kind ?? "script", message: String(error?.message ?? error), name: String(error?.name ?? "")
  })
  const perform = (method, frames, values) => ofPage.includes(method)
    ? calls[method](frames, ...values) : calls[method](node(values[0]), ...values.slice(1).map(unpackNode))
  /** Other elements among the arguments. */
  const unpackNode = (value) => value !== null && typeof value === "object" && "bridged.node" in value
    ? node(value["bridged.node"]) : value

  Object.defineProperty(globalThis, Symbol.for("bridged.capybara"), {
    configurable: true,
    value: {
      /** Calls a method, and returns its result as JSON text, or the failure after an exclamation mark. */
      call(method, frames, values) {
        try {
          return JSON.stringify(perform(method, frames, values) ?? null)
        } catch (error) {
          return `!${failure(error)}`
        }
      },
      async callAsync(method, frames, values) {
        try {
          return JSON.stringify(await perform(method, frames, values) ?? null)
        } catch (error) {
          return `!${failure(error)}`
        }
      }
    }
  })
})()
