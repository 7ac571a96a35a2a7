// Part of bridge.js: native code's user scripts.

/**
 * Whether a user script's patterns match the page's URL. The daemon has made regular expressions of the patterns.
 * As in WebKit, ports do not matter.
 */
const matchesPage = ({ include = [""], exclude = [] }) => {
  const url = `${location.protocol}//${location.hostname}${location.pathname}${location.search}`
  const isMatch = (pattern) => matches(url, new RegExp(pattern))
  return some(include, isMatch) && !some(exclude, isMatch)
}

/** Runs user scripts as WebKit does: the page gets no details of their errors, and no element of theirs stays. */
class UserScripts {
  #scripts
  #hasEnded = false
  isRunning = false

  /** @param {{source, at: "start" | "end", mainFrameOnly, include?: string[], exclude?: string[]}[]} scripts */
  constructor(scripts) {
    this.#scripts = scripts
  }

  start() {
    if (this.#scripts.length > 0) inBareDocument(() => this.#run("start"))
    atDocumentEnd(() => {
      this.#hasEnded = true
      this.#run("end")
    })
  }

  /** Replaces the scripts for document end, unless they have run already. */
  update(scripts) {
    if (!this.#hasEnded) this.#scripts = scripts
  }

  #run(time) {
    this.isRunning = true
    for (let index = 0; index < this.#scripts.length; index++) {
      const script = bare(this.#scripts[index])
      const { source, at, mainFrameOnly } = script
      const isDue = at === time && !(mainFrameOnly && isFrame) && matchesPage(script)
      if (isDue) this.#runOne(source, `user-script:${index + 1}`)
    }
    this.isRunning = false
  }

  #runOne(source, url) {
    if (allowsScripts()) return runScript(source, { url, isUserScript: true })
    if (!allowsEval()) return report("error", `${url} did not run. ${FORBIDDEN_SCRIPT}`)
    try {
      globalEval(trust.createScript(`${source}\n//# sourceURL=${url}`))
    } catch (error) {
      report("error", `${url} failed: ${exceptionMessage(error)}`)
    }
  }
}

const FORBIDDEN_SCRIPT =
  "The page's Content-Security-Policy forbids eval and inline scripts. " +
  "Give the tag of bridge.js the policy's nonce, or add 'unsafe-inline' to its script-src in development."

/** At document start, WebKit's document has only `<html>`. Here the parser has made a head for this program's tag. */
const inBareDocument = (run) => {
  const { head, documentElement: html, body } = document
  const isBare = head && !body && head.children.length === 0 && html.firstElementChild === head
  if (isBare) head.remove()
  run()
  if (isBare && !document.head) html.append(head)
}

/** Runs after the page's own listeners of DOMContentLoaded and before `load`, even if the page stops the event. */
const atDocumentEnd = (run) => {
  let hasRun = readyStateOf(document) !== "loading"
  if (hasRun) return run()
  const runOnce = () => {
    if (!hasRun) run()
    hasRun = true
  }
  listen(window, "DOMContentLoaded", () => listen(window, "DOMContentLoaded", runOnce), true)
  listen(window, "readystatechange", () => readyStateOf(document) === "complete" && runOnce(), true)
}
