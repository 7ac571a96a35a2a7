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
  #onForbidden
  #functions
  #onThrow
  #hasEnded = false
  isRunning = false

  /**
   * @param {{source, at: "start" | "end", mainFrameOnly, include?: string[], exclude?: string[]}[]} scripts
   * @param {(url: string, source: string) => void} onForbidden called for a script that the page's policy forbids
   * @param {Table} functions by source, of the scripts that need no compiling, for a page whose policy forbids it
   * @param {() => void} onThrow called for a script that threw, if the browser does not report it to the page
   */
  constructor(scripts, onForbidden, functions = new Table(), onThrow = () => {}) {
    this.#scripts = scripts
    this.#onForbidden = onForbidden
    this.#functions = functions
    this.#onThrow = onThrow
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
    const run = this.#functions.get(source)
    // With a function, there is no need to try an element, which a page would notice if its policy forbids it.
    if ((!run || allowsEval()) && allowsScripts()) return runScript(source, { url, isUserScript: true })
    if (!run && !allowsEval()) return this.#onForbidden(url, source)
    try {
      if (run) return run()
      globalEval(trust.createScript(`${source}\n//# sourceURL=${url}`))
    } catch (error) {
      report("error", `${url} failed: ${exceptionMessage(error)}`)
      this.#onThrow()
    }
  }
}

const FORBIDDEN_SCRIPT =
  "The page's Content-Security-Policy forbids eval and inline scripts. " +
  "Give the tag of bridge.js the policy's nonce, or add 'unsafe-inline' to its script-src in development."

/** Elements of a head that nothing happens to if they are taken out of the document for a moment. */
const QUIET_ELEMENTS = "title, script, meta:not([http-equiv])"

/** At document start, WebKit's document has only `<html>`. Here the parser has gone on to the page's first script. */
const inBareDocument = (run) => {
  const { head, documentElement: html, body } = document
  const isBare =
    head && !body && html.firstElementChild === head && !head.querySelector(`:scope > :not(${QUIET_ELEMENTS})`)
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
