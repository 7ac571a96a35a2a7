// The DevTools protocol as a bridge: a binding for the page's messages, and evaluations for the answers. It uses a
// pipe, which is faster than a WebSocket.   node devtools.mjs CHROMIUM PROFILE URL
import { spawn } from "node:child_process"

const [, , chromium, profile, url] = process.argv
const browser = spawn(
  chromium,
  ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] }
)
const [input, output] = [browser.stdio[3], browser.stdio[4]]
const waiting = new Map()
let count = 0
let rest = ""

function send(method, params = {}, sessionId = undefined) {
  const id = ++count
  input.write(JSON.stringify({ id, method, params, sessionId }) + "\0")
  return new Promise((resolve) => waiting.set(id, resolve))
}

function receive(message) {
  if (message.method === "Runtime.bindingCalled") {
    const { payload, executionContextId } = message.params
    send("Runtime.evaluate", { expression: `answered(${payload})`, contextId: executionContextId }, message.sessionId)
  }
  waiting.get(message.id)?.(message.result)
  waiting.delete(message.id)
}

output.on("data", (data) => {
  const parts = (rest + data).split("\0")
  rest = parts.pop()
  for (const part of parts) receive(JSON.parse(part))
})

const { targetId } = await send("Target.createTarget", { url: "about:blank" })
const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true })
await send("Runtime.enable", {}, sessionId)
await send("Runtime.addBinding", { name: "posted" }, sessionId)
await send("Page.enable", {}, sessionId)
const source = `{
  const waiting = []
  globalThis.answered = (message) => waiting.shift()(message)
  globalThis.exposed = (message) => new Promise((resolve) => { waiting.push(resolve); posted(JSON.stringify(message)) })
}`
await send("Page.addScriptToEvaluateOnNewDocument", { source }, sessionId)
await send("Page.navigate", { url: url }, sessionId)
process.on("SIGTERM", () => {
  browser.kill("SIGKILL")
  process.exit(0)
})
