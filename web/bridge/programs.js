// Part of bridge.js: runs source code and finds its completion value, with eval or with script elements.

let canEval = null
const allowsEval = () => {
  try {
    return (canEval ??= globalEval(trust.createScript("true")))
  } catch {
    isViolationOurs = true
    return (canEval = false)
  }
}

let isViolationOurs = false
/**
 * Hides violations that only this program has caused from the page. A violation by a connection is dispatched again
 * later, because in WebKit it follows the connection's error.
 */
const filterViolation = (event) => {
  const isOurs = isViolationOurs && blockedOf(event) === "eval"
  const isEarly = event.isTrusted && directiveOf(event) === "connect-src"
  if (!isOurs && !isEarly) return
  const type = eventTypeOf(event)
  const target = targetOf(event)
  stopPropagation(event)
  if (isOurs) isViolationOurs = false
  else setTimeout(() => dispatch(target, new SecurityPolicyViolationEvent(type, event)))
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

let isProbing = false
/** Whether source parses. This is used if a policy forbids eval, but allows script elements with its nonce. */
const probe = (source) => {
  isProbing = true
  const { didEnd } = runScript(`(function(){${source}\n})`, {})
  isProbing = false
  return didEnd
}

const PREFIX = "document.currentScript.begin();"

/**
 * Runs global code in a script element. There, `let`, `const` and `class` declarations last; `var` can't be deleted.
 * @param {string} source
 * @param {{url?: string, last?: string, isUserScript?: boolean}} options `last` is an expression to evaluate at the end
 * @returns {{didEnd: boolean, value: unknown}} whether the code ran to its end, and the value of `last`
 */
const runScript = (source, options) => {
  const { url, last, isUserScript } = bare(options)
  const script = createElementNS(document, "http://www.w3.org/1999/xhtml", "script")
  const outcome = { didEnd: false, value: undefined }
  const begin = () => {
    removeElement(script)
    if (isUserScript) define(document, "currentScript", { value: null, configurable: true })
  }
  const save = (value) => (outcome.value = value)
  const end = (...last) => {
    outcome.didEnd = true
    if (last.length > 0) outcome.value = last[0]
  }
  const members = { begin, save, end }
  setNonce(script, nonce)
  const strict = strictOf(source)
  const suffix = isUserScript ? "" : `${last ? "" : "\n;"}document.currentScript.end(${last ? `${last}\n` : ""})`
  const text = `${strict}${PREFIX}${source}${suffix}${url ? `\n//# sourceURL=${url}` : ""}`
  setText(script, trust.createScript(text))
  each(keysOf(members), (key) => define(script, key, { value: members[key] }))
  // The page may have replaced the getter of `currentScript`.
  define(document, "currentScript", { get: () => currentScriptOf(document), configurable: true })
  appendChild(headOf(document) ?? rootOf(document) ?? document, script)
  removeElement(script)
  delete document.currentScript
  return outcome
}

const strictOf = (source) => exec(/^\s*(?:"use strict"|'use strict')\s*;?/, source)?.[0] ?? ""
const MAX_SPLITS = 400

/** Whether code that parses declares a global name. It does if a second declaration of the name does not parse. */
const declares = (source) => {
  const found = findAll(source, /\b(?:var|let|const|class|function)\b[\s*]*[^=;(]*/g)
  if (found.length === 0) return false
  const words = new Table()
  const text = join(map(found, (match) => match[0]), " ")
  each(findAll(text, /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), (match) => words.set(match[0], true))
  const names = makeList()
  words.forEach((_, name) => parses(`let ${name}`) && (names[names.length] = name))
  return names.length > 0 && !parses(`${source}\n;let ${join(names, ",")}`)
}

/**
 * Finds where the last statement begins. The code before and after that place parses, and is not one statement that
 * continues on the next line.
 * @returns {number} 0 if there is only one statement
 */
const findLastStatement = (source) => {
  let splits = 0
  for (let at = source.length - 1; at > 0 && splits < MAX_SPLITS; at--) {
    if (!matches(source[at], /[;}\n\r\u2028\u2029]/)) continue
    const rest = slice(source, at + 1)
    const code = trim(replace(rest, /\/\*[^]*?\*\/|\/\/.*/g, ""))
    if (code === "" || code === ";" || (source[at] !== ";" && matches(code, /^[(\[`/*+.,-]/))) continue
    const line = exec(/[^\n\r\u2028\u2029]*$/, slice(source, 0, at))[0]
    if (matches(source[at], /[;}]/) && matches(line, /\/\//)) continue // This may be in a comment.
    splits++
    if (parses(rest) && parses(slice(source, 0, at + 1))) return at + 1
  }
  return 0
}

const isExpression = (source) =>
  !matches(source, /^\s*(?:$|\{|(?:async\s+)?function\b|class\b)/) && parses(`(${source}\n)`)

/** Changes a statement so that the blocks which run last save their value. */
const withValue = (source) => {
  if (isExpression(source)) return `document.currentScript.save(${source}\n)`
  if (!matches(source, /^\s*(?:try|if|\{)/)) return source
  for (let open = indexOf(source, "{"); open >= 0; open = indexOf(source, "{", open + 1)) {
    for (let close = indexOf(source, "}", open); close >= 0; close = indexOf(source, "}", close + 1)) {
      const body = slice(source, open + 1, close)
      if (!parses(body)) continue
      const split = findLastStatement(body)
      const changed = slice(body, 0, split) + withValue(replace(slice(body, split), /[;\s]+$/, ""))
      source = slice(source, 0, open + 1) + changed + slice(source, close)
      open += changed.length
      break
    }
  }
  return source
}

/**
 * Runs global code and finds its completion value. Only eval returns that value, and only a script element makes
 * declarations that last. So statements that declare something run in a script element, and the last statement is
 * evaluated if it declares nothing. Exceptions are not caught, so that the browser reports them with their position.
 */
class Program {
  #url
  /** The number of columns by which the first line of the code that runs is shifted to the right. */
  shift = 0

  constructor(url) {
    this.#url = url
  }

  /** @returns {{value: unknown} | null} null if an exception ended a script element; the browser has reported it */
  run(source, depth = 0) {
    if (!allowsEval()) return this.#runWithoutEval(source)
    if (!parses(source) || !declares(source)) return { value: this.evaluate(source) }
    const split = depth < 20 ? findLastStatement(source) : 0
    if (split === 0) return this.#runScript(source)
    const first = slice(source, 0, split)
    const blank = replace(first, /[^\n\r\u2028\u2029]+/g, (match) => repeat(" ", match[0].length)) // Positions stay the same.
    const strict = strictOf(first)
    const last = strict + slice(blank, strict.length) + slice(source, split)
    if (!declares(last)) return this.#runScript(first) && { value: this.evaluate(last) }
    const isFunction = matches(slice(source, split), /^\s*(async\s+)?function\b/)
    if (isFunction) return this.#runScript(last) && this.run(first, depth + 1)
    const result = this.run(first, depth + 1)
    return result && this.#runScript(last) && result
  }

  /** Evaluates source. If eval is forbidden, it must be an expression. */
  evaluate(source) {
    this.shift = 0
    const named = this.#url ? `${source}\n//# sourceURL=${this.#url}` : source
    return allowsEval() ? globalEval(trust.createScript(named)) : this.#runScript("", source)?.value
  }

  #runWithoutEval(source) {
    if (!parses(source)) return this.#runScript(source)
    const split = findLastStatement(source)
    const last = replace(slice(source, split), /[;\s]+$/, "")
    if (isExpression(last)) return this.#runScript(slice(source, 0, split), last)
    return this.#runScript(slice(source, 0, split) + withValue(last))
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
