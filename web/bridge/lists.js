// Part of bridge.js: what lists and strings have methods for, without methods that the page can replace.

/** An empty list without methods. Items are added by `list[list.length] = item`, which runs no setter of the page. */
const makeList = () => setPrototypeOf([], null)

const each = (list, run) => {
  for (let index = 0; index < list.length; index++) run(list[index], index)
}

const map = (list, change) => {
  const result = makeList()
  for (let index = 0; index < list.length; index++) result[index] = change(list[index])
  return result
}

const filter = (list, isWanted) => {
  const result = makeList()
  each(list, (item) => isWanted(item) && (result[result.length] = item))
  return result
}

const some = (list, isWanted) => {
  for (let index = 0; index < list.length; index++) if (isWanted(list[index])) return true
  return false
}

const rest = (list, start) => {
  const result = makeList()
  for (let index = start; index < list.length; index++) result[result.length] = list[index]
  return result
}

const join = (list, separator) => {
  let text = ""
  each(list, (item, index) => (text += `${index > 0 ? separator : ""}${item}`))
  return text
}

/** The first item, or undefined, also if the page has defined `Array.prototype[0]`. */
const first = (list) => (list.length > 0 ? list[0] : undefined)

/** Returns an iterable of a list's items, for a method of the browser that takes a sequence. */
const iterable = (list) => {
  let index = 0
  const next = () =>
    index < list.length ? { __proto__: null, done: false, value: list[index++] } : { __proto__: null, done: true }
  return { __proto__: null, [iterator]: () => ({ __proto__: null, next }) }
}

/** A first-in, first-out queue. */
class Queue {
  #items = new Table()
  #start = 0
  #end = 0

  get length() {
    return this.#end - this.#start
  }

  append(item) {
    this.#items.set(this.#end++, item)
  }

  /** Removes the oldest item and returns it, or undefined if there is none. */
  takeFirst() {
    if (this.length === 0) return undefined
    const item = this.#items.get(this.#start)
    this.#items.delete(this.#start++)
    return item
  }
}

const matches = (text, pattern) => exec(pattern, text) !== null

/** The matches of a pattern that matches no empty text: all if it has the flag `g`, else the first. */
const findAll = (text, pattern) => {
  const found = makeList()
  for (let match = exec(pattern, text); match; match = exec(pattern, text)) {
    found[found.length] = match
    if (pattern.lastIndex === 0) break // The pattern has no flag `g`.
  }
  return found
}

/** @param {string | ((match: RegExpExecArray) => string)} change what replaces a match */
const replace = (text, pattern, change) => {
  let result = ""
  let end = 0
  each(findAll(text, pattern), (match) => {
    result += slice(text, end, match.index) + (typeof change === "string" ? change : change(match))
    end = match.index + match[0].length
  })
  return result + slice(text, end)
}

/** @param {RegExp} separator a pattern with the flag `g` */
const split = (text, separator) => {
  const parts = makeList()
  let end = 0
  each(findAll(text, separator), (match) => {
    parts[parts.length] = slice(text, end, match.index)
    end = match.index + match[0].length
  })
  parts[parts.length] = slice(text, end)
  return parts
}
