// Part of driven.js: hands messages to the driver, which sends them to the daemon.

/**
 * The first message of a turn goes to the driver at once, as in WebKit, so that it arrives while the page is still
 * busy. What follows in the same turn goes as one text, because each call of the driver costs a browser 50 µs.
 */
class DrivenOutbox {
  #id = 0
  /** The messages that are not handled, by number. */
  #waiting = new Table()
  #text = ""
  #isBatching = false
  /** Messages of `beforeunload` that wait for those of the script which navigates. */
  #held = makeList()
  #isHolding = false
  lastingCount = 0

  /** Whether all messages are handled. */
  get isEmpty() {
    return this.#waiting.size === 0
  }

  post(name, replies, members) {
    cache?.forbid()
    const promise = this.#wait(name, replies)
    const text = `${replies ? "request" : "post"} ${this.#id} ${quote(name)}\n${members}`
    if (this.#isHolding && isUnloading()) this.#held[this.#held.length] = text
    else this.#add(text)
    return promise
  }

  /**
   * Asks the driver something.
   * @param {string} what the first word of the line
   * @param {string} text JSON
   */
  ask(what, text) {
    const promise = this.#wait("", true)
    this.#add(`${what} ${this.#id} ${text}`)
    return promise
  }

  /** Makes the promise of the next message. */
  #wait(name, replies) {
    const message = { name, replies, promise: null, resolve: null, reject: null }
    message.promise = new Promise((resolve, reject) => {
      message.resolve = resolve
      message.reject = reject
    })
    this.#waiting.set(++this.#id, message)
    if (frameName) frameOutboxes.set(frameName, this)
    return message.promise
  }

  /** Until `release`, messages posted by listeners of `beforeunload` wait; all others go first. */
  hold() {
    this.#isHolding = true
  }

  release() {
    const held = this.#held
    this.#held = makeList()
    this.#isHolding = false
    each(held, (text) => this.#add(text))
  }

  /** The driver forgets a document that was left. */
  suspend() {}

  /** Sends a JSON-RPC frame for the daemon. */
  send(text) {
    this.#add(`frame ${text}`)
  }

  settle({ id, result, error }) {
    const message = this.#waiting.get(id)
    if (!message) return
    this.#waiting.delete(id)
    if (frameName && this.#waiting.size === 0) frameOutboxes.delete(frameName)
    if (error) return message.reject(replyError(message.name, bare(error)))
    if (!message.replies) return message.resolve(undefined)
    const { value, types } = bare(result)
    message.resolve(decodeScriptValue(value, types))
  }

  /** Ends what was posted just before the document was kept in the browser's cache: the driver did not get it. */
  abandon() {
    const message = "bridged: the message was lost, because the page was left in the moment in which it was posted."
    for (let id = 1; id <= this.#id; id++) this.settle({ id, error: { __proto__: null, code: -32003, message } })
  }

  #add(text) {
    if (this.#isBatching) {
      this.#text += this.#text === "" ? text : `\n${text}`
      if (this.#text.length > MAX_BATCH_BYTES) this.flush()
    } else {
      // A frame that is removed runs no microtasks any more, and a document without scripts runs none.
      this.#isBatching = !isFrame && runsListeners
      if (this.#isBatching) queueMicrotask(() => this.#endTurn())
      send(text)
    }
  }

  #endTurn() {
    this.#isBatching = false
    this.flush()
  }

  flush() {
    const text = this.#text
    this.#text = ""
    if (text !== "") send(text)
  }
}

/**
 * Whether the document may run scripts. If it may not (in a sandbox, or because native code forbids the page's own
 * scripts), the browser calls no listener, and the driver says when the document goes on.
 */
const runsListeners = (() => {
  let hasRun = false
  const target = new window.EventTarget()
  listen(target, "probe", () => (hasRun = true))
  dispatch(target, new window.Event("probe"))
  return hasRun
})()

/**
 * Runs a function for each document of this window, when it has its first element. A window has more than one document
 * only in Firefox: it gives the window of an empty document to the document of the same origin that follows, and runs no
 * script for that. The follower is there in the next task, before its first script.
 */
const forEachDocument = (run) => {
  let last = null
  const runOnce = () => {
    document = window.document
    if (document !== last) run()
    last = document
  }
  const isEmpty = matches(location.href, /^(about:blank)?$/)
  if (!isFirefox || !isEmpty) return whenDocumentElementExists(runOnce)
  // If the empty document stays, it ends its load.
  listen(window, "DOMContentLoaded", runOnce, true)
  const expectDocument = () => {
    document = window.document
    whenDocumentElementExists(runOnce)
  }
  listen(window, "unload", () => setTimeout(expectDocument), true)
}

/**
 * Runs a function once when the document has its first element: at once, or before the page's first script. An empty
 * document is complete before the script goes on that has made its frame.
 */
const whenDocumentElementExists = (run) => {
  let hasRun = false
  const check = () => {
    if (hasRun || !rootOf(document)) return
    hasRun = true
    observer.disconnect()
    run()
  }
  const observer = new MutationObserver(check)
  observer.observe(document, { __proto__: null, childList: true })
  listen(window, "readystatechange", check, true)
  check()
}
