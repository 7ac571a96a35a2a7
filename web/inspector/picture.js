/** How long to wait between two pictures of one web view, in milliseconds. */
const interval = 150

/**
 * The latest picture of each web view that a driven browser shows. An attached browser has none: a page cannot take a
 * picture of itself.
 */
export class Pictures extends EventTarget {
  #control
  /** @type {Map<string, string>} Addresses of the pictures, by web view. */
  #pictures = new Map()
  /** Web views whose pictures are out of date. */
  #stale = new Set()
  #isTaking = false
  /** What a screen without a picture says. */
  missing = "The page is in its own window."

  /** @param {import("./control.js").Control} control */
  constructor(control) {
    super()
    this.#control = control
  }

  /** @param {string} webView */
  of(webView) { return this.#pictures.get(webView) }

  /**
   * Takes new pictures soon. Calls that come meanwhile are one.
   *
   * @param {string[]} webViews Those that driven browsers show.
   */
  update(webViews) {
    for (const name of this.#pictures.keys()) if (!webViews.includes(name)) this.#pictures.delete(name)
    for (const name of webViews) this.#stale.add(name)
    if (!this.#isTaking && this.#stale.size && !document.hidden) this.#takeAll()
  }

  async #takeAll() {
    this.#isTaking = true
    while (this.#stale.size) {
      const [name] = this.#stale
      this.#stale.delete(name)
      await this.#take(name)
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
    this.#isTaking = false
  }

  async #take(webView) {
    try {
      const { data } = await this.#control.call("page.snapshot", { webView, timeoutMs: 3000 })
      this.#pictures.set(webView, `data:image/png;base64,${data}`)
      this.dispatchEvent(new Event("picture"))
    } catch {
      // The page has just left, or it is not driven after all. The next change asks again.
      this.#pictures.delete(webView)
    }
  }
}
