// Part of bridge.js: connects all other parts.

/** Explains how to allow the connection. */
const connectionHint = (url) => {
  if (location.protocol === "https:") return "Use http for the page, or wss for the daemon."
  const base = replace(url, /page$/, "")
  const sources = `${base} ${httpOf(base)}`
  return `During development, add to the policy's connect-src (or default-src): ${sources}`
}

/** The session of one document with the daemon. */
class Bridge {
  status
  #document = makeUUID()
  /** @type {{document: string, seq: number} | undefined} the document before this one, and its last message */
  #previous
  /** The params of the latest `page.attach`. */
  #attachedAs = null
  /** The run of the daemon to which this document attached last. */
  #run
  /** The run that has answered a request since the connection was opened. */
  #metRun
  /** Whether the daemon knows this document. */
  isKnown = false
  #hasReportedOutage = false
  #reportedFailures = new Table()
  #url
  /** The web view's name at the daemon. It is not what the page asks for if the page is not of the app's origin. */
  #givenWebView
  #userAgent
  /** What shows that native code made this document. */
  #documentKey = settings.documentKey
  isLeaving = false

  /**
   * @param {string} url the daemon's WebSocket
   * @param {string} webView
   * @param {{handlers, userScripts, interfaces, userAgent, contentScripts, dialogs, loads}} scope what the web view has
   */
  constructor(url, webView, scope) {
    this.status = { state: "connecting", page: null, url, webView }
    this.#url = url
    this.webView = webView
    this.#givenWebView = webView
    this.scope = scope
    this.connection = new Connection(url, settings.token, this)
    this.outbox = new Outbox(this.connection)
    this.handlers = new MessageHandlers(this.outbox)
    this.evaluator = new Evaluator((response, id) => this.#respond(response, id))
    this.monitor = new ConnectionMonitor(() => this.#connect())
    this.console = new ConsoleForwarder(this.outbox)
    this.userScripts = new UserScripts(scope.userScripts ?? [], (url) => {
      report("error", `${url} did not run. ${FORBIDDEN_SCRIPT}`)
    })
  }

  start() {
    if (!isFrame) this.#previous = takePreviousDocument()
    this.handlers.update(this.scope.handlers)
    if (this.scope.userAgent) showUserAgent(this.scope.userAgent)
    this.#userAgent = navigator.userAgent
    if (!isFrame) keepOpen()
    hideRequests()
    this.console.start()
    new ErrorEvents(this.evaluator, this.console, this.userScripts).start()
    this.observer = new PageObserver(this.outbox)
    listen(window, "online", () => this.monitor.retry())
    listen(document, "visibilitychange", () => visibilityOf(document) === "hidden" || this.monitor.retry())
    listen(window, "securitypolicyviolation", filterViolation, true)
    listen(document, "securitypolicyviolation", (event) => this.#reportViolation(event))
    new Departure(this).start()
    listen(window, "pageshow", (event) => persistedOf(event) && this.stay())
    this.monitor.start()
    new ChildFrames(this.webView).start()
    tag?.remove()
    this.userScripts.start()
  }

  /** The members with which a call or beacon introduces a document that the daemon does not know yet. */
  get introduction() {
    return `"attach":${json(this.#describe())},"status":${this.observer.describe().status ?? null}`
  }

  opened() {
    this.#metRun = undefined
    this.#attachedAs = this.#describe()
    this.outbox.nameWaiting()
    this.connection.send(call("page.attach", json(this.#attachedAs), "attach"))
  }

  received(text) {
    const frame = parse(text)
    if (!isArray(frame)) return this.#handle(frame)
    for (let index = 0; index < frame.length && this.connection.hasSocket; index++) this.#handle(frame[index])
  }

  closed(code, reason) {
    this.outbox.disconnected()
    const limit = this.connection.maxMessageBytes
    if (code === 1008 || code === 1009) {
      report("error", `the daemon closed the connection (${code} ${reason}). It takes ${limit} bytes a message.`)
    } else if (code !== 1013 && this.monitor.attempt > 0 && !this.#hasReportedOutage) {
      native.warn(`bridged: no connection to ${this.#url}. Is the daemon running? Messages are kept.`)
      this.#hasReportedOutage = true
    }
    this.monitor.disconnected()
    this.#setState("away")
  }

  /** Gives up if the browser forbids the connection as mixed content or by a policy. Trying again would not help. */
  refused(reason) {
    if (!this.monitor.isRunning) return // Only the first violation of a policy is reported.
    const url = this.#url
    native.error(`bridged: no connection to ${url}: ${reason} ${connectionHint(url)}`)
    this.#giveUp()
  }

  #giveUp() {
    this.monitor.stop()
    this.connection.close()
    this.#setState("away")
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
      frame: { __proto__: null, url, origin, isMainFrame: !isFrame },
      title,
      readyState,
      userAgent: this.#userAgent,
      resume: this.isKnown,
      documentKey: this.#documentKey,
      previous: this.isKnown ? undefined : this.#previous,
      waiting: this.outbox.waiting
    }
  }

  #handle(parsed) {
    const frame = bare(parsed)
    try {
      if (frame.method === undefined) this.#handleResponse(frame)
      else this.#handleCall(frame)
    } catch (error) {
      report("error", `could not handle ${frame.method ?? "a response"} from the daemon: ${exceptionMessage(error)}`)
    }
  }

  #handleResponse(response) {
    if (response.id === null) this.#notificationFailed(response.error)
    else if (response.id !== "attach") this.outbox.settle(response.id, response)
    else if (response.error) this.#attachFailed(response.error)
    else this.#attached(bare(response.result))
  }

  #handleCall({ id, method, params: parsed }) {
    const params = bare(parsed)
    if (method === "page.ack") this.outbox.acknowledge(params.seq)
    else if (method === "handlers.changed") this.#changed(params)
    else if (exec(EVALUATOR_METHODS, method)) this.evaluator.perform({ id, method, params })
    else if (id !== undefined) this.outbox.send(failure(id, -32601, `This page knows no method "${method}"`))
  }

  #changed({ handlers, userScripts }) {
    this.handlers.update(handlers)
    if (userScripts) this.userScripts.update(userScripts)
  }

  #attached({ page, run, resumed, lastSeq, handlers, maxMessageBytes, webView = this.webView }) {
    const isOfAnotherRun = this.#metRun !== undefined && run !== this.#metRun
    // The daemon may have sent the reply to an earlier connection, and does not know that it did not arrive.
    if (isOfAnotherRun || this.outbox.hasUnnamed) return this.#reconnect()
    // If the answer to an earlier `page.attach` was lost, the daemon has resumed a session that is new to this document.
    resumed &&= run === this.#run
    this.#run = run
    this.isKnown = true
    if (webView !== this.#givenWebView) {
      const reason = webView === this.webView ? "as it asked" : "because it is not of the app's origin"
      native.info(`bridged: this page's web view is "${webView}", ${reason}.`)
      this.#givenWebView = webView
      this.status = { ...this.status, webView }
    }
    this.#hasReportedOutage = false
    this.connection.isOpen = true
    this.connection.maxMessageBytes = maxMessageBytes
    this.monitor.connected()
    if (!resumed) this.evaluator.forget() // The daemon has started again, and counts its requests from 1.
    this.handlers.update(handlers)
    // This comes before the messages, because native code commits the load with it.
    this.observer.attached({ ...this.#attachedAs, url: this.#attachedAs.frame.url })
    this.outbox.resume({ resumed, lastSeq })
    this.#setState("connected", page)
  }

  /**
   * Call this after a request that introduced this document. Another run of the daemon has none of the earlier requests
   * and replies.
   * @param {string | null} run null if the daemon has refused the request; then it may not know this document
   */
  meet(run) {
    if (run === null) return
    this.isKnown = true
    this.#metRun = Number(run)
    if (this.#metRun === this.#run) return
    this.#run = this.#metRun
    this.evaluator.forget()
    this.outbox.forgetReplies()
    // What still arrives from the earlier run would be taken for this one's: the ids of evaluations begin anew.
    if (this.connection.isOpen) this.#reconnect()
  }

  #reconnect() {
    this.connection.end(1013, "connects again")
  }

  #attachFailed({ code, message }) {
    native.error(`bridged: the daemon refused this page: ${message} (${code}). Reload the page after fixing that.`)
    this.#giveUp()
  }

  /**
   * Handles an error without an id. It is about a notification. The console shows it once; the daemon's log has it
   * already.
   */
  #notificationFailed({ code, message }) {
    if (this.#reportedFailures.has(message)) return
    this.#reportedFailures.set(message, true)
    native.error(`bridged: the daemon could not handle a message of this page: ${message} (${code})`)
  }

  /** Call this when the document unloads. From then on, messages go by beacon as well. */
  leave() {
    if (isLeaving && !isLeaving()) return this.outbox.linger()
    this.isLeaving = true
    this.outbox.leave(this.#document, `"run":${this.#run ?? null},${this.introduction}`)
    this.monitor.stop()
  }

  disconnect() {
    this.connection.close()
    this.outbox.disconnected()
  }

  /** Call this if the document did not unload, or has come back from the back/forward cache. */
  stay() {
    this.isLeaving = false
    this.outbox.stay()
    this.monitor.start()
  }

  #reportViolation(event) {
    const directive = directiveOf(event)
    // The browser names the URL or only its origin.
    const daemon = replace(this.#url, /\/page$/, "")
    if (directive !== "connect-src" || indexOf(blockedOf(event), daemon) !== 0) return
    this.reportForbidden(directive) // Reported once, even if an exception has told the script already.
    this.refused("the page's Content-Security-Policy forbids it.")
  }

  /**
   * Reports once to the daemon that the page's policy forbids something. The report is in the URL of a script element,
   * because the policy allows scripts from the daemon.
   */
  reportForbidden(directive) {
    if (this.#reportedFailures.has(directive)) return
    this.#reportedFailures.set(directive, true)
    if (directive === "script-src") report("error", FORBIDDEN_EVAL)
    const base = replace(httpOf(this.#url), /page$/, "bridge.js")
    const token = hasOwn(settings, "token") ? `&token=${encodeURIComponent(settings.token)}` : ""
    const from = encodeURIComponent(slice(location.href, 0, 1_000))
    const query = `blocked=${encodeURIComponent(directive)}&from=${from}${token}`
    const script = createElement(document, "script")
    setNonce(script, nonce)
    setReferrerPolicy(script, "origin") // The daemon accepts no report without it.
    setSource(script, trust.createScriptURL(`${base}?${query}`))
    appendChild(rootOf(document), script)
    removeElement(script)
  }

  #setState(state, page = this.status.page) {
    this.status = { ...this.status, state, page }
    const detail = { state, page, attempt: this.monitor.attempt }
    dispatch(document, new CustomEvent("bridged:state", { __proto__: null, detail }))
  }
}
