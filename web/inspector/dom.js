/**
 * Makes an element. Text always becomes text nodes, so that nothing that a page sent is ever parsed as HTML.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] Attributes; functions named `onclick` and so on become listeners.
 *   `null`, `undefined` and `false` leave an attribute out.
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, "")
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value))
  }
  made.append(...children.filter((child) => child !== null && child !== undefined))
  return made
}

/**
 * @param {string} text
 * @param {(event: Event) => void} onclick
 * @param {Record<string, unknown>} [properties]
 */
export function button(text, onclick, properties = {}) {
  return element("button", { type: "button", onclick, ...properties }, text)
}

/**
 * Makes a labelled field.
 *
 * @param {string} label
 * @param {HTMLElement} input
 */
export function field(label, input) {
  return element("label", {}, element("span", {}, label), input)
}

/**
 * Calls a function once in the next frame, however often it is asked to.
 *
 * @param {() => void} work
 */
export function oncePerFrame(work) {
  let isPending = false
  return () => {
    if (isPending) return
    isPending = true
    // A tab in the background has no frames, but it should be up to date when it is shown.
    const run = () => {
      isPending = false
      work()
    }
    if (document.hidden) setTimeout(run, 100)
    else requestAnimationFrame(run)
  }
}
