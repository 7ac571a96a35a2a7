/**
 * The script that bridged injects into each document and content world of a browser which it drives by DevTools or
 * WebDriver BiDi. It shows `webkit.messageHandlers` as bridge.js does, but has no connection: the driver numbers and
 * keeps the messages, runs the evaluations, and settles the promises. (WebKit itself needs no script.)
 *
 * The driver calls this function with:
 *
 * - `settings`: `{handlers, userScripts, world}` of the web view, for one world; for the page's own also `interfaces`,
 *   and `secret`, a name that no page knows
 * - `send`: takes text for the driver, line by line: `document JSON` when the document has its first element (the params
 *   of `page.attach` that it knows itself), `scripts off` if the document may not run any, `request ID NAME` or
 *   `post ID NAME` followed by a line with the members of the message, `media ID JSON` with the names of devices,
 *   `frame JSON` for the daemon, and `script NAME` followed by a line with its source as a JSON string, for a user
 *   script that the page's policy forbids, and `departure noticed` if the page listens to `pagehide`, and
 *   `departure heard` then
 * - `expose`: hands an object to the driver, whose methods the driver calls
 */
(settings, send, expose) => {
  "use strict"

  const isPageWorld = settings.world === null
  // The parts below are those of bridge.js, where these come from its tag.
  const trust = { createScript: (text) => text, createScriptURL: (url) => url }
  const nonce = ""
  const tagSource = ""

  /* bridged:part builtins */
  /* bridged:part lists */
  /* bridged:part wire */
  /* bridged:part describe */
  /* bridged:part values */
  /* bridged:part exceptions */
  /* bridged:part overrides */
  /* bridged:part shared-handlers */
  /* bridged:part handlers */
  /* bridged:part programs */
  /* bridged:part stacks */
  /* bridged:part user-scripts */
  /* bridged:part appearance */
  /* bridged:part departure */
  /* bridged:part interface-objects */
  /* bridged:part console */
  /* bridged:part page-observer */
  /* bridged:part driven-outbox */
  /* bridged:part driven-cache */
  /* bridged:part driven-policy */
  /* bridged:part media */
  /* bridged:part geolocation */

  const outbox = new DrivenOutbox()
  const cache = isPageWorld && !isFirefox ? new DocumentCache(outbox) : null
  const consoleForwarder = new ConsoleForwarder(outbox)
  const report = (level, text) => {
    apply(native[level], console, [`bridged: ${text}`])
    consoleForwarder.forward(level, `bridged: ${text}`)
  }
  const handlers = new MessageHandlers(outbox)
  let userScripts
  let observer
  let runDocument
  const functions = new Table()
  if (!isPageWorld) canRunScripts = false // A script element runs in the page's world.

  /** Tells the page, as WebKit does, that no program drives the browser. */
  const hideDriver = () => {
    override(getPrototypeOf(navigator), "webdriver", (get, object, list) => apply(get, object, list) && false)
  }

  const introduceDocument = (restored) => {
    if (!restored) observer = new PageObserver(outbox)
    const { url, title, readyState } = observer.describe()
    const frame = { __proto__: null, url, origin, isMainFrame: !isFrame }
    send(`document ${json({ frame, title, readyState, userAgent: navigator.userAgent, name: frameName, restored })}`)
    observer.attached({ url, title, readyState })
  }

  /** Keeps bridge.js, whose tag the page may have as well, from attaching the page a second time. */
  const refuseTag = () => listen(window, "bridged:start", (event) => preventDefault(event))

  /** The document has come back from the back/forward cache. The driver has forgotten it. */
  const comeBack = () => {
    cache?.forbid()
    outbox.abandon()
    expose(bridge)
    if (observer) introduceDocument(true)
  }

  const tellPage = (members) => {
    return dispatch(window, new ErrorEvent("error", { __proto__: null, ...members, cancelable: true }))
  }
  /** Forwards uncaught errors. As in WebKit, the page gets no details of those of user scripts. */
  const receiveError = (event) => {
    const details = detailsOf(event)
    if (isProbing) {
      stopPropagation(event)
      preventDefault(event)
    } else if (details.message !== undefined && event.isTrusted) {
      consoleForwarder.forwardError(details)
      const isOfUserScript = userScripts?.isRunning || exec(/^user-script:/, details.filename)
      // V8 begins its messages with a word of its own.
      const message = replace(details.message, /^Uncaught /, "")
      if (!isOfUserScript && message === details.message) return
      stopPropagation(event)
      if (!tellPage(isOfUserScript ? SCRIPT_ERROR : { ...details, message })) preventDefault(event)
    }
  }

  /**
   * Compiles those user scripts that declare nothing global. Firefox allows it now, whatever the page's policy says: it
   * runs this program as its debugger would.
   */
  const compile = (scripts) => {
    if (!isFirefox) return
    each(scripts, ({ source }) => {
      if (parses(source) && !declares(source)) functions.set(source, new Function(source))
    })
    canEval = null
  }

  const startUserScripts = () => {
    const onForbidden = (url, source) => send(`script ${quote(url)}\n${quote(source)}`)
    userScripts = new UserScripts(settings.userScripts, onForbidden, functions, () => tellPage(SCRIPT_ERROR))
    userScripts.start()
  }

  const prompt = ofWindow("prompt")
  /** Calls a method of an interface object. Of all that the driver answers, only a dialog blocks the page. */
  const callInterface = (object, method, list) => {
    const params = `{"handler":${quote(object)},"method":${quote(method)},${encodeArguments(list)}}`
    outbox.flush()
    const answer = prompt(settings.secret, params)
    if (answer) return takeAnswer(object, method, parse(answer))
    throw new Error(`bridged: ${object}.${method}() was not called: the browser shows no dialog now.`)
  }

  const UNREACHABLE = "Completion handler for function call is no longer reachable"
  /** Ends the calls of functions whose promise can no longer be settled, as WebKit does. */
  const unreachable = new FinalizationRegistry((resolve) => resolve(`?${json({ message: UNREACHABLE })}`))
  const watchPromise = method("FinalizationRegistry", "register")

  // A page that is not kept in a cache gets the same events as in WebKit, which keeps it.
  const departure = new Departure({ outbox, leave() {}, disconnect() {}, stay() {} }, isFrame ? null : "push")

  /** What the driver calls. Values cross as text, so that nothing of the page has a part in it. */
  const bridge = {
    __proto__: null,
    outbox,

    /** @param {string} text a list of `{id}`, `{id, result}` and `{id, error}` */
    settle(text) {
      const list = parse(text)
      for (let index = 0; index < list.length; index++) outbox.settle(list[index])
    },

    /** @param {string} text `{name, list}` for a frame that was removed; the list is that of `settle` */
    settleFrame(text) {
      const { name, list } = bare(parse(text))
      const outbox = frameOutboxes.get(name)
      for (let index = 0; outbox && index < list.length; index++) outbox.settle(list[index])
    },

    /** @param {string} text a list of `{name, replies}` */
    setHandlers(text) {
      handlers.update(parse(text))
    },

    setUserScripts(text) {
      settings.userScripts = parse(text)
      compile(settings.userScripts)
      userScripts?.update(settings.userScripts)
    },

    /** The document, which may not run scripts, has gone on to DOMContentLoaded or `load`. */
    advance() {
      runDocument?.()
      runDocument = null
      if (readyStateOf(document) === "complete") observer?.loaded()
      else observer?.check()
    },

    /** The driver has written the document's content, which has removed the listeners of the observer. */
    rewritten() {
      refuseTag()
      if (!observer) return
      observer = new PageObserver(outbox)
      observer.attached({ url: observer.describe().url, title: "", readyState: "loading" })
    },

    /** The driver is about to evaluate script, to which Firefox does not apply the page's policy. */
    obeyPolicy() {
      canEval = null
      queueMicrotask(() => allowsEval() || forbidEval()) // It applies to what runs later.
    },

    /** The driver leaves the document by a navigation of this type. */
    leave(type) {
      departure.expect(type)
    },

    /** @returns {string} the members `"value":…` and `"types":…`, or `!` and the type that can't be delivered */
    encode(value) {
      try {
        return ScriptValueEncoder.members("value", value)
      } catch (error) {
        return `!${error.findPart().type}`
      }
    },

    /**
     * Runs the function of `callAsyncJavaScript`. As in WebKit, a page that has replaced `then` prevents the answer.
     * @returns {Promise<string>} the text of `encode`, or `?` and an error
     */
    callAsync(run, text) {
      const { value, types } = parse(text)
      const decoded = decodeScriptValue(value, types)
      const list = map(keysOf(decoded), (name) => decoded[name])
      return new Promise((resolve) => {
        const start = () => {
          try {
            const promise = apply(run, isSandbox ? globalThis : window, list) // In strict code, too, as in WebKit.
            if (!promise?.then) return resolve(bridge.encode(promise)) // The body has ended the function itself.
            promise.then(
              (result) => resolve(bridge.encode(result)),
              (reason) => resolve(`?${bridge.describeError(reason)}`)
            )
            // Only Chromium collects garbage if its driver asks for it.
            if (!isFirefox) watchPromise(unreachable, promise, resolve)
          } catch {} // Native code gets no answer.
        }
        // In Firefox the page's policy does not apply to what the driver calls itself.
        if (isFirefox) queueMicrotask(start)
        else start()
      })
    },

    /** Offers a call of `callAsync` as a global function, which removes itself: only such a call obeys the page's policy. */
    prepare(run, text) {
      const { name } = parse(text)
      const value = () => {
        delete window[name]
        return bridge.callAsync(run, text)
      }
      define(window, name, { value, configurable: true })
    },

    /** @returns {string} `{name, message, stack}` of what a script threw, and the line if it is known here */
    describeError(thrown, line) {
      const members = { name: textMember(thrown, "name"), stack: textMember(thrown, "stack"), line }
      return json({ ...members, message: exceptionMessage(thrown) })
    },

    /** Tells the page about an exception of an evaluation, as WebKit does, and describes it. */
    exception(thrown, text) {
      const { filename, lineno, colno, lines } = parse(text)
      const message = exceptionMessage(thrown)
      // Only here is the line of a syntax error known in Firefox. The script's name is on one more line.
      const line = lines > 0 ? min(lines, propertyOf(Object(thrown), "lineNumber")?.value ?? 0) : lineno
      tellPage(line > 0 ? { message, filename, lineno: line, colno, error: thrown } : SCRIPT_ERROR)
      return bridge.describeError(thrown, line)
    }
  }

  handlers.update(settings.handlers)
  showPositions()
  if (isPageWorld) {
    if (settings.userAgent) showUserAgent(settings.userAgent)
    if (navigator.webdriver) hideDriver()
    keepOpen()
    hideRequests()
    decideMedia(outbox)
    decideLocations(outbox)
    departure.start()
    refuseTag()
    cache?.start()
    showInterfaces(settings.interfaces ?? [], callInterface)
    consoleForwarder.start()
    share({ __proto__: null, registrations, frameOutboxes })
    listen(window, "error", receiveError)
    listen(window, "securitypolicyviolation", filterViolation, true)
  }
  compile(settings.userScripts)
  listen(window, "pageshow", (event) => persistedOf(event) && comeBack(), true)
  expose(bridge)
  // Chromium shows an XML document as HTML, unless something has made an element of HTML.
  if (matches(document.contentType, /xml/)) createElementNS(document, "http://www.w3.org/1999/xhtml", "p")
  // A document has no elements yet when this runs. WebKit runs user scripts when it has the first one.
  const beginDocument = () => {
    if (isPageWorld) introduceDocument()
    startUserScripts()
  }
  if (!runsListeners || !runsScripts()) send("scripts off")
  if (runsListeners || rootOf(document)) forEachDocument(beginDocument)
  else runDocument = beginDocument
}
