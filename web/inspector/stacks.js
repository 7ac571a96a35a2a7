import { pathOf } from "./device.js"
import { button, element, field } from "./dom.js"

const maximumSteps = 500

/** The panel with both stacks, and a timeline of what the app did and why. */
export class StacksPanel {
  /**
   * @param {import("./control.js").Control} control
   * @param {HTMLElement} panel
   * @param {(number: number) => void} select Shows a record in the traffic panel.
   */
  constructor(control, panel, select) {
    this.select = select
    this.stacks = element("div", { class: "stacks" })
    this.timeline = element("ol", { class: "timeline" })
    panel.append(
      this.stacks, ...(control.isLive ? [explainer(control)] : []), element("h2", {}, "What the app did"), this.timeline)
  }

  /** @param {any} state */
  show(state) {
    this.stacks.replaceChildren(...(state ? ["main", "modal"].map((name) => drawnStack(name, state)) : []))
  }

  /** @param {any} record */
  add(record) {
    if (record.kind !== "app") return
    const step = element("li", {},
      button(record.time?.slice(11, 19) ?? "", () => this.select(record.record), { class: "link" }),
      element("strong", {}, record.cause ?? record.event), element("p", {}, describe(record)))
    this.timeline.prepend(step)
    while (this.timeline.childElementCount > maximumSteps) this.timeline.lastChild.remove()
  }

  restart() { this.timeline.replaceChildren() }
}

function describe(record) {
  if (record.event !== "navigation") return record.location ?? record.url ?? record.text ?? ""
  const why = (record.why ?? []).join("; ")
  const modal = record.modal?.length ? `   modal: ${record.modal.join(" › ")}` : ""
  return `main: ${(record.main ?? []).join(" › ")}${modal}${why ? ` — because ${why}` : ""}`
}

function drawnStack(name, state) {
  const screens = state[name].map((screen) => element("li", { class: screen.error ? "bad" : "" },
    element("strong", {}, screen.title ?? screen.native ?? "…"), element("code", {}, pathOf(screen.url))))
  return element("section", { class: state.visible === name ? "visible" : "", "aria-label": `${name} stack` },
    element("h3", {}, name), screens.length ? element("ol", {}, ...screens.reverse()) : element("p", { class: "empty" }, "empty"))
}

/** The lines of an explanation: the rules that match, and what the app does in each state. */
function explanation({ url, rules, meaning }) {
  const matched = rules.filter((rule) => rule.matched)
  return [
    url,
    ...matched.map((rule) => `rule ${rule.rule}  "${rule.pattern}" matches "${rule.part}": ${settings(rule.sets)}`),
    ...(matched.length ? [] : ["no rule matches"]),
    ...meaning.map(({ state, text }) => `${state}: ${text}`),
  ].join("\n")
}

function settings(sets) {
  return sets.map(({ key, value, overriddenBy }) =>
    `${key} = ${JSON.stringify(value)}${overriddenBy ? ` (rule ${overriddenBy} overrides it)` : ""}`).join(", ")
}

/** A field for a URL, and what the path configuration says about it. */
function explainer(control) {
  const url = element("input", { placeholder: "/posts/new", autocomplete: "off", spellcheck: "false" })
  const answer = element("pre", { role: "status", hidden: true })
  const explain = async (event) => {
    event.preventDefault()
    answer.hidden = false
    try {
      answer.textContent = explanation(await control.call("app.explain", { url: url.value }))
    } catch (error) {
      answer.textContent = error.message
    }
  }
  return element("form", { class: "explainer", onsubmit: explain },
    field("What happens with a URL", url), element("button", { type: "submit" }, "Explain"), answer)
}
