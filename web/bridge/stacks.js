// Part of driven.js: stacks and positions of errors as JavaScriptCore writes them. Apps read them, or send them to
// services that know WebKit's form. V8 asks `Error.prepareStackTrace` for the text when a stack is first read;
// SpiderMonkey has a getter.

/** `{line, column, sourceURL}` of each error whose stack was read. */
const positions = new WeakTable()

/** Whether this script has made the call, or a program of the driver. */
const isOurs = (frame) => matches(frame.url, /^bridged:driven/)

/** V8 has other names for getters, and for what `Function` makes. */
const nameOfFunction = (site, run) => {
  const name = site.getFunctionName() || ""
  return site.isEval() && run && name === "eval" ? "anonymous" : replace(name, /^[gs]et /, "")
}

/** The frames of V8's stack, the innermost first. */
const framesOfSites = (sites) =>
  map(sites, (site) => {
    const run = site.getFunction()
    return {
      name: nameOfFunction(site, run), url: site.getScriptNameOrSourceURL() || "",
      line: site.getLineNumber(), column: site.getColumnNumber(),
      isBuiltIn: site.getLineNumber() === null, isConstructor: site.isConstructor(), isAwaiting: site.isAsync(),
      isEval: site.isEval() && run === undefined, isNamed: run !== undefined,
      isAsync: typeof run === "function" && classString(run) === "[object AsyncFunction]"
    }
  })

/** The frames of SpiderMonkey's stack. The function of `callAsyncJavaScript` has no URL in WebKit. */
const framesOfText = (text) =>
  map(findAll(text, /^(.*?)@(.*):(\d+):(\d+)$/gm), (match) => {
    const name = match[1]
    const url = match[2]
    const isCallAsync = url === "bridged:function"
    return {
      name: replace(name, /^.*\*|[/<]+$/g, ""), url: isCallAsync ? "" : replace(url, / line \d+ > \w+$/, ""),
      line: +match[3], column: +match[4], isBuiltIn: false, isConstructor: false, isAwaiting: matches(name, /\*/),
      isEval: matches(url, / > eval$/), isNamed: name !== "", isAsync: isCallAsync
    }
  })

/**
 * V8 and SpiderMonkey count columns to the beginning of a call, and JavaScriptCore to its parenthesis.
 * @param {string} callee the name of what is called there
 */
const columnOfCall = ({ url, line, column }, callee, isConstructor) => {
  const sum = column + callee.length + (isConstructor ? "new ".length : 0)
  return line === 1 && matches(url, /^user-script:/) && sum > PREFIX.length ? sum - PREFIX.length : sum
}

const nameOfCode = (frame, isLast) => {
  if (frame.isEval && matches(frame.name, /^(eval)?$/)) return "eval code"
  return isLast && frame.name === "" && frame.url !== "" && !frame.isNamed ? "global code" : frame.name
}

/** JavaScriptCore names scripts without what may be secret in a URL. */
const withoutSecrets = (url) => replace(replace(url, /[?#].*$/, ""), /\/\/[^/@]*@/, "//")

const writeStack = (error, frames) => {
  const lines = makeList()
  each(frames, (frame, index) => {
    const caller = index + 1 < frames.length ? frames[index + 1] : null
    if (isOurs(frame) || frame.isAwaiting || (frame.isBuiltIn && caller && isOurs(caller))) return
    const isLast = !caller || isOurs(caller) || caller.isAwaiting
    const callee = index > 0 ? frames[index - 1] : { name: nameOfError(error), isConstructor: true }
    const column = columnOfCall(frame, callee.name, callee.isConstructor)
    const url = withoutSecrets(frame.url)
    if (!positions.has(error)) positions.set(error, { line: frame.line, column, sourceURL: url || undefined })
    const place = url && `${url}:${frame.line}:${column}`
    const text = `${nameOfCode(frame, isLast)}@${frame.isBuiltIn ? "[native code]" : place}`
    lines[lines.length] = text
    // An async function is two functions there, until it waits for the first time.
    if (frame.isAsync && caller && !caller.isAwaiting) lines[lines.length] = text
  })
  return join(lines, "\n")
}

const nameOfError = (error) => {
  try {
    return `${getPrototypeOf(error).constructor.name}`
  } catch {
    return ""
  }
}

/** Gives errors `line`, `column` and `sourceURL`, and stacks in JavaScriptCore's form. */
const showPositions = () => {
  if (isFirefox) {
    override(Error.prototype, "stack", (get, error, list) => {
      const text = apply(get, error, list)
      return typeof text === "string" && !stackless.has(error) ? writeStack(error, framesOfText(text)) : undefined
    })
  } else {
    const value = (error, sites) => writeStack(error, framesOfSites(sites)) // V8 calls no Proxy.
    define(Error, "prepareStackTrace", { value, writable: true, configurable: true })
    Error.stackTraceLimit = 100 // as in JavaScriptCore
  }
  each(["line", "column", "sourceURL"], (key) => {
    const get = disguise(function () {
      return textMember(this, "stack") === undefined ? undefined : positions.get(this)?.[key]
    })
    const set = disguise(function (value) {
      define(this, key, { value, writable: true, enumerable: true, configurable: true })
    })
    define(Error.prototype, key, { get, set, configurable: true })
  })
}
