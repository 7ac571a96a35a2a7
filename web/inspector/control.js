/** The token of the daemon, which the address has in its fragment: `#token=…`. */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token")
  if (token) {
    // A reload needs the token again. The address no longer shows it, so that nobody copies it by accident.
    sessionStorage.setItem("token", token)
    history.replaceState(null, "", location.pathname)
  }
  return token ?? sessionStorage.getItem("token")
}

/** Takes the token of an address that somebody enters in this tab. Only its fragment is new, so the page stays. */
export function followAddress() {
  addEventListener("hashchange", () => {
    if (takeToken()) location.reload()
  })
}

/** An error that the daemon answered with. */
export class ControlError extends Error {
  /** @param {{code: number, message: string, data?: {hint?: string}}} error */
  constructor(error) {
    super(error.message)
    this.code = error.code
    this.hint = error.data?.hint
  }
}

/**
 * A client of the control channel: JSON-RPC 2.0 over the WebSocket `/control` (docs/control.md). It connects again
 * when the connection ends, and subscribes again to what was subscribed. If the daemon refuses the token, it gives up:
 * each try would be a problem in the daemon's log.
 */
export class Control extends EventTarget {
  /** Whether panels can change something. A recording is not live (web/trace/recording.js). */
  isLive = true
  #token
  #socket = null
  #nextID = 1
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  #calls = new Map()
  /** @type {Set<Subscription>} */
  #subscriptions = new Set()
  #retry = 250

  /** @param {string} token */
  constructor(token) {
    super()
    this.#token = token
    this.#connect()
  }

  get isConnected() { return this.#socket?.readyState === WebSocket.OPEN }

  /**
   * Calls a method and returns its result.
   *
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @returns {Promise<any>} Rejects with a `ControlError`, or with an `Error` if the connection ends.
   */
  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      if (!this.isConnected) return reject(new Error("The daemon is not connected. Is it still running?"))
      const id = this.#nextID++
      this.#calls.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    })
  }

  /**
   * Asks for the kept traffic as a file.
   *
   * @param {Record<string, string>} query That of `GET /traffic`.
   * @returns {Promise<Blob>}
   */
  async traffic(query) {
    const response = await fetch(`/traffic?${new URLSearchParams(query)}`, { headers: { Authorization: `Bearer ${this.#token}` } })
    if (!response.ok) throw new Error(await response.text())
    return response.blob()
  }

  /**
   * Subscribes to traffic until the returned subscription is cancelled.
   *
   * @param {Record<string, unknown>} params Filters of `traffic.subscribe`.
   * @param {(record: any) => void} onRecord
   * @param {(error: Error) => void} onError
   */
  subscribe(params, onRecord, onError) {
    const subscription = new Subscription(this, params, onRecord, onError)
    this.#subscriptions.add(subscription)
    if (this.isConnected) subscription.begin()
    return subscription
  }

  /** @param {Subscription} subscription */
  forget(subscription) { this.#subscriptions.delete(subscription) }

  #connect() {
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/control`
    const socket = new WebSocket(url, ["bridge.control.v1", `bridge.token.${this.#token}`])
    let hasOpened = false
    this.#socket = socket
    socket.onopen = () => {
      hasOpened = true
      this.#retry = 250
      for (const subscription of this.#subscriptions) subscription.begin()
      this.dispatchEvent(new Event("connected"))
    }
    // A message is one object or a batch (JSON-RPC 2.0, section 6).
    socket.onmessage = (event) => [JSON.parse(event.data)].flat().forEach((message) => this.#receive(message))
    socket.onclose = async () => {
      for (const { reject } of this.#calls.values()) reject(new Error("The connection to the daemon ended."))
      this.#calls.clear()
      if (!hasOpened && await this.#isRefused()) {
        sessionStorage.removeItem("token")
        return this.dispatchEvent(new Event("refused"))
      }
      this.dispatchEvent(new Event("disconnected"))
      setTimeout(() => this.#connect(), this.#retry)
      this.#retry = Math.min(this.#retry * 2, 5000)
    }
  }

  /** Whether the daemon refuses the token. A script cannot see why a WebSocket did not open. */
  async #isRefused() {
    try {
      const { status } = await fetch("/rpc", {
        method: "POST",
        headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "daemon.info" }),
      })
      return status === 401 || status === 403
    } catch {
      return false
    }
  }

  #receive(message) {
    if (message.method === "traffic.record") {
      for (const subscription of this.#subscriptions) subscription.receive(message.params)
      return
    }
    const call = this.#calls.get(message.id)
    this.#calls.delete(message.id)
    if (message.error) call?.reject(new ControlError(message.error))
    else call?.resolve(message.result)
  }
}

/** A subscription to traffic. */
class Subscription {
  #control
  #params
  #onRecord
  #onError
  #id = null
  /** The latest record, from which a new connection continues. */
  #latest
  #isCancelled = false
  /** Records that came before the answer that has the subscription's id. */
  #early = []

  constructor(control, params, onRecord, onError) {
    this.#control = control
    this.#params = params
    this.#onRecord = onRecord
    this.#onError = onError
    this.#latest = params.after
  }

  async begin() {
    this.#id = null
    this.#early = []
    try {
      const params = { ...this.#params, ...(this.#latest === undefined ? {} : { after: this.#latest }) }
      const { subscription } = await this.#control.call("traffic.subscribe", params)
      if (this.#isCancelled) return this.#end(subscription)
      this.#id = subscription
      for (const early of this.#early) this.receive(early)
      this.#early = []
    } catch (error) {
      if (!this.#isCancelled) this.#onError(error)
    }
  }

  receive(params) {
    if (this.#isCancelled) return
    if (this.#id === null) return this.#early.push(params)
    if (params.subscription !== this.#id) return
    if (params.record.record !== undefined) this.#latest = params.record.record
    this.#onRecord(params.record)
  }

  cancel() {
    this.#isCancelled = true
    this.#control.forget(this)
    if (this.#id !== null && this.#control.isConnected) this.#end(this.#id)
  }

  #end(subscription) { this.#control.call("traffic.unsubscribe", { subscription }).catch(() => {}) }
}
