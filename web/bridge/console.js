// Part of bridge.js: forwards the page's console to the daemon.

const NO_DETAILS = { __proto__: null }

/** Forwards console calls and uncaught errors. It limits their rate, so that many entries do not delay messages. */
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
    each(keysOf(native), (level) => {
      override(console, level, (method, object, list) => {
        apply(method, object, list)
        this.forwardCall(level, list)
      })
    })
    this.listenToRejections()
  }

  listenToRejections() {
    listen(window, "unhandledrejection", (event) => {
      const reason = rejectionOf(event)
      this.forward("error", exceptionMessage(reason), "rejection", { url: location.href, stack: textMember(reason, "stack") })
    })
  }

  forwardError({ message, filename, lineno, colno, error }) {
    this.forward("error", message, "exception", { url: filename, line: lineno, column: colno, stack: textMember(error, "stack") })
  }

  forward(level, text, kind = "console", { url, line, column, stack } = NO_DETAILS) {
    this.#timer ??= setTimeout(() => this.#endSecond(), 1_000)
    if (this.#count++ >= MAX_ENTRIES_PER_SECOND || this.#outbox.lastingCount >= MAX_ENTRIES_KEPT) {
      this.#leftOut++
      return
    }
    const details = { url: url && clip(url), line, column, stack: stack && clip(stack) }
    const entry = { level, text: clip(text), kind, ...details }
    this.#outbox.send(call("console.entry", json(entry)), true)
  }

  /** @param {unknown[]} list the arguments of a call of the console */
  forwardCall(level, list) {
    if (this.#isFormatting) return // The value that is being formatted has called the console.
    this.#isFormatting = true
    let text = "(a value that has no text form)"
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
    if (leftOut === 0) return
    const text = `there were more than ${MAX_ENTRIES_PER_SECOND} console entries in a second; ${leftOut} were left out.`
    this.forward("warn", `bridged: ${text}`)
  }
}
