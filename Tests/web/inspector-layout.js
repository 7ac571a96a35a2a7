// The body of a function that runs in the inspector's page. It shows each panel in both themes, and returns what cannot
// be seen as it should. InspectorLayoutTests.swift runs it.

const find = (selector) => document.querySelector(selector)

async function until(condition, what) {
  for (const end = performance.now() + 20000; performance.now() < end; await new Promise(requestAnimationFrame)) {
    if (condition()) return
  }
  throw new Error(`${what} did not come.`)
}

/** What of a rectangle the elements around it leave to be seen. */
function clip(rectangle, element) {
  let { left, top, right, bottom } = rectangle
  for (let around = element; around; around = around.parentElement) {
    if (getComputedStyle(around).overflow === "visible") continue
    const box = around.getBoundingClientRect()
    ;[left, top, right, bottom] =
      [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)]
  }
  return { left, top, right, bottom }
}

/** Every text that is shown, with its rectangles. */
function texts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue
    if (element.closest(".unseen, option, script")) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    found.push({ name: node.data.trim().slice(0, 40), node, element, boxes: [...range.getClientRects()] })
  }
  return found
}

function cut({ name, element, boxes }) {
  for (let around = element; around; around = around.parentElement) {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(around)
    if (textOverflow === "ellipsis") return []
    const outer = around.getBoundingClientRect()
    const isWide = overflowX !== "visible" && boxes.some((box) => box.left < outer.left - 1 || box.right > outer.right + 1)
    const isHigh = overflowY === "hidden" && boxes.some((box) => box.top < outer.top - 3 || box.bottom > outer.bottom + 3)
    if (isWide || isHigh) return [`"${name}" is cut by ${around.tagName} ${around.className}`]
  }
  return boxes.some((box) => box.left < -1 || box.right > innerWidth + 1) ? [`"${name}" is beside the window`] : []
}

function overlaps(shown) {
  const controls = [...document.querySelectorAll("button, input, select, textarea:not(.touch)")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ name: element.ariaLabel ?? element.name ?? element.tagName, element, boxes: [element.getBoundingClientRect()] }))
  const parts = [...shown, ...controls].flatMap(({ name, element, boxes }) => boxes.map((box) => ({ name, element, box: clip(box, element) })))
  const found = []
  parts.forEach((one, index) => {
    for (const other of parts.slice(index + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      if (width > 1 && height > 3) found.push(`"${one.name}" and "${other.name}" overlap`)
    }
  })
  return found
}

/** The words of tables and of controls that stand on two lines. Addresses may break anywhere. */
function broken({ node, element }) {
  if (!element.closest("table, button, label, caption")) return []
  return [...node.data.matchAll(/(?<=^|\s)[\p{L}-]{2,20}(?=$|[\s.,])/gu)].filter(({ 0: word, index }) => {
    const range = document.createRange()
    range.setStart(node, index)
    range.setEnd(node, index + word.length)
    return range.getClientRects().length > 1 && !word.includes("-")
  }).map(([word]) => `the word "${word}" is broken`)
}

function luminance(colour) {
  const [red, green, blue] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const parts = (colour) => colour.match(/[\d.]+/g).map(Number)

/** The contrast of a text with what is behind it (WCAG 2.2, 1.4.3). */
function pale({ name, element }) {
  if (element.closest(":disabled")) return []
  let behind = element
  const isClear = (colour) => parts(colour)[3] === 0
  while (behind.parentElement && isClear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement
  const [light, dark] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
    .map((colour) => luminance(parts(colour).slice(0, 3))).sort((a, b) => b - a)
  const contrast = (light + 0.05) / (dark + 0.05)
  return contrast < 4.5 ? [`"${name}" has a contrast of ${contrast.toFixed(2)}`] : []
}

function problems() {
  const shown = texts()
  const isWide = document.documentElement.scrollWidth > innerWidth
  return [
    ...(isWide ? [`the page is ${document.documentElement.scrollWidth} pixels wide`] : []), ...overlaps(shown),
    ...shown.flatMap((text) => [...cut(text), ...broken(text), ...pale(text)]),
  ]
}

/** Fills the panels with what users see in them. */
async function fill() {
  await until(() => find("#status")?.dataset.state === "connected", "the connection")
  await until(() => find(".picture")?.naturalWidth > 0, "the picture of the page")
  await until(() => find("#records .row"), "the traffic")
  find("#records .row").click()
  find("#tab-console").click()
  const prompt = find("#console textarea")
  prompt.value = "({ name: 'Ada', list: [1, 2, 3] })"
  prompt.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }))
  await until(() => find("#console .output .branch"), "the result")
  find("#tab-pages").click()
  for (const [form, value] of [[0, "contacts"], [1, "/posts*"]]) {
    const element = document.querySelectorAll("#pages form")[form]
    element.querySelector("input").value = value
    element.querySelector("button").click()
    await until(() => document.querySelectorAll("#pages td button[aria-label^=Remove]").length > form, value)
  }
}

await fill()
const found = []
for (const theme of ["light", "dark"]) {
  document.documentElement.style.colorScheme = theme
  find(".phone").dataset.theme = theme
  for (const panel of ["traffic", "requests", "stacks", "visits", "console", "pages"]) {
    find(`#tab-${panel}`).click()
    await new Promise(requestAnimationFrame)
    await Promise.all(document.getAnimations().map((animation) => animation.finished))
    found.push(...problems().map((problem) => `${panel}, ${theme}, ${innerWidth} pixels: ${problem}`))
  }
}
return [...new Set(found)]
