/**
 * Finds where a finger can reach an element, and sees whether its tap arrives. The driver of a browser runs this in a
 * content world, and makes the gesture itself.
 *
 * @param {{
 *   find: (target: unknown) => Element | null, describe: (element: Element) => string,
 *   whyDisabled: (element: Element) => string | null, parentOf: (element: Element) => Element | null
 * }} elements
 */
(({ find, describe, whyDisabled, parentOf }) => {
  /** @typedef {{ x: number, y: number, visualX: number, visualY: number, scale: number, to?: Aim } | { isMissing?: boolean, reason?: string, isOutside?: boolean }} Aim */
  /** Whether to scroll to an element: even if something covers it, only if the window does not show it, or not at all. */
  /** @typedef {"always" | "ifNeeded" | "never"} Scrolling */

  /** How wide a scroll bar is at most. */
  const scrollBar = 16
  /** What a finger activates as a whole. */
  const wholes = "a[href], button, summary, label, [role=button], [role=link]"
  const types = ["pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "touchend", "click"]
  /**
   * Resolves when the document has handled the tap.
   * @type {Promise<{ reason?: string }>}
   */
  let arrival = Promise.resolve({})
  /** Lets all input through again. */
  let unwatch = () => {}
  /** The element that was looked at, when first and last, and when the page was scrolled to it. */
  let looked = {}

  const includes = (outer, inner) => {
    let element = inner
    while (element && element !== outer) element = parentOf(element)
    return element !== null
  }

  /** The innermost element at a point, also in open shadow trees. */
  const elementAt = (x, y, root = document) => {
    const found = root.elementFromPoint(x, y)
    const inner = found?.shadowRoot && elementAt(x, y, found.shadowRoot)
    return inner && inner !== found && includes(found, inner) ? inner : found
  }

  /** Whether a tap on `hit` is one on `element`: it may be a part of it, or its label. */
  const accepts = (hit, element) => {
    const isField = element.matches("input, select, textarea")
    if (includes(isField ? element : element.closest(wholes) ?? element, hit)) return true
    const nearest = hit?.closest?.("a[href], button, input, select, textarea, label")
    return nearest?.localName === "label" && nearest.control === element
  }

  /** The boxes of an element: a link in several lines has one for each. Some elements have boxes only in their contents. */
  const boxes = (element) => {
    const contents = document.createRange()
    contents.selectNodeContents(element)
    const isBox = ({ width, height }) => width > 0 && height > 0
    const own = [...element.getClientRects()].filter(isBox)
    return own.length > 0 ? own : [...contents.getClientRects()].filter(isBox)
  }

  /**
   * The middle of the part of a box that the window shows; null if it shows nothing of it.
   * @param {number} edge How much of the window not to use at the right and at the bottom.
   */
  const middle = (box, edge) => {
    const { offsetLeft, offsetTop, width, height } = visualViewport
    const [left, right] = [Math.max(box.left, offsetLeft), Math.min(box.right, offsetLeft + width - edge)]
    const [top, bottom] = [Math.max(box.top, offsetTop), Math.min(box.bottom, offsetTop + height - edge)]
    if (left >= right || top >= bottom) return null
    // Firefox takes whole pixels only.
    const whole = (low, high) => Math.max(low, Math.floor((low + high) / 2))
    return [whole(left, right), whole(top, bottom)]
  }

  const whyNoBox = (element) => {
    for (let around = element; around; around = parentOf(around)) {
      if (getComputedStyle(around).display !== "none") continue
      return `it is invisible: the display of ${describe(around)} is none`
    }
    return element.checkVisibility?.() === false ? "it is invisible" : "it has no size"
  }

  const whyNotHit = (hit, element) => {
    if (!hit) return "it is outside the window, and cannot be scrolled into it"
    if (!includes(hit, element)) return `${describe(hit)} covers it`
    return getComputedStyle(element).pointerEvents === "none"
      ? `its pointer-events are none, so ${describe(hit)} gets the tap` : `${describe(hit)} cuts it off`
  }

  /**
   * Where a finger can tap on `place`, which is the element or its label.
   * @param {Scrolling} scrolling
   */
  const reach = (place, element, scrolling) => {
    if (boxes(place).length === 0) return { reason: whyNoBox(place) }
    const { visibility } = getComputedStyle(place)
    if (visibility !== "visible") return { reason: `it is invisible: its visibility is ${visibility}` }
    let reason = ""
    // WebKit's scroll bars lie over the page and take the taps there, so the edge of the window is the last choice.
    for (const edge of [scrollBar, 0]) {
      // A fixed header may cover it in some places of the window only.
      for (const align of scrolling === "never" ? [null] : [null, "center", "start", "end"]) {
        if (align) place.scrollIntoView({ block: align, inline: align, behavior: "instant" })
        const points = boxes(place).map((box) => middle(box, edge)).filter(Boolean)
        for (const [x, y] of points) {
          const hit = elementAt(x, y)
          if (accepts(hit, element)) return { x, y }
          reason = whyNotHit(hit, place)
        }
        if (points.length > 0 && scrolling !== "always") return { reason }
      }
    }
    return reason ? { reason } : { reason: whyNotHit(null, place), isOutside: true }
  }

  /** Changes a point of this document's frame into one of the window. */
  const inWindow = ({ x, y }) => {
    for (let view = window; view !== view.parent; view = view.parent) {
      const frame = view.frameElement
      if (!frame) return { reason: "it is in a frame of another origin, which does not know its place in the window" }
      const box = frame.getBoundingClientRect()
      const { paddingLeft, paddingTop } = getComputedStyle(frame)
      x = box.left + (frame.clientLeft + parseFloat(paddingLeft) + x) * (box.width / frame.offsetWidth)
      y = box.top + (frame.clientTop + parseFloat(paddingTop) + y) * (box.height / frame.offsetHeight)
      const hit = elementAt(x, y, frame.ownerDocument)
      if (hit !== frame) return { reason: hit ? `${describe(hit)} covers its frame` : whyNotHit(null, frame) }
    }
    const { offsetLeft, offsetTop, scale } = top.visualViewport
    return { x, y, visualX: x - offsetLeft, visualY: y - offsetTop, scale }
  }

  /** @param {Scrolling} scrolling */
  const examine = (element, scrolling, isTap) => {
    // A pointer may hover over what is disabled, which may say why.
    const disabled = isTap ? whyDisabled(element) : null
    if (disabled) return { reason: disabled }
    let first = null
    // If a page draws a control itself, it hides the real one, and its user taps the label.
    for (const place of [element, ...element.labels ?? []]) {
      let found = reach(place, element, scrolling)
      let aim = "x" in found ? inWindow(found) : found
      if ("x" in found && !("x" in aim) && scrolling === "always") {
        // Its frame shows it, but the window does not show that part of the frame.
        place.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
        found = reach(place, element, "ifNeeded")
        aim = "x" in found ? inWindow(found) : found
      }
      if ("x" in found) return aim
      first ??= found
    }
    return first
  }

  /** The place where a drag ends. The page is not scrolled, because the drag would then begin elsewhere. */
  const place = (target) => {
    const element = find(target)
    if (!element) return { reason: "there is no element to drag it to" }
    const found = reach(element, element, "never")
    if ("x" in found) return inWindow(found)
    return { ...found, reason: `${describe(element)}, where it is dragged to: ${found.reason}` }
  }

  /** Scrolls as little as is necessary to show where a drag ends, and says if its start cannot be seen then. */
  const showBoth = (start, end, isTap) => {
    end.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
    const found = examine(start, "never", isTap)
    if (!found.isOutside) return { reason: found.reason ?? "it moves" }
    return { reason: `the window cannot show it together with ${describe(end)}` }
  }

  /** A hidden window draws no frames. */
  const nextFrame = () => new Promise((next) => {
    const timer = setTimeout(next, 50)
    requestAnimationFrame(() => {
      clearTimeout(timer)
      next()
    })
  })

  /**
   * Keeps the coming tap from all but the element: it may have moved, or something may have come in between. The document
   * in a frame gets the tap itself.
   */
  const watch = (element) => {
    unwatch()
    arrival = element.localName === "iframe" ? Promise.resolve({}) : new Promise((done) => {
      // Whether the element has got the tap; null before its first event.
      let isOwn = null
      const end = (reason) => {
        for (const type of types) removeEventListener(type, listen, true)
        done(reason ? { reason } : {})
      }
      unwatch = () => end(isOwn ? null : "the document did not get the tap")
      const listen = (event) => {
        if (!event.isTrusted) return
        const [hit] = event.composedPath()
        const isHit = accepts(hit, element)
        isOwn ??= isHit
        // What came between the press and the release gets no click either.
        if (event.type === "click" && element.isConnected) isOwn = isHit
        if (!isOwn) {
          event.preventDefault()
          event.stopImmediatePropagation()
        }
        const reason = isOwn ? null : `${hit.localName ? describe(hit) : "the page"} got in the way of the tap`
        // The click has been handled when its task is over. Without one, as if the element has gone, the others suffice.
        if (event.type === "click") setTimeout(end, 0, reason)
        if (event.type === "mouseup" || event.type === "touchend") setTimeout(end, 100, reason)
      }
      for (const type of types) addEventListener(type, listen, { capture: true, passive: false })
    })
  }

  return {
    /**
     * Waits until a finger can tap on an element, and returns where, in CSS pixels: from the corner of the layout viewport
     * of the window, as `clientX` counts, and from that of the visual viewport, which a zoomed window shows.
     * @param {number} milliseconds
     * @param {boolean} isTap Whether a tap follows, which no other element may get.
     * @param {unknown} to Where a drag leads to; null if there is none.
     * @returns {Promise<Aim>}
     */
    async aim(target, milliseconds, isTap, to) {
      const end = performance.now() + milliseconds
      // Why a drag cannot end where it leads to.
      let [last, wasThere, whyNoDrag] = [null, false, null]
      for (;;) {
        const element = find(target)
        const now = performance.now()
        if (element !== looked.element || now - looked.last > 500) looked = { element, first: now, scrolled: -Infinity }
        looked.last = now
        const scrolls = now - looked.scrolled > 1000
        if (scrolls) looked.scrolled = now
        let found = element ? examine(element, scrolls ? "always" : "ifNeeded", isTap)
          : { isMissing: true, reason: wasThere ? "it was there and has gone" : "" }
        // An element that never rests can be tapped, too.
        const rests = last && found.x === last.x && found.y === last.y || now - looked.first > 1000
        const goal = "x" in found && rests && to ? place(to) : null
        if ("x" in found && rests && (!goal || "x" in goal)) {
          looked = {}
          if (isTap) watch(element)
          else arrival = Promise.resolve({})
          return goal ? { ...found, to: goal } : found
        }
        if (goal) {
          whyNoDrag = goal.isOutside ? showBoth(element, find(to), isTap) : { reason: goal.reason }
          found = whyNoDrag
        }
        // Only a second look shows whether it rests.
        if (now >= end && (last || !("x" in found))) return "x" in found ? whyNoDrag ?? { reason: "it moves" } : found
        wasThere ||= element !== null
        last = found
        await nextFrame()
      }
    },

    /** Waits until the document has handled the tap. */
    arrived() {
      setTimeout(unwatch, 3000)
      return arrival
    },

    /** No tap comes after all. */
    unwatch: () => unwatch(),
  }
})
