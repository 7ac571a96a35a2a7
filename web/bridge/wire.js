// Part of bridge.js: limits, and how messages are written.

const MAX_KEPT = 10_000
const MAX_KEPT_BYTES = 64 * 1024 * 1024
const MAX_BATCH_BYTES = 32 * 1024 // Of a larger one nothing would arrive where connections break often.
const MAX_BEACON_BYTES = 60 * 1024
const MAX_DEPTH = 2_000 // The daemon's JSON parser stops at 2,048 levels, the envelope included.
const TOO_DEEP = `value nested more than ${MAX_DEPTH} levels deep`
const NUL_IN_KEY = "object with a NUL in a key"
const MAX_ENTRY_LENGTH = 10_000
const MAX_ENTRIES_PER_SECOND = 100
const MAX_ENTRIES_KEPT = 1_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
const LOOK_MS = 10_000
const MAX_SILENT_LOOKS = 3 // More than one: a page that stood in a debugger has not heard yet what came meanwhile.

const LAST_LEFT = "bridged-left"

/** What a tab keeps from document to document. A sandbox has no such thing. */
const inTab = (use) => {
  try {
    return use(window.sessionStorage)
  } catch {
    return null
  }
}

const utf8 = new TextEncoder()
const byteLength = (text) => encodeUTF8(utf8, text).byteLength
const clip = (text) => (text.length > MAX_ENTRY_LENGTH ? `${slice(text, 0, MAX_ENTRY_LENGTH)}… (cut)` : text)

// With the u flag a surrogate matches only where it stands alone.
const hasLoneSurrogate = (text) => exec(/[\ud800-\udfff]/u, text) !== null
const wellFormed = (text) => (hasLoneSurrogate(text) ? replace(text, /[\ud800-\udfff]/gu, "\ufffd") : text)
const quote = (text) => stringify(wellFormed(text))

/** The object has no prototype, or the page's `toJSON` would be asked. */
const json = (object) => stringify({ __proto__: null, ...object }, (_, value) => (typeof value === "string" ? wellFormed(value) : value))
const frame = (id, members) => `{"jsonrpc":"2.0",${id === undefined ? "" : `"id":${stringify(id)},`}${members}}`
const call = (method, params, id) => frame(id, `"method":"${method}","params":${params}`)
const failure = (id, code, message, data) => frame(id, `"error":${json({ code, message, data })}`)
