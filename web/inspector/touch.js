import { element } from "./dom.js"

/** The keys that go to the page by their names. Tab does not: it leaves the page, so that keys are not trapped in it. */
const keys = new Set(["Enter", "Escape", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown",
  "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])

/**
 * Makes a field over the picture of a page, which sends clicks, the wheel, keys and text to the page (`page.input`). A
 * field gets the text of input methods and of the clipboard as well.
 *
 * @param {import("./control.js").Control} control
 * @param {string} webView
 * @param {(error: Error) => void} report
 * @param {() => void} onInput Called when the page has got something.
 */
export function touch(control, webView, report, onInput) {
  // What the user did first has to arrive first.
  let last = Promise.resolve()
  /** How far the wheel was turned while its last turn is on its way. */
  let turn = null
  const send = (input) => {
    last = last.then(() => control.call("page.input", { webView, ...input })).then(onInput, report)
    return last
  }
  const field = element("textarea", {
    class: "touch", "aria-label": `Page in ${webView}: clicks, keys and text go to it, Tab leaves it`,
    autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    onclick: (event) => {
      const place = placeOf(event)
      if (place) send({ type: "tap", ...place })
    },
    onkeydown: (event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || !keys.has(event.key)) return
      event.preventDefault()
      send({ type: "key", key: event.key })
    },
    oninput: (event) => { if (!event.isComposing) sendText() },
    oncompositionend: () => sendText(),
    onwheel: (event) => {
      event.preventDefault()
      scroll(event)
    },
  })
  const sendText = () => {
    const text = field.value
    field.value = ""
    if (text) send({ type: "text", text })
  }
  return field

  /** Turns of the wheel that come while one is on its way are one. */
  function scroll(event) {
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const isOnItsWay = turn !== null
    turn = { deltaX: (turn?.deltaX ?? 0) + event.deltaX * scale, deltaY: (turn?.deltaY ?? 0) + event.deltaY * scale }
    if (isOnItsWay) return
    const place = placeOf(event) ?? {}
    last.then(() => {
      const { deltaX, deltaY } = turn
      turn = null
      send({ type: "scroll", ...place, deltaX: Math.round(deltaX), deltaY: Math.round(deltaY) })
    })
  }
}

/** Where a pointer is, as parts of the picture; null beside it. */
function placeOf(event) {
  const picture = event.currentTarget.parentElement?.querySelector(".picture")
  if (!picture?.clientHeight) return null
  const [x, y] = [event.offsetX / picture.clientWidth, event.offsetY / picture.clientHeight]
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null
}
