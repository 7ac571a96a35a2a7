// Part of bridge.js: the messages that wait for the daemon.

/**
 * Makes a message with the functions that settle its promise. It has all its members from the beginning, because the
 * page could define a setter for one that is added later.
 */
const makeMessage = (name, replies, members) => {
  const message = {
    name, replies, members, seq: 0, params: "", bytes: 0, promise: null, resolve: null, reject: null
  }
  message.promise = new Promise((resolve, reject) => {
    message.resolve = resolve
    message.reject = reject
  })
  return message
}

/** Sends all frames of one turn of the event loop as one batch, and keeps each message until it is acknowledged. */
class Outbox {
  #connection
  /** The number of the latest message. */
  #seq = 0
  /** The number of the latest message when `page.attach` named what is waiting. */
  #namedSeq = 0
  /** The number of the latest call. */
  #calledSeq = 0
  /** The lowest number that may be in #kept. */
  #oldest = 1
  /** The messages that are not acknowledged, by number. */
  #kept = new Table()
  #keptBytes = 0
  /** The messages that wait for a reply, by number. */
  #replies = new Table()
  /** Messages that have no number yet. */
  #held = makeList()
  #isHolding = false
  /** @type {{message: object | null, text: string, isLasting: boolean, isResponse: boolean}[]} the frames to send next */
  #ready = makeList()
  #isScheduled = false
  /** How many messages were refused since a message was last accepted. */
  #refused = 0
  /** The first members of each beacon while the page unloads, else null. */
  #beaconHead = null
  #isSuspended = false
  #isLingering = false
  #document = null

  constructor(connection) {
    this.#connection = connection
  }

  get lastingCount() {
    return this.#connection.isOpen ? 0 : this.#ready.length
  }

  /** The numbers of the messages that wait for a reply. */
  get waiting() {
    const list = makeList()
    this.#replies.forEach((_, seq) => (list[list.length] = seq))
    return list
  }

  /** Notes that `page.attach` names all messages that wait for a reply. */
  nameWaiting() {
    this.#namedSeq = this.#seq
  }

  /** Whether a message that waits for a reply was posted after `page.attach`, and may have come with a call. */
  get hasUnnamed() {
    let isUnnamed = false
    this.#replies.forEach((_, seq) => (isUnnamed ||= seq > this.#namedSeq && seq < this.#calledSeq))
    return isUnnamed
  }

  post(name, replies, members) {
    const message = makeMessage(name, replies, members)
    if (this.#isHolding && isUnloading()) this.#held[this.#held.length] = message
    else this.#number(message)
    return message.promise
  }

  /** Reserves the next number for a call that is sent separately, and returns the frames that must precede it. */
  reserveNumber() {
    const frames = makeList()
    this.#kept.forEach((message) => (frames[frames.length] = measure(postText(message), message)))
    this.#calledSeq = ++this.#seq
    return { frames, seq: this.#calledSeq }
  }

  /** Until `release`, messages posted by listeners of `beforeunload` wait; all others get their numbers first. */
  hold() {
    this.#isHolding = true
  }

  release() {
    const held = this.#held
    this.#held = makeList()
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

  /** Sends a frame. Without a connection it is discarded, unless it is lasting. */
  send(text, isLasting = false) {
    this.#add(null, text, isLasting)
  }

  /** Sends the response to a request of the daemon. If the page unloads, a beacon carries it. */
  respond(text) {
    this.#add(null, text, false, true)
  }

  /** Keeps the connection of a removed frame open until everything is answered. The page around it still exists. */
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
      const message = this.#remove(this.#oldest)
      if (message && !message.replies) message.resolve(undefined)
    }
    this.#endLingering()
  }

  settle(seq, { result, error }) {
    const message = this.#replies.get(seq)
    if (!message) return
    // The message itself is kept until it is acknowledged: its record may not be in the log yet.
    this.#replies.delete(seq)
    this.#endLingering()
    if (!error) {
      const { value, types } = bare(result)
      return message.resolve(decodeScriptValue(value, types))
    }
    message.reject(replyError(message.name, bare(error)))
  }

  /** Queues the messages that the daemon has not received. */
  resume({ resumed, lastSeq }) {
    // What an earlier run has acknowledged gets no reply. This one answers for what it acknowledges now.
    if (!resumed) this.forgetReplies()
    this.acknowledge(lastSeq)
    const others = this.#ready
    this.#ready = makeList()
    each(others, ({ message, text, isLasting, isResponse }) => message || this.#add(null, text, isLasting, isResponse))
    for (let seq = this.#oldest; seq <= this.#seq; seq++) {
      if (this.#kept.has(seq)) this.#add(this.#kept.get(seq))
    }
  }

  /** Rejects the messages whose replies the daemon does not know any more. It gets those that are kept again. */
  forgetReplies() {
    this.#replies.forEach((message, seq) => {
      if (this.#kept.has(seq)) return
      this.#replies.delete(seq)
      fail(message, "the daemon started again, or dropped this page, before the handler replied")
    })
  }

  disconnected() {
    this.#ready = filter(this.#ready, (item) => item.isLasting)
  }

  /**
   * Until `stay`, sends messages by beacon as well, because the browser closes the socket of a page that unloads.
   * @param {string} document
   * @param {string} author the members that introduce the document
   */
  leave(document, author) {
    this.#flush()
    this.#document = document
    this.#beaconHead = `"document":"${document}",${author}`
    this.#sendBeacons([])
  }

  /** Sends nothing from a page in the back/forward cache until it is shown again, as in WebKit. */
  suspend() {
    this.#isSuspended = this.#beaconHead !== null
  }

  stay() {
    this.#beaconHead = null
    this.#isSuspended = false
  }

  #keep(message) {
    if (this.#refused > 0) report("warn", `there is room for messages again; ${this.#refused} were refused.`)
    this.#refused = 0
    this.#seq = message.seq
    this.#kept.set(message.seq, message)
    this.#keptBytes += message.bytes
    if (message.replies) this.#replies.set(message.seq, message)
    this.#add(message)
  }

  #add(message, text = "", isLasting = false, isResponse = false) {
    if (!isLasting && !this.#connection.isOpen && this.#beaconHead === null) return
    this.#ready[this.#ready.length] = { message, text, isLasting, isResponse }
    // A removed frame runs no microtasks any more.
    if (this.#isLingering || (this.#beaconHead !== null && isFrame)) return this.#flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.#flush())
  }

  #flush() {
    this.#isScheduled = false
    const ready = this.#ready
    if (this.#beaconHead === null && !this.#connection.isOpen) return
    this.#ready = makeList()
    if (this.#connection.isOpen) this.#sendFrames(ready)
    if (this.#beaconHead !== null && !this.#isSuspended) this.#sendBeacons(this.#connection.isOpen ? [] : ready)
  }

  #sendFrames(items) {
    const limit = this.#connection.maxMessageBytes
    const frames = makeList()
    let isAnswered = false
    for (let index = 0; index < items.length; index++) {
      const { message, text } = items[index]
      const frame = measure(message ? postText(message) : text, message)
      if (message) isAnswered = true
      if (message && frame.bytes > limit) this.#drop(message, frame.bytes, limit)
      else frames[frames.length] = frame
    }
    if (isAnswered) this.#connection.expectAnswer()
    sendInBatches(frames, min(limit, MAX_BATCH_BYTES) - 2, (batch, count) => {
      this.#connection.send(count > 1 ? `[${batch}]` : batch)
    })
  }

  /**
   * Sends all messages that are kept, each time, because beacons may overtake each other. The daemon accepts each
   * message once, in order.
   */
  #sendBeacons(items) {
    const frames = makeList()
    this.#kept.forEach((message) => (frames[frames.length] = measure(call("message.post", message.params), message)))
    for (let index = 0; index < items.length; index++) {
      if (items[index].isResponse) frames[frames.length] = measure(items[index].text)
    }
    sendInBatches(frames, MAX_BEACON_BYTES, (batch) => {
      this.#connection.beacon(`{${this.#beaconHead},"messages":[${batch}]}`)
    })
    // The next document reports this to the daemon, which handles these messages before that document's own.
    const previous = json({ document: this.#document, seq: this.#seq })
    if (!isFrame) withTabStorage(setItem, PREVIOUS_DOCUMENT_KEY, previous)
  }

  #remove(seq) {
    const message = this.#kept.get(seq)
    this.#kept.delete(seq)
    this.#keptBytes -= message?.bytes ?? 0
    return message
  }

  #refuse(message) {
    fail(message, "too many messages wait for the daemon (-32006)")
    if (this.#refused++ > 0) return
    const waiting = `${this.#kept.size} of ${MAX_KEPT} messages, ${this.#keptBytes} of ${MAX_KEPT_BYTES} bytes`
    report("warn", `${waiting} wait for the daemon; further ones are refused.`)
  }

  #drop(message, bytes, limit) {
    this.#remove(message.seq)
    this.#replies.delete(message.seq)
    const text = `it has ${bytes} bytes, and the daemon takes ${limit} a message`
    fail(message, text)
    report("error", `a message to "${message.name}" was not sent: ${text}.`)
  }
}

const postText = ({ params, replies, seq }) => call("message.post", params, replies ? seq : undefined)

/** Rejects a message's promise. Its rejection counts as handled, so the console does not show each one of a burst. */
const fail = (message, text) => {
  then(message.promise, undefined, () => {})
  message.reject(new Error(`bridged: the message to "${message.name}" was not delivered: ${text}.`))
}
