// Part of bridge.js, for pages in an app of their own: connects the parts that observe.

const TURBO_EVENTS = [
  "turbo:visit", "turbo:load", "turbo:render", "turbo:submit-start", "turbo:submit-end", "turbo:frame-load",
  "turbo:frame-missing", "turbo:fetch-request-error", "turbo:reload",
  "turbolinks:visit", "turbolinks:load", "turbolinks:render"
]

/** The members of an event's `detail` that are texts, numbers or booleans. */
const plainDetail = (event) => {
  const detail = bare(new QuietCopy(detailOfEvent(event)).value)
  const plain = { __proto__: null }
  each(keysOf(detail), (key) => {
    const value = detail[key]
    if (typeof value === "string") plain[key] = clip(value)
    else if (typeof value === "number" || typeof value === "boolean") plain[key] = value
  })
  return plain
}
const detailOfEvent = getter("CustomEvent", "detail")
const historyPrototype = getPrototypeOf(history)

/** The session of a document of an app with the daemon, which only listens. */
class Observer {
  #document = makeUUID()
  #url
  #webView
  #observations
  #pageObserver
  #calls
  #isKnown = false
  #hasReported = false
  #attachedAs
  /** Runs scripts of tools. A page for which no tool asks has none. */
  #evaluator = null

  constructor(url, webView) {
    this.#url = url
    this.#webView = webView
    this.connection = new Connection(url, settings.token, this)
    this.monitor = new ConnectionMonitor(() => this.connection.open())
    this.#observations = new Observations(this.connection)
    this.console = new ConsoleForwarder(this.#observations)
  }

  /** @param {string[]} interfaces names of interface objects */
  start(hasHandlers, interfaces) {
    // Keeps a second tag from observing, too.
    listen(window, "bridged:start", (event) => preventDefault(event))
    hideTexts()
    this.#calls = new ObservedCalls(this.#observations, settings.observe ?? [])
    // The adapters of frameworks announce themselves by a message, before native code calls them.
    this.#observations.onEntries = () => this.#calls.look()
    if (hasHandlers) observeHandlers(this.#observations, map(settings.handlers ?? [], ({ name }) => name))
    each(interfaces, (name) => observeInterface(this.#observations, name))
    this.#calls.start()
    this.#observeConsole()
    each(TURBO_EVENTS, (type) => listen(document, type, (event) => this.#turbo(type, event), true))
    this.#pageObserver = new PageObserver(this.#observations)
    if (!window.navigation) this.#observeHistory()
    listen(window, "pagehide", () => this.#leave())
    listen(window, "pageshow", (event) => persistedOf(event) && this.monitor.start())
    listen(window, "online", () => this.monitor.start())
    listen(document, "visibilitychange", () => visibilityOf(document) === "visible" && this.monitor.start())
    this.monitor.start()
  }

  #observeConsole() {
    each(keysOf(native), (level) => {
      standInFor(console, level, (log, self, list) => {
        this.console.forwardCall(level, list)
        return apply(log, self, list)
      })
    })
    this.console.listenToRejections()
    listen(window, "error", (event) => {
      const details = detailsOf(event)
      if (details.message !== undefined) this.console.forwardError(details) // A resource that did not load has none.
    })
  }

  /** Where there is no navigation API, as before Safari 26.2, nothing else tells of these. */
  #observeHistory() {
    each(["pushState", "replaceState"], (name) => {
      standInFor(historyPrototype, name, (run, self, list) => {
        queueMicrotask(() => this.#pageObserver.check())
        return apply(run, self, list)
      })
    })
  }

  #turbo(type, event) {
    const detail = plainDetail(event)
    this.#observations.add((seq) => `{"seq":${seq},"kind":"event","name":${quote(type)},"detail":${json(detail)}}`)
  }

  #describe() {
    const { url, title, readyState } = this.#pageObserver.describe()
    return {
      document: this.#document, webView: this.#webView, device: true,
      frame: { __proto__: null, url, origin, isMainFrame: !isFrame },
      title, readyState, userAgent: navigator.userAgent, resume: this.#isKnown
    }
  }

  // Called by the connection.

  opened() {
    this.#attachedAs = this.#describe()
    this.connection.send(call("page.attach", json(this.#attachedAs), "attach"))
  }

  received(text) {
    const frame = parse(text)
    if (isArray(frame)) each(frame, (item) => this.#handle(bare(item)))
    else this.#handle(bare(frame))
  }

  #handle({ id, method, params, result, error }) {
    if (method === "page.ack") this.#observations.acknowledge(bare(params).seq)
    else if (method !== undefined) {
      if (exec(EVALUATOR_METHODS, method)) this.#perform({ id, method, params: bare(params) })
      else if (id !== undefined) this.connection.send(failure(id, -32601, `A page in an app of its own knows no "${method}"`))
    } else if (id === "attach") {
      if (error) this.#giveUp(`the daemon refused this page: ${bare(error).message}`)
      else this.#attached(bare(result))
    }
  }

  /** Runs a script of a tool, which only the daemon's own token lets it ask for. Its response follows what the page posts. */
  #perform(request) {
    this.#evaluator ??= new Evaluator((response, id) => {
      const isTooLarge = byteLength(response) > this.connection.maxMessageBytes
      const type = `result over ${this.connection.maxMessageBytes} bytes`
      this.#observations.respond(isTooLarge ? failure(id, 5, UNSUPPORTED, { __proto__: null, type }) : response)
    })
    this.#evaluator.perform(request)
  }

  #attached({ resumed, lastSeq, maxMessageBytes }) {
    // Another run of the daemon counts its requests from 1.
    if (!resumed) this.#evaluator?.forget()
    this.#isKnown = true
    this.connection.isOpen = true
    this.connection.maxMessageBytes = maxMessageBytes
    this.monitor.connected()
    this.#pageObserver.attached({ ...this.#attachedAs, url: this.#attachedAs.frame.url })
    this.#observations.resume(resumed ? lastSeq : 0)
  }

  closed(code) {
    if (code === 1008 || code === 1009) return this.#giveUp(`the daemon closed the connection (${code})`)
    // A phone is often shown where no daemon runs. A connection that was open before is opened again.
    if (!this.#isKnown) return this.#giveUp(`no connection to ${this.#url}. Is the daemon running?`)
    this.monitor.disconnected()
  }

  refused(reason) {
    this.#giveUp(`no connection to ${this.#url}: ${reason}`)
  }

  /** Says once why nothing is observed, and tries again only when the page is shown again or the network has come back. */
  #giveUp(reason) {
    this.monitor.stop()
    this.connection.close()
    if (this.#hasReported) return
    this.#hasReported = true
    apply(native.info, console, [`bridged: this app's page is not observed: ${reason}`])
  }

  #leave() {
    const frames = this.#observations.leave()
    if (this.#isKnown) {
      const head = `"document":"${this.#document}","attach":${json(this.#describe())}`
      sendInBatches(frames, MAX_BEACON_BYTES - 2_000, (batch) => {
        this.connection.beacon(`{${head},"messages":[${call("page.observed", `{"entries":[${batch}]}`)}]}`)
      })
    }
    this.monitor.stop()
    this.connection.close()
  }
}
