// A stand-in for the daemon, in Node: just enough of HTTP and RFC 6455 to run bridge.js in a real browser.

import { createHash } from "node:crypto"
import { EventEmitter } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { extname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

const webRoot = fileURLToPath(new URL("../../../web/", import.meta.url))
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" }

/** Text frames of one WebSocket. Emits "text" and "close". */
export class Socket extends EventEmitter {
  #buffer = Buffer.alloc(0)
  #parts = []

  constructor(stream) {
    super()
    this.stream = stream
    stream.on("data", (data) => this.#read(data))
    stream.on("close", () => this.emit("close"))
    stream.on("error", () => {})
  }

  send(value) {
    this.#write(0x81, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)))
  }

  close(code = 1000) {
    this.#write(0x88, Buffer.from([code >> 8, code & 0xff]))
    this.stream.end()
  }

  #write(head, payload) {
    const { length } = payload
    const size = length < 126 ? [length] : length < 65536 ? [126, length >> 8, length & 0xff] : null
    const header = size ? Buffer.from([head, ...size]) : Buffer.alloc(10)
    if (!size) {
      header.set([head, 127])
      header.writeBigUInt64BE(BigInt(length), 2)
    }
    this.stream.write(Buffer.concat([header, payload]))
  }

  #read(data) {
    this.#buffer = Buffer.concat([this.#buffer, data])
    for (let frame; (frame = this.#take()); ) {
      if (frame.opcode === 8) return this.stream.end()
      if (frame.opcode > 8) continue
      this.#parts.push(frame.payload)
      if (frame.isFinal) this.emit("text", Buffer.concat(this.#parts.splice(0)).toString())
    }
  }

  #take() {
    const buffer = this.#buffer
    if (buffer.length < 2) return null
    const short = buffer[1] & 0x7f
    const start = short < 126 ? 6 : short === 126 ? 8 : 14
    if (buffer.length < start) return null
    const length = short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2))
    if (buffer.length < start + length) return null
    const payload = Buffer.from(buffer.subarray(start, start + length))
    const mask = buffer.subarray(start - 4, start)
    for (let index = 0; index < length; index++) payload[index] ^= mask[index & 3]
    this.#buffer = buffer.subarray(start + length)
    return { isFinal: (buffer[0] & 0x80) !== 0, opcode: buffer[0] & 0x0f, payload }
  }
}

/** Emits "page" (Page) for each connection, "beacon" (object) and "token" (string). `files`: path → text of HTML. */
export class FakeDaemon extends EventEmitter {
  handlers = [{ name: "nativeApp", replies: false }]
  files = {}
  documents = new Map() // document → web view

  webViewOf(document) {
    return this.documents.get(document)
  }

  async listen() {
    this.server = createServer((request, response) => this.#respond(request, response))
    this.server.on("upgrade", (request, stream) => this.#upgrade(request, stream))
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    this.port = this.server.address().port
    this.origin = `http://127.0.0.1:${this.port}`
    return this
  }

  close() {
    this.server.closeAllConnections()
    this.server.close()
  }

  async #respond(request, response) {
    const path = decodeURIComponent(new URL(request.url, this.origin).pathname)
    const body = await new Promise((resolve) => {
      let text = ""
      request.on("data", (data) => (text += data))
      request.on("end", () => resolve(text))
    })
    const send = (status, type, text) => response.writeHead(status, { "Content-Type": type }).end(text)
    if (path === "/beacon") {
      this.emit("beacon", JSON.parse(body))
      return send(204, "text/plain", "")
    }
    if (path === "/demo/notification_tokens") {
      this.emit("token", JSON.parse(body).token)
      return send(201, "application/json", body)
    }
    if (path in this.files) return send(200, "text/html", this.files[path])
    try {
      const file = normalize(path.endsWith("/") ? `${path}index.html` : path)
      let text = await readFile(join(webRoot, file), "utf8")
      if (path === "/bridge.js") text = this.withSettings(text, new URL(request.url, this.origin).searchParams.get("web-view"))
      send(200, types[extname(file)] ?? "text/plain", text)
    } catch {
      send(404, "text/plain", "not found")
    }
  }

  /** The web view's own settings; undefined: the daemon's. */
  settingsFor = () => undefined

  withSettings(text, webView) {
    const { handlers } = this
    const own = webView === null ? {} : { webView, ...this.settingsFor(webView) }
    const settings = { url: `ws://127.0.0.1:${this.port}/page`, handlers, userScripts: [], version: "0", ...own }
    return text.replace("/* bridged:settings */ null", () => JSON.stringify(settings))
  }

  #upgrade(request, stream) {
    const key = request.headers["sec-websocket-key"]
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
    stream.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: bridge.page.v1\r\n\r\n`)
    const page = new Page(new Socket(stream), this)
    page.once("attached", () => this.emit("page", page))
  }
}

/** One connected page; acknowledges what comes. Emits "attached", "message" (params and id), "console", "update". */
export class Page extends EventEmitter {
  #calls = new Map()
  #nextID = 1
  lastSeq = 0

  constructor(socket, daemon) {
    super()
    this.socket = socket
    this.daemon = daemon
    socket.on("text", (text) => [JSON.parse(text)].flat().forEach((frame) => this.#receive(frame)))
    socket.on("close", () => this.emit("close"))
  }

  call(method, params) {
    const id = this.#nextID++
    this.socket.send({ jsonrpc: "2.0", id, method, params })
    return new Promise((resolve) => this.#calls.set(id, resolve))
  }

  evaluate(source) {
    return this.call("script.evaluate", { source })
  }

  notify(method, params) {
    this.socket.send({ jsonrpc: "2.0", method, params })
  }

  #receive({ id, method, params, result, error }) {
    if (method === "page.attach") {
      this.attach = params
      this.daemon.documents.set(params.document, params.webView)
      const { handlers } = this.daemon.settingsFor(params.webView) ?? this.daemon
      this.emit("attached")
      const { lastSeq } = this
      const answer = { page: "p1", resumed: params.resume, lastSeq, handlers, maxMessageBytes: 16 * 1024 * 1024 }
      this.socket.send({ jsonrpc: "2.0", id, result: answer })
    } else if (method === "message.post") {
      this.lastSeq = params.seq
      this.emit("message", { id, ...params })
      this.notify("page.ack", { seq: params.seq })
    } else if (method === "console.entry") {
      this.emit("console", params)
    } else if (method === "page.update") {
      this.emit("update", params)
    } else {
      this.#calls.get(id)?.({ result, error })
    }
  }
}
