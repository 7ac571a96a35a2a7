// Joins PNG pictures of the same size and kind to an animated one (APNG, in the PNG specification since its third edition).
import { crc32 } from "node:zlib"

const signature = Buffer.from("89504e470d0a1a0a", "hex")

/** The chunks of a PNG picture. */
function chunks(png) {
  const found = []
  for (let place = signature.length; place < png.length;) {
    const length = png.readUInt32BE(place)
    found.push({ type: png.toString("latin1", place + 4, place + 8), data: png.subarray(place + 8, place + 8 + length) })
    place += 12 + length
  }
  return found
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const made = Buffer.alloc(body.length + 8)
  made.writeUInt32BE(data.length, 0)
  body.copy(made, 4)
  made.writeUInt32BE(crc32(body), body.length + 4)
  return made
}

function numbers(...values) {
  const made = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => made.writeUInt32BE(value, 4 * index))
  return made
}

/**
 * @param {Buffer[]} pictures
 * @param {number} milliseconds How long each is shown. The animation repeats.
 * @returns {Buffer} A browser that knows no animation shows the first picture.
 */
export function animated(pictures, milliseconds) {
  const all = pictures.map(chunks)
  const header = all[0].find(({ type }) => type === "IHDR").data
  if (all.some((picture) => !picture.find(({ type }) => type === "IHDR").data.equals(header))) {
    throw new Error("The pictures of an animation have the same size and kind.")
  }
  let sequence = 0
  const frames = all.flatMap((picture, index) => {
    const control = Buffer.alloc(26)
    numbers(sequence++, header.readUInt32BE(0), header.readUInt32BE(4), 0, 0).copy(control)
    control.writeUInt16BE(milliseconds, 20)
    control.writeUInt16BE(1000, 22)
    const data = picture.filter(({ type }) => type === "IDAT")
      .map(({ data }) => (index === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence++), data]))))
    return [chunk("fcTL", control), ...data]
  })
  return Buffer.concat([
    signature, chunk("IHDR", header), chunk("acTL", numbers(pictures.length, 0)), ...frames, chunk("IEND", Buffer.alloc(0)),
  ])
}
