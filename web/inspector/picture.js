/** How long to wait between two pictures of a web view, in milliseconds: after a change, and after a long time without. */
const shortest = 30
const longest = 500

/**
 * The latest picture of each web view that a driven browser shows. An attached browser has none: a page cannot take a
 * picture of itself.
 */
export class Pictures extends EventTarget {
  #control
  /** @type {Map<string, string>} Addresses of the pictures, by web view. */
  #pictures = new Map()
  /** @type {Map<string, {hurry: () => void}>} The web views that are watched. */
  #watches = new Map()
  /** @type {string[]} */
  #shown = []
  /** @type {string[]} */
  #driven = []
  /** What a screen without a picture says. */
  missing = "The page is in its own window."

  /** @param {import("./control.js").Control} control */
  constructor(control) {
    super()
    this.#control = control
    document.addEventListener("visibilitychange", () => this.hurry())
  }

  /** @param {string} webView */
  of(webView) { return this.#pictures.get(webView) }

  /**
   * Takes pictures of those of these web views that a driven browser has, from now on.
   *
   * @param {string[]} webViews Those that the phone shows.
   */
  show(webViews) {
    this.#shown = [...new Set(webViews)]
    this.#update()
  }

  /** @param {string[]} webViews Those with a page in a driven browser. */
  setDriven(webViews) {
    this.#driven = webViews
    this.#update()
  }

  #update() {
    const webViews = this.#shown.filter((name) => this.#driven.includes(name))
    for (const name of this.#pictures.keys()) if (!webViews.includes(name)) this.#pictures.delete(name)
    for (const name of this.#watches.keys()) if (!webViews.includes(name)) this.#watches.delete(name)
    for (const name of webViews) if (!this.#watches.has(name)) this.#watch(name)
    this.hurry()
  }

  /** Takes the next pictures at once: something has happened. */
  hurry() { for (const { hurry } of this.#watches.values()) hurry() }

  async #watch(name) {
    let wait = shortest
    let wake = () => {}
    const watch = {
      hurry() {
        wait = shortest
        wake()
      },
    }
    this.#watches.set(name, watch)
    while (this.#watches.get(name) === watch) {
      const isNew = !document.hidden && await this.#take(name)
      wait = isNew ? shortest : Math.min(wait * 1.5, longest)
      await new Promise((resolve) => {
        wake = () => setTimeout(resolve, shortest)
        setTimeout(resolve, wait)
      })
    }
  }

  /** @returns {Promise<boolean>} Whether there is another picture. */
  async #take(webView) {
    const before = this.of(webView)
    try {
      const { data } = await this.#control.call("page.snapshot", { webView, timeoutMs: 3000 })
      this.#pictures.set(webView, `data:image/png;base64,${data}`)
    } catch {
      // The page has just left, or it is not driven after all. The next change asks again.
      this.#pictures.delete(webView)
    }
    const isNew = this.of(webView) !== before
    if (isNew) this.dispatchEvent(new Event("picture"))
    return isNew
  }
}
