// Measures round trips from a page, whenever the harness (harness/browsers.py) says that it is this page's turn.

const options = new URLSearchParams(location.search)
const text = "x".repeat(100)
const message = (number) => ({ name: "Echo", number, text })

/** The microseconds that a round trip takes, one after the other. @param {(message: object) => Promise<object>} send */
async function sequential(send, count = 400) {
  for (let number = 0; number < 100; number++) await send(message(number)) // The caches are cold after a wait.
  const start = performance.now()
  for (let number = 0; number < count; number++) await send(message(number))
  return ((performance.now() - start) * 1_000) / count
}

/** Messages per second if all are sent in one turn of the event loop. */
async function burst(send, count = 5_000) {
  const start = performance.now()
  const answers = await Promise.all(Array.from({ length: count }, (_, number) => send(message(number))))
  const seconds = (performance.now() - start) / 1_000
  if (answers.some((answer, number) => answer.number !== number)) throw new Error("answers are mixed up")
  return count / seconds
}

/** The microseconds that bridge.js takes to run in a new document: the median of 20. */
async function install() {
  const source = await (await fetch("/bridge.js")).text()
  const times = []
  for (let index = 0; index < 20; index++) {
    const frame = document.body.appendChild(document.createElement("iframe"))
    const start = performance.now()
    frame.contentWindow.eval(source)
    times.push((performance.now() - start) * 1_000)
    frame.remove()
  }
  return times.sort((one, other) => one - other)[times.length / 2]
}

/** A bare WebSocket, which echoes every message. */
async function bareSocket(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, "echo")
  const waiting = []
  socket.onmessage = (event) => waiting.shift()(JSON.parse(event.data))
  await new Promise((resolve) => (socket.onopen = resolve))
  return (message) =>
    new Promise((resolve) => {
      waiting.push(resolve)
      socket.send(JSON.stringify(message))
    })
}

/** What the page can send with: the function that the program that opened it has installed, or the page's handler. */
async function peers() {
  const own = globalThis.exposed ?? ((message) => webkit.messageHandlers.echo.postMessage(message))
  return { own, socket: options.has("socket") ? await bareSocket(options.get("socket")) : undefined }
}

/** Reports the figures of a turn, and waits for the next one. */
async function report(outcome) {
  const answer = await fetch(`/turn${location.search}`, { method: "POST", body: JSON.stringify(outcome) })
  return await answer.json()
}

async function turn(all, { peer, asked }) {
  if (asked === "install") return { install: await install() }
  const send = all[peer]
  return { sequential: await sequential(send), burst: await burst(send, asked) }
}

async function run() {
  const all = await peers()
  for (const send of Object.values(all)) if (send) await sequential(send)
  let next = await report({})
  for (;;) next = await report(await turn(all, next))
}

run().catch((error) => report({ error: String(error) }))
