// Part of bridge.js: what waits for the daemon.

/** Sends what one turn queued as one batch, and keeps each message until it is acknowledged. */
class Outbox {
  #connection
  #seq = 0
  #oldest = 1
  #kept = new Table() // seq → message
  #keptBytes = 0
  #replies = new Table() // seq → message
  #held = [] // messages without a number
  #isHolding = false
  #ready = [] // `{message}`, `{text, isLasting}` or `{text, isResponse}`
  #isScheduled = false
  #refused = 0 // since there was room
  #leaving = null // the head of beacons, while the page goes away
  #isSuspended = false
  #isLingering = false
  #document = null

  constructor(connection) {
    this.#connection = connection
  }

  get lastingCount() {
    return this.#connection.isOpen ? 0 : this.#ready.length
  }

  /** The numbers of messages whose replies have not come. */
  get waiting() {
    const list = []
    this.#replies.forEach((_, seq) => (list[list.length] = seq))
    return list
  }

  post(name, replies, members) {
    const message = { name, replies, members }
    message.promise = new Promise((resolve, reject) => {
      message.resolve = resolve
      message.reject = reject
    })
    if (this.#isHolding && currentEvent()?.type === "beforeunload") this.#held[this.#held.length] = message
    else this.#number(message)
    return message.promise
  }

  /** For a call that goes another way: its number, and what has to come before it. */
  takePlace() {
    const texts = []
    this.#kept.forEach((message) => (texts[texts.length] = frameText({ message })))
    return { texts, seq: ++this.#seq }
  }

  /** What is posted by listeners of `beforeunload` comes behind what else is posted until `release`. */
  hold() {
    this.#isHolding = true
  }

  release() {
    const held = this.#held
    this.#held = []
    this.#isHolding = false
    for (let index = 0; index < held.length; index++) this.#number(held[index])
  }

  #number(message) {
    message.seq = this.#seq + 1
    message.params = `{"seq":${message.seq},"handler":${quote(message.name)},${message.members}}`
    message.bytes = byteLength(message.params)
    const isFull = this.#kept.size >= MAX_KEPT || this.#keptBytes + message.bytes > MAX_KEPT_BYTES
    if (isFull) this.#refuse(message)
    else this.#keep(message)
  }

  /** Only a lasting frame waits for a connection. */
  send(text, isLasting = false) {
    this.#add({ text, isLasting })
  }

  /** To what the daemon asked. It leaves with the page, too. */
  respond(text) {
    this.#add({ text, isResponse: true })
  }

  /** Of a frame that was removed from a page that stays: until all is answered. */
  linger() {
    this.#isLingering = true
    this.#flush()
    this.#endLingering()
  }

  #endLingering() {
    if (this.#isLingering && this.#kept.size === 0 && this.#replies.size === 0) this.#connection.close()
  }

  acknowledge(seq) {
    for (; this.#oldest <= min(seq, this.#seq); this.#oldest++) {
      const message = this.#take(this.#oldest)
      if (message && !message.replies) message.resolve(undefined)
    }
    this.#endLingering()
  }

  settle(seq, { result, error }) {
    const message = this.#replies.get(seq)
    if (!message) return
    this.#take(seq)
    this.#replies.delete(seq)
    this.#endLingering()
    if (!error) return message.resolve(decodeScriptValue(result?.value, result?.types))
    const reason = new Error(replyErrorText(message.name, error))
    for (const key of ["stack", "fileName", "lineNumber", "columnNumber"]) delete reason[key] // WebKit's has none.
    message.reject(reason)
  }

  /** Queues what the daemon has not got. */
  resume({ resumed, lastSeq }) {
    this.acknowledge(lastSeq)
    this.#replies.forEach((message, seq) => {
      if (resumed || this.#kept.has(seq)) return
      this.#replies.delete(seq)
      fail(message, "the daemon started again, or gave this page up, before the handler replied")
    })
    const others = this.#ready
    this.#ready = []
    for (let index = 0; index < others.length; index++) if (!others[index].message) this.#add(others[index])
    for (let seq = this.#oldest; seq <= this.#seq; seq++) {
      if (this.#kept.has(seq)) this.#add({ message: this.#kept.get(seq) })
    }
  }

  disconnected() {
    this.#ready = this.#ready.filter((item) => item.isLasting)
  }

  /**
   * Until `stay`, messages go by beacon as well: nobody waits for a leaving page's socket.
   * @param {string} attach what introduces a document that never attached, as a member; else ""
   */
  leave(document, attach) {
    this.#flush()
    this.#document = document
    this.#leaving = `"document":"${document}"${attach}`
    this.#sendBeacons([])
  }

  /** As in WebKit, nothing comes from a page that is kept for the way back, until it is shown again. */
  suspend() {
    this.#isSuspended = this.#leaving !== null
  }

  stay() {
    this.#leaving = null
    this.#isSuspended = false
  }

  #keep(message) {
    if (this.#refused > 0) tell("warn", `there is room for messages again; ${this.#refused} were refused.`)
    this.#refused = 0
    this.#seq = message.seq
    this.#kept.set(message.seq, message)
    this.#keptBytes += message.bytes
    if (message.replies) this.#replies.set(message.seq, message)
    this.#add({ message })
  }

  #add(item) {
    if (!item.isLasting && !this.#connection.isOpen && this.#leaving === null) return
    this.#ready[this.#ready.length] = item
    // A frame that is removed runs no microtasks any more.
    if (this.#isLingering || (this.#leaving !== null && isFrame)) return this.#flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.#flush())
  }

  #flush() {
    this.#isScheduled = false
    const ready = this.#ready
    if (this.#leaving === null && !this.#connection.isOpen) return
    this.#ready = []
    if (this.#connection.isOpen) this.#sendFrames(ready)
    if (this.#leaving !== null && !this.#isSuspended) this.#sendBeacons(this.#connection.isOpen ? [] : ready)
  }

  #sendFrames(items) {
    const limit = this.#connection.maxMessageBytes
    const texts = []
    let isAnswered = false
    for (let index = 0; index < items.length; index++) {
      const text = frameText(items[index])
      if (items[index].message) isAnswered = true
      const bytes = byteLength(text)
      if (items[index].message && bytes > limit) this.#drop(items[index].message, bytes, limit)
      else texts[texts.length] = text
    }
    if (isAnswered) this.#connection.expectAnswer()
    inBatches(texts, min(limit, MAX_BATCH_BYTES) - 2, (batch, count) => this.#connection.send(count > 1 ? `[${batch}]` : batch))
  }

  /** All that is kept, each time: beacons overtake each other, and the daemon takes messages in order, once. */
  #sendBeacons(items) {
    const texts = []
    this.#kept.forEach((message) => (texts[texts.length] = call("message.post", message.params)))
    for (let index = 0; index < items.length; index++) {
      if (items[index].isResponse) texts[texts.length] = items[index].text
    }
    inBatches(texts, MAX_BEACON_BYTES, (batch) => this.#connection.beacon(`{${this.#leaving},"messages":[${batch}]}`))
    // So that the next document's messages come behind these.
    const left = json({ __proto__: null, document: this.#document, seq: this.#seq })
    if (!isFrame) inTab((tab) => tab.setItem(LAST_LEFT, left))
  }

  #take(seq) {
    const message = this.#kept.get(seq)
    this.#kept.delete(seq)
    this.#keptBytes -= message?.bytes ?? 0
    return message
  }

  #refuse(message) {
    fail(message, "too many messages wait for the daemon (-32006)")
    if (this.#refused++ > 0) return
    const waiting = `${this.#kept.size} of ${MAX_KEPT} messages, ${this.#keptBytes} of ${MAX_KEPT_BYTES} bytes`
    tell("warn", `${waiting} wait for the daemon; further ones are refused.`)
  }

  #drop(message, bytes, limit) {
    this.#take(message.seq)
    this.#replies.delete(message.seq)
    const text = `it has ${bytes} bytes, and the daemon takes ${limit} a message`
    fail(message, text)
    tell("error", `a message to "${message.name}" was not sent: ${text}.`)
  }
}

const inBatches = (texts, limit, send) => {
  let batch = ""
  let count = 0
  let bytes = 0
  for (let index = 0; index < texts.length; index++) {
    const size = byteLength(texts[index]) + 1
    if (count > 0 && bytes + size > limit) {
      send(batch, count)
      batch = ""
      count = bytes = 0
    }
    batch += `${batch && ","}${texts[index]}`
    count++
    bytes += size
  }
  if (count > 0) send(batch, count)
}

const frameText = ({ message, text }) =>
  message ? call("message.post", message.params, message.replies ? message.seq : undefined) : text

/** The rejection counts as handled: a burst is told once, not once a message. */
const fail = (message, text) => {
  then(message.promise, undefined, () => {})
  message.reject(new Error(`bridged: the message to "${message.name}" was not delivered: ${text}.`))
}

const replyErrorText = (name, { code, message, data }) => {
  if (code === -32003) return message
  if (code === -32001) return `bridged: no handler "${name}". Register it, or use one of: ${data?.handlers}.`
  return `bridged: no reply from "${name}": ${message} (${code}).`
}
