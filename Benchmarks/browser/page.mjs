// Measures round trips from a page. Times are in microseconds.

const ports = new URLSearchParams(location.search)
const text = "x".repeat(100)
const message = (number) => ({ name: "Echo", number, text })

/** @param {(message: object) => Promise<object>} send @param {number} count */
async function sequential(send, count) {
  const times = []
  for (let number = 0; number < count; number++) {
    const start = performance.now()
    await send(message(number))
    times.push((performance.now() - start) * 1_000)
  }
  return times
}

/** Messages per second if all are sent in one turn of the event loop. */
async function burst(send, count) {
  const start = performance.now()
  const all = Array.from({ length: count }, (_, number) => send(message(number)))
  const called = performance.now()
  const answers = await Promise.all(all)
  if (answers.some((answer, number) => answer.number !== number)) throw new Error("answers are mixed up")
  return { perSecond: count / ((performance.now() - start) / 1_000), microsecondsACall: ((called - start) * 1_000) / count }
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

/** The peers that the URL names, or that the program that opened the page has installed. */
async function peers() {
  const found = {}
  if (globalThis.webkit?.messageHandlers?.echo) {
    found[ports.get("peer") ?? (ports.has("bridge") ? "bridge" : "webkit")] = (message) => webkit.messageHandlers.echo.postMessage(message)
  }
  if (ports.has("socket")) found.socket = await bareSocket(ports.get("socket"))
  if (globalThis.exposed) found[ports.get("peer")] = globalThis.exposed
  return found
}

/** Measures all peers in turn for some rounds, so that a disturbance affects them all. */
async function measure(rounds = 5, count = 400) {
  const burstSize = Number(ports.get("burst") ?? 20_000)
  const results = {}
  const all = Object.entries(await peers())
  for (const [, send] of all) await sequential(send, 200)
  for (let round = 0; round < rounds; round++) {
    for (const [name, send] of all) {
      const result = (results[name] ??= { times: [], means: [], bursts: [] })
      const start = performance.now()
      result.times.push(...(await sequential(send, count)))
      result.means.push(((performance.now() - start) * 1_000) / count) // Some browsers have coarse clocks.
      if (round < 3) result.bursts.push(await burst(send, burstSize))
    }
  }
  if (ports.has("bridge")) results.install = await installTimes()
  return results
}

/** The time that bridge.js takes to run in a new document. */
async function installTimes(count = 20) {
  const source = await (await fetch("/bridge.js")).text()
  const times = []
  for (let index = 0; index < count; index++) {
    const frame = document.body.appendChild(document.createElement("iframe"))
    const start = performance.now()
    frame.contentWindow.eval(source)
    times.push((performance.now() - start) * 1_000)
    frame.remove()
  }
  return times
}

async function run() {
  const outcome = await measure().then((results) => ({ results })).catch((error) => ({ error: String(error) }))
  await fetch("/results", { method: "POST", body: JSON.stringify({ userAgent: navigator.userAgent, ...outcome }) })
}

run()
