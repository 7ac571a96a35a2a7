// Part of bridge.js: identifies the document and its web view, and finds the daemon.

/** A random UUID (RFC 9562, section 5.4). Pages loaded over http have no `crypto.randomUUID`. */
const makeUUID = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = join(map(bytes, (byte) => slice(toText(byte + 0x100, 16), 1)), "")
  return replace(hex, /^(.{8})(.{4})(.{4})(.{4})/, (part) => `${part[1]}-${part[2]}-${part[3]}-${part[4]}-`)
}

/**
 * Reads and removes what the document before this one stored in the tab: its id, and the number of its last message.
 * @returns {{document: string, seq: number} | undefined}
 */
const takePreviousDocument = () => {
  const text = withTabStorage(getItem, PREVIOUS_DOCUMENT_KEY) ?? ""
  const { 1: document, 2: seq } = exec(/^{"document":"([\w-]+)","seq":(\d+)}$/, text) ?? []
  withTabStorage(removeItem, PREVIOUS_DOCUMENT_KEY)
  return document && { __proto__: null, document, seq: Number(seq) }
}

/** The web view of the page that opened this window, if this page may access it. */
const findOpener = () => {
  try {
    const name = isFrame ? undefined : window.opener?.document.bridged?.webView
    // If the page is not of the app's origin, its origin is in the name.
    if (name === location.origin) return "main"
    return name && indexOf(name, `${location.origin}/`) === 0 ? slice(name, location.origin.length + 1) : name
  } catch {
    return undefined // The opener has another origin.
  }
}

const namedWebView = (tag) => tag?.dataset?.webView || settings.webView
const webViewInAddress = () => new URL(location.href).searchParams.get("bridged-web-view")

/** The web view that a page in an app of its own asks for. The tab remembers nothing. */
const askedWebView = (tag) => namedWebView(tag) || webViewInAddress() || "main"

/** The web view's name. If the page's address names it, the tab remembers that name. */
const findWebView = (tag) => {
  const named = namedWebView(tag)
  if (named) return named
  const asked = webViewInAddress()
  if (asked) withTabStorage(setItem, "bridged-web-view", asked)
  return asked || withTabStorage(getItem, "bridged-web-view") || "main"
}

const findURL = (tag) => {
  if (!tag?.src) return settings.url
  // Beside the script: a proxy may serve both under a path of its own.
  return replace(new URL("page", tag.src).href, /^http/, "ws")
}
