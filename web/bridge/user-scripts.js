// Part of bridge.js: native code's user scripts.

/** By regular expressions, which the daemon makes of a user script's patterns. As in WebKit, ports are not looked at. */
const concernsPage = ({ include = [""], exclude = [] }) => {
  const url = `${location.protocol}//${location.hostname}${location.pathname}${location.search}`
  const matches = (pattern) => new RegExp(pattern).test(url)
  return include.some(matches) && !exclude.some(matches)
}

/** WebKit's user scripts: their errors reach the page without details, and they leave no element behind. */
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

  /** Those at document end are the ones that there are by then. */
  update(scripts) {
    if (!this.#hasEnded) this.#scripts = scripts
  }

  #run(time) {
    this.isRunning = true
    for (let index = 0; index < this.#scripts.length; index++) {
      const { source, at, mainFrameOnly } = this.#scripts[index]
      const isMeant = at === time && !(mainFrameOnly && isFrame) && concernsPage(this.#scripts[index])
      if (isMeant) this.#runOne(source, `user-script:${index + 1}`)
    }
    this.isRunning = false
  }

  #runOne(source, url) {
    if (allowsScripts()) return runScript(source, { url, isUserScript: true })
    if (!allowsEval()) return tell("error", `${url} did not run. ${FORBIDDEN_SCRIPT}`)
    try {
      globalEval(trust.createScript(`${source}\n//# sourceURL=${url}`))
    } catch (error) {
      tell("error", `${url} failed: ${exceptionMessage(error)}`)
    }
  }
}

const FORBIDDEN_SCRIPT =
  "The page's Content-Security-Policy forbids inline scripts, too. Give the tag of bridge.js the policy's nonce, or " +
  "add 'unsafe-inline' to its script-src in development."

/** At document start WebKit's document is `<html>` alone. The parser has made a head for this file's tag, too. */
const inBareDocument = (run) => {
  const { head, documentElement: html, body } = document
  const isBare = head && !body && head.children.length === 0 && html.firstElementChild === head
  if (isBare) head.remove()
  run()
  if (isBare && !document.head) html.append(head)
}

/** Behind the page's own listeners of DOMContentLoaded, and before `load`, whatever the page stops. */
const atDocumentEnd = (run) => {
  let hasRun = document.readyState !== "loading"
  if (hasRun) return run()
  const runOnce = () => {
    if (!hasRun) run()
    hasRun = true
  }
  listen(window, "DOMContentLoaded", () => listen(window, "DOMContentLoaded", runOnce), true)
  listen(window, "readystatechange", () => document.readyState === "complete" && runOnce(), true)
}
