// Simple drawings of our own for common SF Symbol and Material names, on a grid of 24 × 24.
const paths = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  xmark: "M6 6l12 12M18 6L6 18",
  checkmark: "M5 13l4 4L19 7",
  pencil: "M4 20l1-4L16 5l3 3L8 19z",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6",
  house: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  star: "M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  heart: "M12 20S4 15 4 9.5A4 4 0 0 1 12 8a4 4 0 0 1 8 1.5C20 15 12 20 12 20z",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  magnifyingglass: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L21 21",
  "square.and.arrow.up": "M12 15V4M8 8l4-4 4 4M6 12v8h12v-8",
  "arrow.clockwise": "M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5",
  "chevron.left": "M15 5l-7 7 7 7",
  "chevron.right": "M9 5l7 7-7 7",
  ellipsis: "M5 12h.01M12 12h.01M19 12h.01",
  "line.3.horizontal": "M4 7h16M4 12h16M4 17h16",
  envelope: "M3 6h18v12H3zM3 7l9 7 9-7",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
  cart: "M3 4h3l3 11h9l3-8H7M10 20h.01M17 20h.01",
  "doc.text": "M6 3h8l4 4v14H6zM9 11h6M9 15h6",
  "qrcode": "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2z",
}

const aliases = {
  add: "plus", close: "xmark", check: "checkmark", done: "checkmark", edit: "pencil", "square.and.pencil": "pencil",
  delete: "trash", settings: "gear", gearshape: "gear", home: "house", account_circle: "person",
  "person.circle": "person", favorite: "heart", notifications: "bell", photo_camera: "camera", search: "magnifyingglass",
  share: "square.and.arrow.up", ios_share: "square.and.arrow.up", refresh: "arrow.clockwise", "arrow.left": "chevron.left",
  more_horiz: "ellipsis", more_vert: "ellipsis", "ellipsis.circle": "ellipsis", menu: "line.3.horizontal",
  mail: "envelope", shopping_cart: "cart", qr_code: "qrcode", "qrcode.viewfinder": "qrcode",
}

/**
 * Makes the drawing of a symbol; null if there is none, so that its name is shown as text.
 *
 * @param {string | null | undefined} name An SF Symbol or a Material icon.
 */
export function icon(name) {
  if (typeof name !== "string") return null
  const plain = name.replace(/\.(fill|circle|square)$/, "")
  const path = [name, plain, aliases[name], aliases[plain]].map((key) => Object.hasOwn(paths, key) && paths[key]).find(Boolean)
  if (!path) return null
  const namespace = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(namespace, "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  const drawing = document.createElementNS(namespace, "path")
  drawing.setAttribute("d", path)
  svg.append(drawing)
  return svg
}
