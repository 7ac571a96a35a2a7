// Part of driven.js: what a page's policy forbids. Firefox runs the scripts of its driver as those of a debugger, to which
// no policy applies.

/** Whether the document may run scripts of its own, if Firefox calls listeners of the driver in any document. */
const runsScripts = () => !isFirefox || !window.matchMedia("(scripting: none)").matches

const { EvalError } = globalThis

/** Makes all functions that compile text throw, as they do when the page itself calls them. */
const forbidEval = () => {
  const refuse = () => {
    throw new EvalError("The page's Content-Security-Policy forbids eval.")
  }
  override(window, "eval", (method, object, list) => (typeof list[0] === "string" ? refuse() : list[0]))
  each([() => {}, async () => {}, function* () {}, async function* () {}], (example) => {
    const prototype = getPrototypeOf(example)
    const property = propertyOf(prototype, "constructor")
    const value = disguise(property.value, { apply: refuse, construct: refuse })
    define(prototype, "constructor", { ...property, value })
    if (property.value === Function) define(window, "Function", { ...propertyOf(window, "Function"), value })
  })
}
