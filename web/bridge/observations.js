// Part of bridge.js, for pages in an app of their own: what was observed and is not at the daemon yet.

/** How many entries wait for the daemon at most. */
const MAX_OBSERVED = 50_000
/** How many bytes they have at most, about. A phone has other things to keep. */
const MAX_OBSERVED_BYTES = 32 * 1024 * 1024
/** About what an entry takes beside its values. */
const ENTRY_BYTES = 100
/** How many entries are written in one turn of the page's event loop. */
const MAX_WRITTEN = 500

/** Sends entries in order, some time after what they are about, so that the page does not wait for it. */
class Observations {
  #connection
  #seq = 0
  /**
   * What is not sent, four items each: `write, one, other, size` of an entry, or `null, text, isLasting, 0` of another
   * frame.
   */
  #waiting = makeList()
  /** How many items of the list are sent. */
  #start = 0
  /** The number of the next entry in the list. */
  #next = 1
  /** The frames of entries that are sent and not acknowledged, by number: `{text, bytes}`. */
  #sent = new Table()
  #oldest = 1
  #leftOut = 0
  /** The bytes of the entries, about. */
  #bytes = 0
  #isScheduled = false
  #isNoticed = false
  /** Called once after the script that has caused entries. */
  onEntries = () => {}

  constructor(connection) {
    this.#connection = connection
  }

  get lastingCount() {
    return this.#connection.isOpen ? 0 : this.#waitingCount
  }

  get #waitingCount() {
    return (this.#waiting.length - this.#start) / 4
  }

  /**
   * Adds an entry.
   * @param {(seq: number, one?, other?) => string} write writes it later, from these two values
   * @param {number} size how many bytes the values have, about
   * @returns {number} its number, or 0 if it is left out
   */
  add(write, one, other, size = 0) {
    const bytes = size + ENTRY_BYTES
    if (this.#waitingCount + this.#sent.size >= MAX_OBSERVED || this.#bytes + bytes > MAX_OBSERVED_BYTES) {
      this.#leftOut++
      return 0
    }
    const seq = ++this.#seq
    if (!this.#isNoticed) {
      this.#isNoticed = true
      queueMicrotask(() => {
        this.#isNoticed = false
        this.onEntries()
      })
    }
    this.#bytes += bytes
    this.#append(write, one, other, bytes)
    if (!this.#isScheduled) this.#schedule()
    return seq
  }

  /** Sends a frame between the entries. Without a connection it is discarded, unless it is lasting. */
  send(text, isLasting = false) {
    if (!isLasting && !this.#connection.isOpen) return
    if (this.#waitingCount >= MAX_OBSERVED) return
    this.#append(null, text, isLasting, 0)
    this.#schedule()
  }

  /** Sends a response after the entries so far. Without a connection it is discarded: the daemon asks again. */
  respond(text) {
    if (!this.#connection.isOpen) return
    if (this.#waitingCount >= MAX_OBSERVED) return this.#connection.send(text)
    this.#append(null, text, false, 0)
    this.#schedule()
  }

  #append(write, one, other, size) {
    const list = this.#waiting
    list[list.length] = write
    list[list.length] = one
    list[list.length] = other
    list[list.length] = size
  }

  acknowledge(seq) {
    for (; this.#oldest <= min(seq, this.#seq); this.#oldest++) {
      this.#bytes -= this.#sent.get(this.#oldest)?.bytes ?? 0
      this.#sent.delete(this.#oldest)
    }
    if (this.#leftOut === 0 || this.#waitingCount > 0) return
    const text = `bridged: ${this.#leftOut} observations were left out, because too many waited for the daemon.`
    this.#leftOut = 0
    this.send(call("console.entry", json({ level: "warn", text, kind: "console" })), true)
  }

  /** Sends again what the daemon has not received. */
  resume(lastSeq) {
    this.acknowledge(lastSeq)
    const frames = makeList()
    for (let seq = this.#oldest; seq <= this.#seq; seq++) {
      if (this.#sent.has(seq)) frames[frames.length] = this.#sent.get(seq)
    }
    this.#sendEntries(frames)
    this.#schedule()
  }

  /** Writes all that waits, because the page unloads. Returns the frames of the entries that may not have arrived. */
  leave() {
    while (this.#waitingCount > 0) this.#flush(MAX_OBSERVED)
    const frames = makeList()
    this.#sent.forEach((frame) => (frames[frames.length] = frame))
    return frames
  }

  #schedule() {
    if (this.#isScheduled || !this.#connection.isOpen) return
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      if (!this.#connection.isOpen) return
      this.#flush(MAX_WRITTEN)
      if (this.#waitingCount > 0) this.#schedule()
    }, 0)
  }

  /** Forgets the first entry of the list. */
  #discardFirst() {
    const list = this.#waiting
    for (let index = 0; index < 4; index++) list[this.#start++] = undefined
    if (this.#start === list.length || (this.#start > MAX_OBSERVED && 2 * this.#start > list.length)) this.#discardSent()
  }

  #discardSent() {
    const rest = makeList()
    for (let index = this.#start; index < this.#waiting.length; index++) rest[rest.length] = this.#waiting[index]
    this.#waiting = rest
    this.#start = 0
  }

  #flush(count) {
    let frames = makeList()
    for (; count > 0 && this.#waitingCount > 0; count--) {
      const write = this.#waiting[this.#start]
      const one = this.#waiting[this.#start + 1]
      const other = this.#waiting[this.#start + 2]
      this.#bytes -= this.#waiting[this.#start + 3]
      this.#discardFirst()
      if (write) {
        const seq = this.#next++
        const entry = measure(write(seq, one, other))
        if (entry.bytes > this.#connection.maxMessageBytes - 100) {
          this.#leftOut++
          continue
        }
        this.#sent.set(seq, entry)
        this.#bytes += entry.bytes
        frames[frames.length] = entry
      } else if (other || this.#connection.isOpen) {
        this.#sendEntries(frames)
        frames = makeList()
        if (this.#connection.isOpen) this.#connection.send(one)
      }
    }
    this.#sendEntries(frames)
  }

  /** @param {{text: string, bytes: number}[]} frames */
  #sendEntries(frames) {
    if (frames.length === 0 || !this.#connection.isOpen) return
    this.#connection.expectAnswer()
    const limit = min(this.#connection.maxMessageBytes, MAX_BATCH_BYTES) - 100
    sendInBatches(frames, limit, (batch) => {
      this.#connection.send(call("page.observed", `{"entries":[${batch}]}`))
    })
  }
}
