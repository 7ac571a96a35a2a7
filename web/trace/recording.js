import { parseFilter } from "./filter.js"

/**
 * A recorded run. For the inspector's panels it takes the daemon's place (`Control`): they get what the daemon would
 * have sent until the chosen moment.
 *
 * Moment 0 is that before the first step, and moment n that after step n.
 */
export class Recording {
  isLive = false
  #trace
  /** The chosen moment. */
  moment = 0

  /** @param {any} trace The data of a trace, which `Trace.swift` describes. */
  constructor(trace) {
    this.#trace = trace
    this.moment = this.last
  }

  get last() { return Math.max(0, this.#trace.moments.length - 1) }
  get steps() { return this.#trace.steps }
  get shown() { return this.at(this.moment) }

  /**
   * @param {number} moment
   * @returns {{record: number, time: string, state: any, picture?: number, missing?: string}}
   */
  at(moment) { return this.#trace.moments[moment] ?? { record: 0, time: "", state: null } }

  /** Whether a step is the one that failed. */
  isFailed(step) { return step.number === this.#trace.failure?.step }

  call() { return Promise.reject(new Error("This is a recording: nothing can be changed in it.")) }

  /**
   * Delivers at once what was recorded until the chosen moment.
   *
   * @param {{filter?: string}} params
   * @param {(record: any) => void} onRecord
   * @param {(error: Error) => void} onError
   */
  subscribe({ filter = "" }, onRecord, onError) {
    try {
      const isWanted = parseFilter(filter)
      for (const record of this.records()) if (record.kind === "step" || isWanted(record)) onRecord(record)
    } catch (error) {
      onError(error)
    }
    return { cancel() {} }
  }

  /** The records until the chosen moment. A record of the kind `step` precedes those of each step. */
  records() {
    const { moments, records } = this.#trace
    const shown = []
    let next = 0
    for (let moment = 0; moment <= this.moment && moment < moments.length; moment++) {
      if (moment > 0) shown.push(this.#marker(this.steps[moment - 1]))
      while (next < records.length && records[next].record <= moments[moment].record) shown.push(records[next++])
    }
    return shown
  }

  /** The explained visits until the chosen moment. */
  visits() {
    const { visits = [], moments } = this.#trace
    return visits.filter((visit) => visit.record <= (moments[this.moment]?.record ?? 0))
  }

  #marker(step) {
    return { kind: "step", time: step.time, text: `${step.number}. ${step.text}`, failed: this.isFailed(step) }
  }
}

/** The pictures of a recording, as the device panel asks for them. */
export class RecordedPictures extends EventTarget {
  #recording

  /** @param {Recording} recording */
  constructor(recording) {
    super()
    this.#recording = recording
  }

  /** The pictures of all screens are there already. */
  show() {}

  /** What a screen without a picture says. */
  get missing() { return `There is no picture. ${this.#recording.shown.missing ?? ""}` }

  /**
   * Only the visible screen has a picture.
   *
   * @param {string} _
   * @param {string} stack
   */
  of(_, stack) {
    return stack === this.#recording.shown.state?.visible ? this.at(this.#recording.moment) : undefined
  }

  /** @param {number} moment */
  at(moment) {
    const { picture } = this.#recording.at(moment)
    // A picture has an element of its own, so that the page need not parse all of them when it opens.
    return picture === undefined ? undefined
      : `data:image/png;base64,${document.getElementById(`picture-${picture}`)?.textContent ?? ""}`
  }
}
