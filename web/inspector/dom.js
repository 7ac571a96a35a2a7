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
 * Makes a labelled checkbox, which stays as it is when the page is loaded again.
 *
 * @param {string} label
 * @param {(isOn: boolean) => void} onChange
 * @returns {{element: HTMLElement, isOn: boolean}}
 */
export function toggle(label, onChange) {
  const input = element("input", { type: "checkbox", onchange: () => {
    remember(label, input.checked)
    onChange(input.checked)
  } })
  input.checked = remembered(label)
  return { element: element("label", { class: "toggle" }, input, label), get isOn() { return input.checked } }
}

function remember(label, isOn) {
  try { sessionStorage.setItem(label, String(isOn)) } catch { /* A trace, which is a file, may have no storage. */ }
}

function remembered(label) {
  try { return sessionStorage.getItem(label) === "true" } catch { return false }
}

/**
 * Makes a function that runs `work` when it was not called for some time.
 *
 * @param {number} milliseconds
 * @param {() => void} work
 */
export function afterPause(milliseconds, work) {
  let timer
  return () => {
    clearTimeout(timer)
    timer = setTimeout(work, milliseconds)
  }
}

/**
 * Saves a file as a browser's download.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const href = URL.createObjectURL(blob)
  element("a", { href, download: name }).click()
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}

/**
 * Calls a function once in the next frame, however often it is asked to. A call that waits for the daemon ends before
 * the next one begins, so that a slow daemon gets no more than one at a time.
 *
 * @param {() => void | Promise<void>} work
 */
export function oncePerFrame(work) {
  let isPending = false
  let isAskedAgain = false
  const ask = () => {
    isAskedAgain = isPending
    if (isPending) return
    isPending = true
    // A tab in the background has no frames, but it should be up to date when it is shown.
    if (document.hidden) setTimeout(run, 100)
    else requestAnimationFrame(run)
  }
  const run = async () => {
    isAskedAgain = false
    try {
      await work()
    } finally {
      isPending = false
      if (isAskedAgain) ask()
    }
  }
  return ask
}

const controls = "button, input, select, textarea, summary"

/**
 * Makes the contents of an element anew. The control that had the focus has it again, fields keep what the user has
 * typed, and menus stay open. Controls are the same if they have the same name.
 *
 * @param {HTMLElement} root
 * @param {() => void} render
 */
export function keepFocus(root, render) {
  const focused = root.contains(document.activeElement) ? nameOf(document.activeElement) : null
  const typed = new Map([...root.querySelectorAll("input")]
    .filter((input) => input.value !== input.defaultValue).map((input) => [nameOf(input), input.value]))
  const open = new Set([...root.querySelectorAll("details[open] > summary")].map(nameOf))
  render()
  for (const summary of root.querySelectorAll("summary")) summary.parentElement.open = open.has(nameOf(summary))
  for (const input of root.querySelectorAll("input")) input.value = typed.get(nameOf(input)) ?? input.value
  if (focused === null) return
  const reachable = [...root.querySelectorAll(controls)].filter((control) => !control.disabled && !control.closest("[inert]"))
  const next = reachable.find((control) => nameOf(control) === focused)
    ?? reachable.find((control) => control.closest("[role$=dialog]")) ?? root
  next.focus({ preventScroll: true })
}

function nameOf(control) {
  return `${control.tagName} ${control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.textContent}`
}

/**
 * Makes a function that runs `work` at once, and later again if it is asked meanwhile: at most once in a time.
 * @param {number} milliseconds
 * @param {() => void | Promise<void>} work
 */
export function atMostEvery(milliseconds, work) {
  let isPending = false
  let isAskedAgain = false
  const ask = async () => {
    isAskedAgain = isPending
    if (isPending) return
    isPending = true
    const pause = new Promise((resolve) => setTimeout(resolve, milliseconds))
    try {
      await work()
    } finally {
      await pause
      isPending = false
      if (isAskedAgain) ask()
    }
  }
  return ask
}
