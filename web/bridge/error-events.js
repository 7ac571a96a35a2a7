// Part of bridge.js: makes error events those of WebKit.

/** Replaces error events with those of WebKit: without "Uncaught", and without details if a user script throws. */
class ErrorEvents {
  #evaluator
  #console
  #userScripts
  /** The event that this class has dispatched. */
  #own = null

  constructor(evaluator, console, userScripts) {
    this.#evaluator = evaluator
    this.#console = console
    this.#userScripts = userScripts
  }

  start() {
    listen(window, "error", (event) => this.#receive(event))
  }

  #receive(event) {
    const { message, filename, error } = detailsOf(event)
    if (isProbing) {
      stopPropagation(event)
      preventDefault(event)
      return
    }
    if (event === this.#own || message === undefined) return // A resource that did not load has no message.
    if (this.#evaluator.claims(event)) {
      const { line: lineno, column: colno, sourceURL } = this.#evaluator.findPosition(event)
      const members = { message: exceptionMessage(error), filename: sourceURL, lineno, colno, error }
      this.#replace(event, this.#evaluator.isCallingAsync ? SCRIPT_ERROR : members)
    } else {
      this.#console.forwardError(detailsOf(event))
      const isMuted = this.#userScripts.isRunning || exec(/^user-script:/, filename)
      if (isMuted) this.#replace(event, SCRIPT_ERROR)
    }
  }

  #replace(event, members) {
    stopPropagation(event)
    this.#own = new ErrorEvent("error", { __proto__: null, ...members, cancelable: true })
    if (!dispatch(window, this.#own)) preventDefault(event)
  }
}
