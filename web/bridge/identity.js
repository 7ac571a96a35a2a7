// Part of bridge.js: which document this is, in which web view, and where the daemon is.

/** Plain http has no `crypto.randomUUID`, but the URLs of blobs end in one (W3C File API, section 8.3). */
const makeUUID = () => {
  const url = URL.createObjectURL(new window.Blob())
  URL.revokeObjectURL(url)
  return url.slice(-36)
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
