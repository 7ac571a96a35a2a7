// Part of bridge.js: how source is run for its completion value, by eval or by script elements.

let canEval = null
const allowsEval = () => {
  try {
    return (canEval ??= globalEval(trust.createScript("true")))
  } catch {
    isViolationOurs = true
    return (canEval = false)
  }
}

/** The page is not told what only this file was forbidden; and of a connection, as in WebKit, behind its error. */
let isViolationOurs = false
const filterViolation = (event) => {
  const { type, target, effectiveDirective, blockedURI, isTrusted } = event
  const isOurs = isViolationOurs && blockedURI === "eval"
  const isEarly = isTrusted && effectiveDirective === "connect-src"
  if (!isOurs && !isEarly) return
  event.stopImmediatePropagation()
  if (isOurs) isViolationOurs = false
  else setTimeout(() => dispatch(target, new window.SecurityPolicyViolationEvent(type, event)))
}

let canRunScripts = null
const allowsScripts = () => (canRunScripts ??= runScript("", {}).didEnd)

const parses = (source) => {
  if (!allowsEval()) return probe(source)
  try {
    new Function(trust.createScript(source))
    return true
  } catch {
    return false
  }
}

/** The parser's answer where a policy forbids eval, and lets a script element pass that has its nonce. */
let isProbing = false
const probe = (source) => {
  isProbing = true
  const { didEnd } = runScript(`(function(){${source}\n})`, {})
  isProbing = false
  return didEnd
}

const PREFIX = "document.currentScript.begin();"

/**
 * Runs global code as the browser runs a script element: `let`, `const` and `class` last, `var` can't be deleted.
 * @returns {{didEnd: boolean, value: unknown}} whether it came to its end; the value of `last`, an expression behind it
 */
const runScript = (source, { url, last, isUserScript = false }) => {
  const script = document.createElementNS("http://www.w3.org/1999/xhtml", "script")
  const outcome = { didEnd: false, value: undefined }
  script.begin = () => {
    script.remove()
    if (isUserScript) defineProperty(document, "currentScript", { value: null, configurable: true })
  }
  script.tell = (value) => (outcome.value = value)
  script.end = (...last) => {
    outcome.didEnd = true
    if (last.length > 0) outcome.value = last[0]
  }
  script.nonce = nonce
  const strict = strictOf(source)
  const end = isUserScript ? "" : `${last ? "" : "\n;"}document.currentScript.end(${last ? `${last}\n` : ""})`
  const text = `${strict}${PREFIX}${source}${end}${url ? `\n//# sourceURL=${url}` : ""}`
  script.textContent = trust.createScript(text)
  ;(document.head ?? document.documentElement ?? document).appendChild(script)
  script.remove()
  if (isUserScript) delete document.currentScript
  return outcome
}

const strictOf = (source) => exec(/^\s*(?:"use strict"|'use strict')\s*;?/, source)?.[0] ?? ""
const MAX_SPLITS = 400

/** Whether code that parses declares something global; asked of the engine's own parser. */
const declares = (source) => {
  const found = source.match(/\b(?:var|let|const|class|function)\b[\s*]*[^=;(]*/g)
  if (!found) return false
  const words = new Set(found.join(" ").match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
  const names = [...words].filter((name) => parses(`let ${name}`))
  return names.length > 0 && !parses(`${source}\n;let ${names}`)
}

/** Where the last statement begins: both sides parse, and no line break joins them. 0: there is only one. */
const findLastStatement = (source) => {
  let splits = 0
  for (let at = source.length - 1; at > 0 && splits < MAX_SPLITS; at--) {
    if (!/[;}\n\r\u2028\u2029]/.test(source[at])) continue
    const rest = source.slice(at + 1)
    const code = rest.replace(/\/\*[^]*?\*\/|\/\/.*/g, "").trim()
    if (code === "" || code === ";" || (source[at] !== ";" && /^[(\[`/*+.,-]/.test(code))) continue
    const line = /[^\n\r\u2028\u2029]*$/.exec(source.slice(0, at))[0]
    if (/[;}]/.test(source[at]) && line.includes("//")) continue // Maybe in a comment.
    splits++
    if (parses(rest) && parses(source.slice(0, at + 1))) return at + 1
  }
  return 0
}

const isExpression = (source) =>
  !/^\s*(?:$|\{|(?:async\s+)?function\b|class\b)/.test(source) && parses(`(${source}\n)`)

/** A statement of which the blocks that are run last tell their value. */
const withValue = (source) => {
  if (isExpression(source)) return `document.currentScript.tell(${source}\n)`
  if (!/^\s*(?:try|if|\{)/.test(source)) return source
  for (let open = source.indexOf("{"); open >= 0; open = source.indexOf("{", open + 1)) {
    for (let close = source.indexOf("}", open); close >= 0; close = source.indexOf("}", close + 1)) {
      const body = source.slice(open + 1, close)
      if (!parses(body)) continue
      const split = findLastStatement(body)
      const told = body.slice(0, split) + withValue(body.slice(split).replace(/[;\s]+$/, ""))
      source = source.slice(0, open + 1) + told + source.slice(close)
      open += told.length
      break
    }
  }
  return source
}

/**
 * Runs global code for its completion value. Eval alone has the value, a script element alone makes declarations that
 * last: so what declares goes into a script element, and the last statement, where it declares nothing, is evaluated.
 * What is thrown is not caught, so that it is reported with its place.
 */
class Program {
  #url
  /** How far to the right of its place in the source the first line of what runs begins. */
  shift = 0

  constructor(url) {
    this.#url = url
  }

  /** @returns {{value: unknown} | null} null: an exception ended a script element, and was reported */
  run(source, depth = 0) {
    if (!allowsEval()) return this.#runWithoutEval(source)
    if (!parses(source) || !declares(source)) return { value: this.evaluate(source) }
    const split = depth < 20 ? findLastStatement(source) : 0
    if (split === 0) return this.#runScript(source)
    const first = source.slice(0, split)
    const blank = first.replace(/[^\n\r\u2028\u2029]/g, " ") // Places stay what they are.
    const strict = strictOf(first)
    const last = strict + blank.slice(strict.length) + source.slice(split)
    if (!declares(last)) return this.#runScript(first) && { value: this.evaluate(last) }
    const isFunction = /^\s*(async\s+)?function\b/.test(source.slice(split))
    if (isFunction) return this.#runScript(last) && this.run(first, depth + 1)
    const result = this.run(first, depth + 1)
    return result && this.#runScript(last) && result
  }

  /** An expression, where eval is forbidden. */
  evaluate(source) {
    this.shift = 0
    const named = this.#url ? `${source}\n//# sourceURL=${this.#url}` : source
    return allowsEval() ? globalEval(trust.createScript(named)) : this.#runScript("", source)?.value
  }

  #runWithoutEval(source) {
    if (!parses(source)) return this.#runScript(source)
    const split = findLastStatement(source)
    const last = source.slice(split).replace(/[;\s]+$/, "")
    if (isExpression(last)) return this.#runScript(source.slice(0, split), last)
    return this.#runScript(source.slice(0, split) + withValue(last))
  }

  #runScript(source, last) {
    if (allowsScripts()) {
      this.shift = PREFIX.length
      const { didEnd, value } = runScript(source, { url: this.#url, last })
      return didEnd ? { value } : null
    }
    this.evaluate(source)
    return { value: undefined }
  }
}
