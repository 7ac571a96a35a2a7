#!/usr/bin/env node
// Takes the pictures of the documentation (docs/images) from a running daemon, with headless Chromium.
//
//   scripts/images.mjs            writes docs/images/*.png; tour-*.png are animated
//   scripts/images.mjs FOLDER     writes them there, with the inspector at three sizes and in both themes, to look at
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { animated } from "./apng.mjs"

const root = resolve(fileURLToPath(import.meta.url), "../..")
const bridged = process.env.BRIDGED_EXECUTABLE ?? join(root, ".build/release/bridged")
const folder = process.argv[2]
const work = mkdtempSync(join(tmpdir(), "bridged-images-"))
const environment = { ...process.env, XDG_RUNTIME_DIR: work }
const children = []

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

/** Starts a program, and waits for a line of its output. It ends with this script. */
function start(program, options, isReady) {
  const child = spawn(program, options, { env: environment, stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let output = ""
  return new Promise((done, fail) => {
    const read = (chunk) => {
      output += chunk
      const match = output.match(isReady)
      if (match) done(match)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("error", fail)
    child.on("exit", (status) => fail(new Error(`${program} ended with the status ${status}:\n${output}`)))
  })
}

/** Runs a command of bridged to its end. */
function run(...options) {
  const child = spawn(bridged, options, { env: environment, stdio: ["ignore", "ignore", "inherit"] })
  return new Promise((done, fail) => {
    child.on("exit", (status) => (status === 0 ? done() : fail(new Error(`bridged ${options.join(" ")} ended with the status ${status}.`))))
  })
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

/** A tab of headless Chromium, driven over DevTools on a pipe. */
class Tab {
  #pipe
  #calls = new Map()
  #next = 1
  #session

  static async open(url) {
    const tab = new Tab()
    const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : []
    const child = spawn(process.env.CHROMIUM ?? "chromium", [...sandbox, "--headless=new", "--disable-gpu", "--hide-scrollbars",
      "--remote-debugging-pipe", `--user-data-dir=${join(work, "profile")}`], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] })
    children.push(child)
    tab.#pipe = child.stdio[3]
    let buffer = ""
    child.stdio[4].on("data", (chunk) => {
      const messages = (buffer + chunk).split("\0")
      buffer = messages.pop()
      for (const text of messages) {
        const { id, result, error } = JSON.parse(text)
        const call = tab.#calls.get(id)
        if (error) call?.fail(new Error(error.message))
        else call?.done(result)
      }
    })
    const { targetId } = await tab.call("Target.createTarget", { url: "about:blank" })
    tab.#session = (await tab.call("Target.attachToTarget", { targetId, flatten: true })).sessionId
    await tab.call("Page.navigate", { url })
    return tab
  }

  call(method, params = {}) {
    const id = this.#next++
    const { promise, ...ends } = (() => {
      let ends
      const promise = new Promise((done, fail) => { ends = { done, fail } })
      return { promise, ...ends }
    })()
    this.#calls.set(id, ends)
    this.#pipe.write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`)
    return promise
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    return result.value
  }

  async until(expression) {
    for (const end = Date.now() + 20_000; Date.now() < end; await wait(50)) if (await this.evaluate(expression)) return
    throw new Error(`${expression} did not become true.`)
  }

  async show([width, height], theme) {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false })
    await this.call("Emulation.setEmulatedMedia", { features: [
      { name: "prefers-color-scheme", value: theme }, { name: "prefers-reduced-motion", value: "reduce" },
    ] })
    await wait(500)
  }

  async capture(wholePage = false) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png", captureBeyondViewport: wholePage })
    return Buffer.from(data, "base64")
  }

  async picture(path, wholePage = false) {
    writeFileSync(path, await this.capture(wholePage))
    console.log(path)
  }

  /** Types in the field that has the focus. */
  async type(text) { await this.call("Input.insertText", { text }) }

  async press(key, code) {
    for (const type of ["keyDown", "keyUp"]) await this.call("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: code })
  }
}

// The example has no styles, so that its tests see only what they are about.
const look = `document.head.insertAdjacentHTML("beforeend", '<meta name="viewport" content="width=device-width">')
  Object.assign(document.body.style, { font: "20px/1.6 sans-serif", margin: "0 1rem" })
  document.body.insertAdjacentHTML("beforeend", ["Two", "Three", "Four"].map((title) => "<p><a href=/posts/2>" + title + "</a></p>").join(""))`

/** A daemon, an app that it drives, and some traffic. */
async function startDemo() {
  const port = await freePort()
  await start("python3", ["-u", join(root, "Examples/TurboApp/app.py"), "--port", String(port), "--library",
    join(root, ".third-party/turbo.js"), "--strict"], /./)
  const rules = join(root, "Examples/TurboApp/path-configuration.json")
  const app = `http://localhost:${port}`
  const [, inspector] = await start(bridged, ["serve", "--port", "0", "--root-url", app, "--path-configuration", rules], /(http\S+#token=\w+)/)
  await start(bridged, ["open", `${app}/`, "--headless", "--in", "chromium", "--device", "iPhone 16"], /Ctrl-C/)
  await run("eval", "document.title")
  await run("app", "visit", "/posts")
  await run("eval", look)
  await run("stub", "camera", "--reply", '{"photo": "cat.jpg"}')
  await run("eval", 'webkit.messageHandlers.camera.postMessage({ quality: "high", flash: null, tags: ["cat", "garden"] }); undefined')
  return inspector
}

const panels = ["traffic", "requests", "stacks", "visits", "console", "pages"]

/** What the tour does before each of its pictures. */
const tour = [
  async () => {
    await run("app", "clearAll")
    await run("eval", "history.length")
  },
  async () => run("app", "visit", "/posts"),
  async (tab) => {
    await tab.evaluate('document.querySelector("#traffic input[type=search]").focus()')
    await tab.type("ActionButton kind:message")
    await tab.until('document.querySelectorAll("#records .row").length > 0 && [...document.querySelectorAll("#records .row")].every((row) => row.textContent.includes("ActionButton"))')
    await tab.evaluate('[...document.querySelectorAll("#records .row")].at(-1).click()')
  },
  async (tab) => tab.evaluate('document.querySelector(".screen.main .bar [title=plus]").click()'),
  async (tab) => tab.evaluate('document.getElementById("tab-stacks").click()'),
  async (tab) => tab.evaluate('document.getElementById("tab-visits").click()'),
  async (tab) => {
    await tab.evaluate('document.getElementById("tab-requests").click()')
    await tab.until('document.querySelectorAll("#request-list .row").length > 1')
    await tab.evaluate('document.querySelector("#request-list .row").click()')
  },
  async (tab) => {
    await tab.evaluate('document.getElementById("tab-console").click(); document.querySelector("#console textarea").focus()')
    for (const source of ["await fetch(location).then((response) => response.status)", "document.querySelector(\"h1\")"]) {
      await tab.type(source)
      await wait(300)
      await tab.press("Escape", 27)
      await tab.press("Enter", 13)
      await tab.until('document.querySelector("#console textarea").value === ""')
      await wait(300)
    }
    await tab.type("document.query")
    await tab.until('!document.getElementById("console-names").hidden')
  },
]

/** Takes the pictures of the tour in one theme. */
async function takeTour(tab, theme) {
  const pictures = []
  await tab.show([1080, 675], theme)
  for (const step of tour) {
    await step(tab)
    await wait(1000)
    pictures.push(await tab.capture())
  }
  return animated(pictures, 2500)
}

async function main() {
  const inspector = await startDemo()
  const tab = await Tab.open(inspector)
  await tab.show([1440, 900], "light")
  await tab.until('document.querySelector(".picture")?.naturalWidth > 0 && document.querySelectorAll(".row").length > 5')
  const select = () => tab.evaluate(
    '[...document.querySelectorAll("#records .row")].findLast((row) => row.textContent.includes("camera") && row.textContent.includes("quality"))?.click()')
  await select()
  if (!folder) {
    const images = join(root, "docs/images")
    mkdirSync(images, { recursive: true })
    for (const theme of ["light", "dark"]) {
      await tab.show([1280, 800], theme)
      await tab.picture(join(images, `inspector-${theme}.png`))
    }
    for (const theme of ["light", "dark"]) {
      const path = join(images, `tour-${theme}.png`)
      await tab.evaluate("location.reload()")
      await tab.until('document.querySelectorAll("#records .row").length > 5')
      await tab.evaluate('document.getElementById("tab-traffic").click()')
      writeFileSync(path, await takeTour(tab, theme))
      console.log(path)
    }
    return
  }
  mkdirSync(folder, { recursive: true })
  for (const size of [[1440, 900], [1024, 768], [390, 844]]) {
    for (const theme of ["light", "dark"]) {
      for (const panel of panels) {
        await tab.evaluate(`document.getElementById("tab-${panel}").click()`)
        await tab.show(size, theme)
        await tab.picture(join(folder, `${panel}-${size.join("x")}-${theme}.png`), size[0] < 1000)
      }
    }
  }
}

let status = 0
try {
  await main()
} catch (error) {
  console.error(`error: ${error.message}`)
  status = 1
} finally {
  for (const child of children) {
    child.removeAllListeners("exit")
    child.kill()
  }
  await wait(500)
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(status)
