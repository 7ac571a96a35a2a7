// Part of bridge.js: the page's console, forwarded.

/** Forwards console calls and uncaught errors, slowly enough that a log storm delays no message. */
class ConsoleForwarder {
  #outbox
  #count = 0
  #leftOut = 0
  #timer = null
  #isFormatting = false

  constructor(outbox) {
    this.#outbox = outbox
  }

  start() {
    for (const level of keysOf(native)) {
      override(console, level, (method, object, list) => {
        apply(method, object, list)
        this.#forwardCall(level, list)
      })
    }
    window.addEventListener("unhandledrejection", ({ reason }) => {
      this.forward("error", exceptionMessage(reason), "rejection", { url: location.href, stack: reason?.stack })
    })
  }

  forwardError({ message, filename, lineno, colno, error }) {
    this.forward("error", message, "exception", { url: filename, line: lineno, column: colno, stack: error?.stack })
  }

  forward(level, text, kind = "console", { url, line, column, stack } = {}) {
    this.#timer ??= setTimeout(() => this.#endSecond(), 1_000)
    if (this.#count++ >= MAX_ENTRIES_PER_SECOND || this.#outbox.lastingCount >= MAX_ENTRIES_KEPT) {
      this.#leftOut++
      return
    }
    const details = { url, line, column, stack: stack && clip(`${stack}`) }
    const entry = { level, text: clip(text), kind, ...details }
    this.#outbox.send(call("console.entry", json(entry)), true)
  }

  #forwardCall(level, list) {
    if (this.#isFormatting) return // A value's own code logs.
    this.#isFormatting = true
    let text = "(a value that could not be made into text)"
    try {
      text = formatArguments(list)
    } catch {}
    this.#isFormatting = false
    this.forward(level, text)
  }

  #endSecond() {
    const leftOut = this.#leftOut
    this.#timer = null
    this.#count = 0
    this.#leftOut = 0
    if (leftOut > 0) this.forward("warn", `bridged left out ${leftOut} console entries, which came too fast.`)
  }
}
