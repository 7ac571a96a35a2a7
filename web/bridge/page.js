// Part of bridge.js: all of it together: one document and its daemon.

const SCRIPT_ERROR = { message: "Script error." }

class Bridge {
  status
  #document = makeUUID()
  #previous // `{document, seq}`: how far the document before this one came
  #attachedAs = null
  isKnown = false // The daemon has heard of this document.
  #hasToldOutage = false
  #toldFailures = new Set()
  #told = null // the error event of ours
  isLeaving = false

  /** `scope`: the web view's handlers, user scripts and user agent. */
  constructor(url, webView, scope) {
    this.status = { state: "connecting", page: null, url, webView }
    this.webView = webView
    this.scope = scope
    this.connection = new Connection(url, settings.token, this)
    this.outbox = new Outbox(this.connection)
    this.handlers = new MessageHandlers(this.outbox)
    this.evaluator = new Evaluator((response, id) => this.#respond(response, id))
    this.monitor = new ConnectionMonitor(() => this.#connect())
    this.console = new ConsoleForwarder(this.outbox)
    this.userScripts = new UserScripts(scope.userScripts ?? [])
  }

  start() {
    if (!isFrame) this.#previous = takeLastLeft()
    this.handlers.update(this.scope.handlers)
    if (this.scope.userAgent) showUserAgent(this.scope.userAgent)
    if (!isFrame) keepOpen()
    hideRequests()
    this.console.start()
    listen(window, "error", (event) => this.#receiveError(event))
    this.observer = new PageObserver(this.outbox)
    window.addEventListener("online", () => this.monitor.retry())
    document.addEventListener("visibilitychange", () => document.hidden || this.monitor.retry())
    listen(window, "securitypolicyviolation", filterViolation, true)
    document.addEventListener("securitypolicyviolation", (event) => this.#tellViolation(event))
    new Departure(this).start()
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.stay())
    this.monitor.start()
    new ChildFrames(this.webView).start()
    tag?.remove()
    this.userScripts.start()
  }

  /** As members, with what a call needs before the document is attached. */
  get introduction() {
    return `"attach":${json(this.#describe())},"status":${this.observer.describe().status ?? null}`
  }

  opened() {
    this.#attachedAs = this.#describe()
    this.connection.send(call("page.attach", json(this.#attachedAs), "attach"))
  }

  received(text) {
    const frame = parse(text)
    if (!isArray(frame)) return this.#handle(frame)
    for (let index = 0; index < frame.length; index++) this.#handle(frame[index])
  }

  closed(code, reason) {
    this.outbox.disconnected()
    const limit = this.connection.maxMessageBytes
    if (code === 1008 || code === 1009) {
      tell("error", `the daemon hung up (${code} ${reason}). It takes ${limit} bytes a message.`)
    } else if (code !== 1013 && this.monitor.attempt > 0 && !this.#hasToldOutage) {
      native.warn(`bridged: no connection to ${this.status.url}. Is the daemon running? Messages are kept.`)
      this.#hasToldOutage = true
    }
    this.monitor.disconnected()
    this.#setState("away")
  }

  /** Mixed content, or a policy: trying again would not help. */
  refused(reason) {
    if (!this.monitor.isRunning) return // A policy is told once for each of its violations.
    const { url } = this.status
    const both = `${url.replace(/page$/, "")} ${url.replace(/^ws(.*)page$/, "http$1")}`
    native.error(`bridged: no connection to ${url}: ${reason} ${location.protocol === "https:"
      ? "Use http for the page, or wss for the daemon."
      : `Add to the policy's connect-src (or default-src), in development: ${both}`}`)
    this.#giveUp()
  }

  #giveUp() {
    this.monitor.stop()
    this.connection.close()
    this.#setState("away")
  }

  /** The page hears of exceptions in WebKit's words: no "Uncaught", and nothing about user scripts. */
  #receiveError(event) {
    const { message, filename, error } = event
    if (isProbing) {
      event.stopImmediatePropagation()
      event.preventDefault()
      return
    }
    if (event === this.#told || message === undefined) return // A resource that did not load has no message.
    if (this.evaluator.takes(event)) {
      const { line: lineno, column: colno, sourceURL } = this.evaluator.findPosition(event)
      const members = { message: exceptionMessage(error), filename: sourceURL, lineno, colno, error }
      this.#tellPage(event, this.evaluator.isCallingAsync ? SCRIPT_ERROR : members)
    } else {
      this.console.forwardError(event)
      const isMuted = this.userScripts.isRunning || exec(/^user-script:/, filename)
      if (isMuted) this.#tellPage(event, SCRIPT_ERROR)
    }
  }

  #tellPage(event, members) {
    event.stopImmediatePropagation()
    this.#told = new ErrorEvent("error", { ...members, cancelable: true })
    if (!dispatch(window, this.#told)) event.preventDefault()
  }

  #respond(response, id) {
    const limit = this.connection.maxMessageBytes
    const isTooLarge = byteLength(response) > limit
    const type = `result over ${limit} bytes`
    this.outbox.respond(isTooLarge ? failure(id, 5, UNSUPPORTED, { __proto__: null, type }) : response)
  }

  #connect() {
    this.#setState("connecting")
    this.connection.open()
  }

  #describe() {
    const { url, title, readyState } = this.observer.describe()
    return {
      document: this.#document,
      webView: this.webView,
      frame: { __proto__: null, url, origin: window.origin, isMainFrame: !isFrame },
      title,
      readyState,
      userAgent: navigator.userAgent,
      resume: this.isKnown,
      previous: this.isKnown ? undefined : this.#previous,
      waiting: this.isKnown ? this.outbox.waiting : undefined
    }
  }

  #handle(frame) {
    try {
      if (frame.method === undefined) this.#handleResponse(frame)
      else this.#handleCall(frame)
    } catch (error) {
      tell("error", `could not handle ${frame?.method ?? "a response"} from the daemon: ${error}`)
    }
  }

  #handleResponse(response) {
    if (response.id === null) this.#notificationFailed(response.error)
    else if (response.id !== "attach") this.outbox.settle(response.id, response)
    else if (response.error) this.#attachFailed(response.error)
    else this.#attached(response.result)
  }

  #handleCall({ id, method, params }) {
    if (method === "page.ack") this.outbox.acknowledge(params.seq)
    else if (method === "handlers.changed") this.#changed(params)
    else if (exec(EVALUATOR_METHODS, method)) this.evaluator.perform({ id, method, params })
    else if (id !== undefined) this.outbox.send(failure(id, -32601, `This page knows no method "${method}"`))
  }

  #changed({ handlers, userScripts }) {
    this.handlers.update(handlers)
    if (userScripts) this.userScripts.update(userScripts)
  }

  #attached({ page, resumed, lastSeq, handlers, maxMessageBytes }) {
    this.isKnown = true
    this.#hasToldOutage = false
    this.connection.isOpen = true
    this.connection.maxMessageBytes = maxMessageBytes
    this.monitor.connected()
    if (!resumed) this.evaluator.forget() // Another run of the daemon counts its requests anew.
    this.handlers.update(handlers)
    // First: native code commits the load.
    this.observer.attached({ ...this.#attachedAs, url: this.#attachedAs.frame.url })
    this.outbox.resume({ resumed, lastSeq })
    this.#setState("connected", page)
  }

  #attachFailed({ code, message }) {
    native.error(`bridged: the daemon refused this page: ${message} (${code}). Reload it once that is put right.`)
    this.#giveUp()
  }

  /** An error without an id is about a frame that wants no answer. */
  #notificationFailed({ code, message }) {
    if (this.#toldFailures.has(message)) return
    this.#toldFailures.add(message)
    tell("error", `the daemon could not take a message of this page: ${message} (${code})`)
  }

  /** From now on beacons carry what the connection may not. */
  leave() {
    if (tag?.isLeaving && !tag.isLeaving()) return this.outbox.linger()
    this.isLeaving = true
    const attach = this.isKnown ? "" : `,"attach":${json(this.#describe())}`
    this.outbox.leave(this.#document, attach)
    this.monitor.stop()
  }

  disconnect() {
    this.connection.close()
    this.outbox.disconnected()
  }

  stay() {
    this.isLeaving = false
    this.outbox.stay()
    this.monitor.start()
  }

  #tellViolation({ effectiveDirective, blockedURI }) {
    if (effectiveDirective !== "connect-src" || !blockedURI.startsWith(new URL(this.status.url).origin)) return
    if (this.monitor.isRunning) this.tellForbidden(effectiveDirective)
    this.refused("the page's Content-Security-Policy forbids it.")
  }

  /** Once. The policy lets in scripts from the daemon: so one carries the news. */
  tellForbidden(directive) {
    if (this.#toldFailures.has(directive)) return
    this.#toldFailures.add(directive)
    if (directive === "script-src") tell("error", FORBIDDEN_EVAL)
    const url = new URL("/bridge.js", this.status.url.replace(/^ws/, "http"))
    url.search = new window.URLSearchParams({ blocked: directive, from: location.href })
    if (settings.token) url.searchParams.set("token", settings.token)
    const script = document.createElement("script")
    script.nonce = nonce
    script.src = trust.createScriptURL(url.href)
    document.documentElement.append(script)
    script.remove()
  }

  #setState(state, page = this.status.page) {
    this.status = { ...this.status, state, page }
    const detail = { state, page, attempt: this.monitor.attempt }
    document.dispatchEvent(new CustomEvent("bridged:state", { detail }))
  }
}
