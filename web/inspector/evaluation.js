// What the console runs in a page: expressions and statements, with `await`, and a description of values that JSON cannot
// express. A page runs them as the body of an async function.

/** The first line of what the console runs. The traffic shows what the user has typed in its place. */
const mark = "// The inspector's console"

/**
 * The bodies to try, in order: one that does not parse has run nothing. After them, the source runs as a script.
 *
 * @param {string} source
 * @returns {string[]}
 */
export function bodies(source) {
  const text = source.trim().replace(/[;\s]+$/, "")
  // A function or class that is declared shall last, which it does not within the function of the body.
  if (/^(async\s+function|function|class)\b/.test(text)) return []
  if (!/\bawait\b/.test(text)) return [body(`return present((${text}\n))`)]
  const lasting = withGlobals(text)
  const splits = [...lasting.matchAll(/[;\n]/g)].map(({ index }) => index).reverse().slice(0, 10)
    .filter((index) => !/\/\/[^\n]*$/.test(lasting.slice(0, index)) && lasting.slice(index + 1).trim())
  return [
    body(`return present(await (${text}\n))`),
    ...splits.map((index) => body(`${lasting.slice(0, index)}\n;return present(await (${lasting.slice(index + 1)}\n))`)),
    body(`${lasting}\nreturn present(undefined)`),
  ]
}

/** Makes the variables that lines of the source declare global ones, which last until the next source. */
function withGlobals(source) {
  return source
    .replace(/^(?:const|let|var)\s+(\{[^=\n]*\}\s*=(?!=)[^\n]*?);?$/gm, ";($1)")
    .replace(/^(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*|\[[^\]\n]*\])\s*=(?!=)/gmu, ";$1 =")
}

function body(statements) {
  return `${mark}\nconst present = ${present}\ntry {\n${statements}\n} catch (error) {\n`
    + "return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }\n}"
}

/** What the user has typed, if the record is that of a source of the console; else `null`. */
export function typedSource(record) {
  return record.kind === "callAsync" && record.body?.startsWith(mark) ? record.arguments?.typed ?? null : null
}

/** Whether the record is about the names that the console completes, which the user has not asked for. */
export const isCompletion = (record) => record.kind === "callAsync" && record.body?.startsWith(namesMark)

/**
 * Returns a value for the console: `{value}` if it has only what JSON and its types can express, or else `{shown}`, its
 * description. It runs in the page, so that it may use nothing from outside.
 *
 * @param {any} value
 */
export function present(value) {
  let rest = 20_000
  const isPlain = (value, depth = 0) => {
    if (rest-- < 0 || depth > 50) return false
    if (typeof value === "function" || typeof value === "symbol") return false
    if (value === null || typeof value !== "object" || value instanceof Date) return true
    const prototype = Object.getPrototypeOf(value)
    if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
    if (Array.isArray(value) ? prototype?.constructor?.name !== "Array" : Object.prototype.toString.call(value) !== "[object Object]") return false
    return Object.values(Object.getOwnPropertyDescriptors(value)).every((property) => !property.get && isPlain(property.value, depth + 1))
  }
  const cut = (text, length = 200) => (text.length > length ? `${text.slice(0, length)}…` : text)
  const typeOf = (value) => {
    try { return String(value.constructor?.name || Object.prototype.toString.call(value).slice(8, -1)) } catch { return "Object" }
  }
  const isNode = (value) => typeof Node === "function" && value instanceof Node
  const tag = (element) => {
    const [begin, end] = element.cloneNode(false).outerHTML.split(/(?=<\/[^<]*$)/)
    const inside = element.childElementCount ? "…" : cut(element.textContent.trim(), 60)
    return cut(begin, 300) + inside + (end ?? "")
  }
  const nodeText = (node) => (node.nodeType === 1 ? tag(node) : node.nodeType === 9 ? `#document ${node.URL}` : cut(String(node.nodeValue ?? node.nodeName)))
  const leaf = (value) => {
    if (typeof value === "string") return { text: JSON.stringify(cut(value, 5000)), type: "string" }
    if (typeof value === "bigint") return { text: `${value}n`, type: "bigint" }
    if (typeof value === "function") return { text: cut(Function.prototype.toString.call(value)), type: "function" }
    return { text: Object.is(value, -0) ? "-0" : String(value), type: value === null ? "null" : typeof value }
  }
  const members = (value) => {
    if (isNode(value)) return [...value.childNodes].filter((node) => node.nodeType !== 3 || node.nodeValue.trim()).map((node, index) => [index, node])
    if (value instanceof Map) return [...value].map(([key, item]) => [typeof key === "string" ? key : leaf(key).text, item])
    if (value instanceof Set) return [...value].map((item, index) => [index, item])
    if (Array.isArray(value) || ArrayBuffer.isView(value) || (typeof value.length === "number" && typeof value[Symbol.iterator] === "function")) {
      return Array.from(value).map((item, index) => [index, item])
    }
    // The attributes of platform objects, such as location.href, are getters that a loop over the names finds.
    const found = []
    for (const name in value) {
      if (found.length > 1000) break
      let member
      try { member = value[name] } catch { continue }
      if (typeof member !== "function") found.push([name, member])
    }
    return found
  }
  const show = (value, depth) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return leaf(value)
    if (typeof value === "function") return leaf(value)
    const type = typeOf(value)
    const text = isNode(value) ? nodeText(value) : value instanceof Error ? cut(String(value.stack || value), 2000)
      : value instanceof Date || value instanceof RegExp ? String(value) : ""
    if (depth === 0) return { text, type }
    let all = []
    try { all = members(value) } catch { /* The page's own object refuses. */ }
    return { text, type, members: all.slice(0, 100).map(([name, item]) => [String(name), show(item, depth - 1)]), more: Math.max(0, all.length - 100) }
  }
  return isPlain(value) ? { value } : { shown: show(value, 3) }
}

// MARK: Names

const namesMark = "// The inspector completes names"

/**
 * The name at the end of a text that can be completed: only names and dots, so that no function of the page is called.
 *
 * @param {string} text
 * @returns {{path: string[], prefix: string} | null}
 */
export function nameAtEnd(text) {
  const [chain] = text.match(/(?:\?\.|[\p{L}\p{N}_$.])*$/u)
  const parts = chain.replaceAll("?.", ".").split(".")
  const prefix = parts.pop()
  if (!chain || /^\d/.test(prefix) || parts.some((part) => !part || /^\d/.test(part))) return null
  return parts.length || prefix ? { path: parts, prefix } : null
}

/** Returns the names of the members of an object. Runs in the page. */
function names(path) {
  let value = globalThis
  for (const name of path) value = name === "this" && value === globalThis ? value : value?.[name]
  const found = new Set()
  for (let holder = value === null || value === undefined ? null : Object(value); holder; holder = Object.getPrototypeOf(holder)) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) found.add(name)
    }
  }
  return [...found].slice(0, 5000)
}

/** The body of the function that returns the names; its argument is `path`. */
export const namesBody = `${namesMark}\nreturn (${names})(path)`
