import { button, element } from "../inspector/dom.js"

/**
 * The list of a run's steps. Up and Down move through it.
 *
 * @param {HTMLElement} panel
 * @param {import("./recording.js").Recording} recording
 * @param {(number: number) => void} select Shows the moment after a step.
 * @returns {(number: number) => void} Marks the step that is shown; 0 for none.
 */
export function stepList(panel, recording, select) {
  const buttons = recording.steps.map((step) => stepButton(step, recording, select))
  panel.append(
    element("h2", {}, "Steps"), element("ol", {}, ...buttons.map((made) => element("li", {}, made))))
  panel.addEventListener("keydown", (event) => {
    const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const next = buttons[buttons.indexOf(document.activeElement) + (direction ?? 0)]
    if (!direction || !next || next.disabled) return
    event.preventDefault()
    next.focus()
    next.click()
  })
  return (number) => buttons.forEach((made, index) => {
    const isShown = index + 1 === number
    if (isShown) made.setAttribute("aria-current", "step")
    else made.removeAttribute("aria-current")
    if (isShown) made.scrollIntoView({ block: "nearest" })
  })
}

function stepButton(step, recording, select) {
  const hasRun = step.time !== undefined
  const outcome = recording.isFailed(step) ? "failed" : hasRun ? "passed" : "skipped"
  const sign = { failed: "✗", passed: "✓", skipped: "–" }[outcome]
  const spoken = { failed: "failed", passed: "passed", skipped: "did not run" }[outcome]
  const made = button("", () => select(step.number), { class: "step", "data-outcome": outcome, disabled: !hasRun })
  made.append(
    element("span", { class: "sign", role: "img", "aria-label": spoken }, sign),
    element("span", { class: "number" }, String(step.number)), element("code", {}, step.text),
    element("span", { class: "type" }, [
      step.file && `${step.file}:${step.line}`, hasRun && duration(step.milliseconds)
    ].filter(Boolean).join("  ")))
  return made
}

/** A duration for people. */
export function duration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}
