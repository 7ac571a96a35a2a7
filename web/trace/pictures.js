import { element } from "../inspector/dom.js"

/** The pictures before and after a step, in their own size. */
export class PicturesPanel {
  #recording
  #pictures

  /**
   * @param {HTMLElement} panel
   * @param {import("./recording.js").Recording} recording
   * @param {import("./recording.js").RecordedPictures} pictures
   */
  constructor(panel, recording, pictures) {
    this.#recording = recording
    this.#pictures = pictures
    this.panel = panel
  }

  show() {
    const { moment, last } = this.#recording
    const step = Math.max(1, moment)
    const moments = [["before", step - 1], ["after", step]].filter(([, moment]) => moment <= last)
    this.panel.replaceChildren(...moments.map(([when, moment]) => this.#figure(`${when} step ${step}`, moment)))
  }

  #figure(caption, moment) {
    const src = this.#pictures.at(moment)
    const text = `There is no picture. ${this.#recording.at(moment).missing ?? ""}`
    return element("figure", {}, element("figcaption", {}, caption),
      src ? element("img", { src, alt: `The page ${caption}` }) : element("p", { class: "empty" }, text))
  }
}
