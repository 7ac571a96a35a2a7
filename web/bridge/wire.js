// Part of bridge.js: limits, and how JSON-RPC frames are written.

const MAX_KEPT = 100_000
const MAX_KEPT_BYTES = 64 * 1024 * 1024
const MAX_BATCH_BYTES = 32 * 1024 // If connections break often, larger batches might never arrive.
const MAX_BATCH_FRAMES = 1_000 // The daemon refuses more than 1,024, because its other clients wait meanwhile.
const MAX_BEACON_BYTES = 60 * 1024
const MAX_DEPTH = 2_000 // The daemon's JSON parser accepts 2,048 levels, including the frame.
const TOO_DEEP = `value nested more than ${MAX_DEPTH} levels deep`
const MAX_TEXT_LENGTH = 10_000 // Of console entries, URLs and titles. The daemon cuts URLs and titles further.
const MAX_ENTRIES_PER_SECOND = 100
const MAX_ENTRIES_KEPT = 1_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
const ANSWER_CHECK_MS = 10_000
// This is more than one because a page that was paused in a debugger has not yet handled what has arrived meanwhile.
const MAX_SILENT_CHECKS = 3

const PREVIOUS_DOCUMENT_KEY = "bridged-left"

// The storage that the documents of a tab share.
const tabStorage = (() => {
  try {
    return window.sessionStorage
  } catch {
    return null // In a sandbox there is none.
  }
})()
const { getItem, setItem, removeItem } = tabStorage ?? {}

/** Calls a method of the storage. Returns null if there is no storage, or if it is full. */
const withTabStorage = (method, ...list) => {
  try {
    return apply(method, tabStorage, list)
  } catch {
    return null
  }
}

const utf8 = new TextEncoder()
/** The size of a text in UTF-8. Most texts are ASCII, and an encoder allocates memory. */
const byteLength = (text) => (exec(/[^\0-\x7f]/, text) ? byteLengthOf(encodeUTF8(utf8, text)) : text.length)
const clip = (text) => (text.length > MAX_TEXT_LENGTH ? `${slice(text, 0, MAX_TEXT_LENGTH)}… (cut)` : text)

// With the flag u, the pattern matches only lone surrogates.
const hasLoneSurrogate = isWellFormed
  ? (text) => !isWellFormed(text)
  : (text) => exec(/[\ud800-\udfff]/u, text) !== null
const wellFormed = (text) => (hasLoneSurrogate(text) ? replace(text, /[\ud800-\udfff]/gu, "\ufffd") : text)
const quote = (text) => stringify(wellFormed(text))

/** Writes an object as JSON. The copy has no prototype, so `JSON.stringify` does not find a `toJSON` of the page. */
const json = (object) =>
  stringify(bare(object), (_, value) => (typeof value === "string" ? wellFormed(value) : value))

const frame = (id, members) => `{"jsonrpc":"2.0",${id === undefined ? "" : `"id":${stringify(id)},`}${members}}`
const call = (method, params, id) => frame(id, `"method":"${method}","params":${params}`)
const failure = (id, code, message, data) => frame(id, `"error":${json({ code, message, data })}`)

/**
 * A frame with its size in UTF-8. The params of a message are measured already, and the rest of its frame is ASCII.
 * @returns {{text: string, bytes: number}}
 */
const measure = (text, message) =>
  ({ text, bytes: message ? message.bytes + text.length - message.params.length : byteLength(text) })

/**
 * Joins frames with commas, in batches of at most `limit` bytes and 1,000 frames. A larger frame is a batch of its own.
 * @param {(batch: string, count: number) => void} send
 */
const sendInBatches = (frames, limit, send) => {
  let batch = ""
  let count = 0
  let size = 0
  for (let index = 0; index < frames.length; index++) {
    const { text, bytes } = frames[index]
    if (count >= MAX_BATCH_FRAMES || (count > 0 && size + bytes + 1 > limit)) {
      send(batch, count)
      batch = ""
      count = size = 0
    }
    batch += `${batch && ","}${text}`
    count++
    size += bytes + 1
  }
  if (count > 0) send(batch, count)
}
