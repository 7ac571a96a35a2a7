// The page of a hybrid app: it posts to native code, and has `window.bridge` for native code to call.

const element = (id) => document.getElementById(id)

/** Shows a line in the page's own log, newest first. */
const note = (text, kind = "info") => {
  const line = document.createElement("li")
  line.className = kind
  const time = document.createElement("time")
  time.textContent = new Date().toLocaleTimeString([], { hour12: false })
  line.append(time, text)
  element("log").prepend(line)
  while (element("log").children.length > 50) element("log").lastChild.remove()
}

const show = (id, text) => {
  element(id).textContent = text
  element(id).classList.remove("empty")
}

/** Posts a message, and writes to the log when native code has handled it. */
const post = async (label, body) => {
  if (!handler) return note(`${label}: there is no bridge`, "problem")
  note(`${label}: posted`)
  try {
    await handler.postMessage(body)
    note(`${label}: native code has handled it`, "good")
  } catch (error) {
    note(`${label}: ${error.message}`, "problem")
  }
}

/** The methods that native code calls, as `window.bridge`. */
class Bridge {
  /** Returns a greeting, which native code gets as the evaluation's result. */
  sayHello() {
    const greeting = `Hello from ${document.title}!`
    show("greeting", greeting)
    note("native called bridge.sayHello()", "good")
    return greeting
  }

  /** Sends the device's token to the page's server. @param {string} token */
  register(token) {
    this.#sendToken(token)
  }

  async #sendToken(token) {
    const response = await fetch("/demo/notification_tokens", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token })
    })
    if (!response.ok) return note(`the server refused the token: ${response.status}`, "problem")
    show("token", (await response.json()).token)
    note("native called bridge.register(token); the server has it", "good")
  }
}

window.bridge = new Bridge()

/** Makes a message with one value of each kind that plain JSON would lose. */
const valueZoo = () => {
  const cycle = { date: new Date(), nan: NaN, infinity: -Infinity, minusZero: -0, nothing: undefined }
  cycle.text = "a\u0000b 😀"
  cycle.holes = [1, , 3]
  cycle.itself = cycle
  return { name: "Zoo", animals: cycle }
}

const actions = {
  "register-push-token": () => post("RegisterPushToken", { name: "RegisterPushToken" }),
  "unknown-message": () => post("OpenTheDoor", { name: "OpenTheDoor", floor: 3 }),
  "undecodable": () => post("ActionButton without a path", { name: "ActionButton", icon: 7 }),
  "uncloneable": () => post("a function (it stays pending, as in WebKit)", { name: "ActionButton", path: () => "/" }),
  "zoo": () => post("Value zoo", valueZoo()),
  "throw": () => { throw new Error("thrown by the demo page") },
  "burst": () => { for (let number = 1; number <= 100; number++) handler?.postMessage({ name: "Burst", number }) }
}

for (const [id, act] of Object.entries(actions)) element(id).addEventListener("click", act)

element("action-button-form").addEventListener("submit", (event) => {
  event.preventDefault()
  post("ActionButton", { name: "ActionButton", path: element("path").value, icon: element("icon").value })
})

window.addEventListener("error", (event) => note(event.message, "problem"))

const showState = () => {
  const { state = "missing", page = null } = document.bridged ?? {}
  const text = { connecting: "connecting", connected: "connected", away: "away, trying again", missing: "no bridge" }
  element("status").dataset.state = state
  element("status").textContent = text[state]
  if (page) show("page", page)
}

document.addEventListener("bridged:state", showState)
showState()
element("missing").hidden = handler !== undefined
