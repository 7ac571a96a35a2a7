// Part of bridge.js: the WebSocket, and when to open it again.

/** Decides when to connect again. Delays double, and vary at random so that many pages do not connect at once. */
class ConnectionMonitor {
  #connect
  #timer = null
  isRunning = false
  attempt = 0

  constructor(connect) {
    this.#connect = connect
  }

  start() {
    if (this.isRunning) return
    this.isRunning = true
    this.#connect()
  }

  stop() {
    this.isRunning = false
    clearTimeout(this.#timer)
    this.#timer = null
  }

  connected() {
    this.attempt = 0
  }

  disconnected() {
    if (!this.isRunning || this.#timer !== null) return
    const delay = min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt++) * (0.5 + random() / 2)
    this.#timer = setTimeout(() => this.retry(), delay)
  }

  /** Connects now instead of at the end of the delay. Does nothing if no connection is due. */
  retry() {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#connect()
  }
}

/**
 * Opens a WebSocket. If the page around a frame runs bridge.js, the frame uses the `openSocket` of that page, so that
 * a reply still reaches the code that waits for it after the frame was removed.
 * @param {string} url
 * @param {string[]} protocols
 * @param {(type: "open" | "message" | "close", data: string, code: number, reason: string) => void} onEvent
 */
const openSocket = (url, protocols, onEvent) => {
  const socket = new WebSocket(url, iterable(protocols))
  listen(socket, "open", () => onEvent("open"))
  listen(socket, "message", (event) => onEvent("message", dataOf(event)))
  listen(socket, "close", (event) => onEvent("close", undefined, codeOf(event), reasonOf(event)))
  return { send: (text) => sendFrame(socket, text), close: () => closeSocket(socket) }
}

/** The URL for HTTP requests to the daemon, from that of its WebSocket. */
const httpOf = (url) => replace(url, /^ws/, "http")

/**
 * Detects a broken connection that the browser does not report, such as a lost network: the daemon no longer answers
 * what the page sends. (A page can neither send WebSocket pings nor see those of the daemon.)
 */
class SilenceWatch {
  #giveUp
  #timer = null
  #isExpecting = false
  #silentChecks = 0

  constructor(giveUp) {
    this.#giveUp = giveUp
  }

  /** Call this after sending something that the daemon answers. */
  expect() {
    this.#isExpecting = true
    this.#timer ??= setTimeout(() => this.#check(), ANSWER_CHECK_MS)
  }

  /** Call this when the daemon has sent anything. */
  received() {
    this.#isExpecting = false
    this.#silentChecks = 0
  }

  stop() {
    this.received()
    clearTimeout(this.#timer)
    this.#timer = null
  }

  #check() {
    this.#timer = null
    if (!this.#isExpecting) return
    if (++this.#silentChecks < MAX_SILENT_CHECKS) this.expect()
    else this.#giveUp()
  }
}

/** Has at most one WebSocket at a time, and ignores the events of earlier ones. */
class Connection {
  #socket = null
  #protocols
  #beaconURL
  #delegate
  #watch = new SilenceWatch(() => this.end(1006, "no answer"))
  /** Whether messages may be sent. The delegate sets it when the daemon has answered `page.attach`. */
  isOpen = false
  maxMessageBytes = Infinity

  constructor(url, token, delegate) {
    this.url = url
    this.#protocols = token ? ["bridge.page.v1", `bridge.token.${token}`] : ["bridge.page.v1"]
    this.#beaconURL = replace(httpOf(url), /\/page$/, token ? `/beacon?token=${token}` : "/beacon")
    this.#delegate = delegate
  }

  get hasSocket() {
    return this.#socket !== null
  }

  open() {
    const open = sharedSocket ?? openSocket
    let socket
    const onEvent = (type, data, code, reason) => {
      if (socket !== this.#socket) return
      if (type === "open") return this.#delegate.opened()
      if (type === "close") return this.end(code, reason)
      this.#watch.received()
      this.#delegate.received(data)
    }
    try {
      this.#socket = socket = open(this.url, this.#protocols, onEvent)
      this.expectAnswer()
    } catch (error) {
      this.#delegate.refused(error.message || "the browser forbids it.")
    }
  }

  close() {
    const socket = this.#socket
    this.#socket = null
    this.isOpen = false
    this.#watch.stop()
    socket?.close()
  }

  expectAnswer() {
    this.#watch.expect()
  }

  /** Closes the connection and tells the delegate, which opens another one. */
  end(code, reason) {
    this.close()
    this.#delegate.closed(code, reason)
  }

  send(text) {
    this.#socket.send(text)
  }

  beacon(text) {
    if (sendBeacon(navigator, this.#beaconURL, text)) return
    // The beacon exceeds the browser's limit of 64 KiB. A page in the back/forward cache can still send a request.
    const request = { __proto__: null, method: "POST", mode: "no-cors", body: text }
    then(fetch(this.#beaconURL, request), undefined, () => {})
  }
}
