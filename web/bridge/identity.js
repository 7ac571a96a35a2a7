// Part of bridge.js: which document this is, in which web view, and where the daemon is.

/** RFC 9562, section 5.4; plain http has no `crypto.randomUUID`. */
const makeUUID = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** @returns {{document: string, seq: number} | undefined} */
const takeLastLeft = () => {
  const [, document, seq] = exec(/^{"document":"([\w-]+)","seq":(\d+)}$/, inTab((tab) => tab.getItem(LAST_LEFT)) ?? "") ?? []
  inTab((tab) => tab.removeItem(LAST_LEFT))
  return document && { __proto__: null, document, seq: Number(seq) }
}

/** The web view of the page that opened this window, if that is in reach. */
const findOpener = () => {
  try {
    return isFrame ? undefined : window.opener?.document.bridged?.webView
  } catch {
    return undefined // It has another origin.
  }
}

/** A name in the page's address is kept by the tab. */
const findWebView = (tag) => {
  const named = tag?.dataset?.webView || settings.webView
  if (named) return named
  const asked = new URL(location.href).searchParams.get("bridged-web-view")
  if (asked) inTab((tab) => tab.setItem("bridged-web-view", asked))
  return asked || inTab((tab) => tab.getItem("bridged-web-view")) || "main"
}

const findURL = (tag) => {
  if (!tag?.src) return settings.url
  return new URL("/page", tag.src).href.replace(/^http/, "ws")
}
