// Part of bridge.js: the WebSocket, and when to open it again.

/** Decides when to connect again; jitter keeps many pages apart. */
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
    const delay = min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt++) * (0.5 + window.Math.random() / 2)
    this.#timer = setTimeout(() => this.retry(), delay)
  }

  retry() {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#connect()
  }
}

/**
 * A WebSocket that calls `hear(type, {data, code, reason})`. Frames that got this file from the page around them use
 * that page's, so that replies reach whoever waits for them after the frame was removed.
 */
const openSocket = (url, protocols, hear) => {
  const socket = new WebSocket(url, protocols)
  for (const type of ["open", "message", "close"]) {
    socket.addEventListener(type, ({ data, code, reason }) => hear(type, { data, code, reason }))
  }
  return { send: (text) => sendFrame(socket, text), close: () => socket.close() }
}

/**
 * Finds a connection that is broken though nothing says so, as where a network has gone: what is sent is not answered.
 * (A page can neither send pings nor see those of the daemon.)
 */
class SilenceWatch {
  #giveUp
  #timer = null
  #isExpecting = false
  #silentLooks = 0

  constructor(giveUp) {
    this.#giveUp = giveUp
  }

  /** Something was sent that the daemon answers. */
  expect() {
    this.#isExpecting = true
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS)
  }

  heard() {
    this.#isExpecting = false
    this.#silentLooks = 0
  }

  stop() {
    this.heard()
    clearTimeout(this.#timer)
    this.#timer = null
  }

  #look() {
    this.#timer = null
    if (!this.#isExpecting) return
    if (++this.#silentLooks < MAX_SILENT_LOOKS) this.expect()
    else this.#giveUp()
  }
}

/** One WebSocket at a time; an earlier one is not heard any more. */
class Connection {
  #socket = null
  #protocols
  #beaconURL
  #delegate
  #watch = new SilenceWatch(() => this.#end(1006, "no answer"))
  isOpen = false
  maxMessageBytes = Infinity

  constructor(url, token, delegate) {
    this.url = url
    this.#protocols = token ? ["bridge.page.v1", `bridge.token.${token}`] : ["bridge.page.v1"]
    this.#beaconURL = replace(replace(url, /^ws/, "http"), /\/page$/, token ? `/beacon?token=${token}` : "/beacon")
    this.#delegate = delegate
  }

  open() {
    const open = tag?.openSocket ?? openSocket
    let socket
    const hear = (type, { data, code, reason }) => {
      if (socket !== this.#socket) return
      if (type === "open") return this.#delegate.opened()
      if (type === "close") return this.#end(code, reason)
      this.#watch.heard()
      this.#delegate.received(data)
    }
    try {
      this.#socket = socket = open(this.url, this.#protocols, hear)
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

  #end(code, reason) {
    this.close()
    this.#delegate.closed(code, reason)
  }

  send(text) {
    this.#socket.send(text)
  }

  beacon(text) {
    if (sendBeacon(navigator, this.#beaconURL, text)) return
    // Over the browser's limit of 64 KiB. A page that is kept for the way back goes on sending.
    fetch(this.#beaconURL, { method: "POST", mode: "no-cors", body: text }).catch(() => {})
  }
}
