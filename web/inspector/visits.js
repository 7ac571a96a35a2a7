import { pathOf } from "./device.js"
import { button, element } from "./dom.js"

/** The panel that tells why pages were visited and requested: what visits.explain answers, the latest first. */
export class VisitsPanel {
  /**
   * @param {HTMLElement} panel
   * @param {(number: number) => void} select Shows a record in the traffic panel.
   */
  constructor(panel, select) {
    this.select = select
    this.list = element("ol", { class: "timeline visits" })
    panel.append(element("h2", {}, "Why the app visits and requests"), this.list)
    this.show([])
  }

  /** @param {any[]} visits */
  show(visits) {
    const items = visits.map((visit) => this.#item(visit)).reverse()
    this.list.replaceChildren(...(items.length ? items : [element("li", { class: "empty" }, "No visit yet.")]))
  }

  /** @param {Error} error */
  fail(error) { this.list.replaceChildren(element("li", { class: "empty" }, error.message)) }

  #item(visit) {
    const facts = [
      ...visit.why.map((text) => ["because", text]),
      ...(visit.before ? [["stacks", `${stacks(visit.before)} → ${stacks(visit.after)}`]] : []),
      ...(visit.flash ? [["flash", visit.flash]] : []),
      ...visit.findings.map((text) => ["note", text]),
      ...visit.elsewhere.map((group) => ["elsewhere", elsewhere(group, visit.elsewhere.find(({ isSame }) => isSame))]),
    ]
    return element("li", {},
      button(`record ${visit.record}`, () => this.select(visit.record), { class: "link" }),
      element("strong", {}, visit.cause), this.#requests(visit),
      element("dl", {}, ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])))
  }

  #requests({ requests, otherRequests }) {
    const rows = requests.map(({ record, method, url, status, failure, because }) => element("li", {},
      button(`${method} ${pathOf(url)} → ${failure ?? status ?? "no answer"}`, () => this.select(record), { class: "link" }),
      ` ${because}`))
    const others = otherRequests ? [element("li", {}, `and ${otherRequests} for parts of pages, such as scripts`)] : []
    return element("ul", { class: "requests" }, ...rows, ...others)
  }
}

function stacks({ main, modal }) {
  const shown = main.length ? main.map(pathOf).join(" › ") : "nothing"
  return `main: ${shown}${modal.length ? `   modal: ${modal.map(pathOf).join(" › ")}` : ""}`
}

function elsewhere({ frameworks, isSame, main, modal, visits, why }, own) {
  if (isSame) return `${frameworks.join(", ")}: as here`
  const shown = stacks({ main, modal })
  const differs = own?.visits && stacks(own) === shown ? `   with ${listed(visits)}, and here with ${listed(own.visits)}` : ""
  return `${frameworks.join(", ")}: ${shown}${differs}${why.length ? ` — because ${why.join(", and ")}` : ""}`
}

/** What releases visit, such as "refresh http://localhost:3000/posts in main", with paths in place of URLs. */
function listed(visits) {
  return visits.map((visit) => visit.split(" ").map(pathOf).join(" ")).join(", ") || "no visit"
}
