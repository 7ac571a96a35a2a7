import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { runInNewContext } from "node:vm"

const source = readFileSync(new URL("../../web/components.js", import.meta.url), "utf8")

/** A window with web/components.js in it. `posted` is what it has posted. */
const page = (globals) => {
  const posted = []
  const document = new EventTarget()
  const window = {
    document, posted, webkit: { messageHandlers: { bridge: { postMessage: (body) => posted.push(body) } } }, ...globals
  }
  window.window = window
  runInNewContext(source, window)
  return window
}

/** The smallest web library. */
class Library {
  received = []
  updates = 0
  setAdapter(adapter) { this.adapter = adapter }
  adapterDidUpdateSupportedComponents() { this.updates++ }
  receive(message) { this.received.push(message) }
}

const plain = (value) => JSON.parse(JSON.stringify(value))

test("announces itself only when the page first uses it", () => {
  const window = page()
  assert.deepEqual(window.posted, [])
  assert.deepEqual(plain(window.nativeBridge.supportedComponents), [])
  assert.deepEqual(window.posted, ["ready"])
})

for (const name of ["HotwireNative", "Strada"]) {
  test(`serves window.${name}.web once components are registered`, () => {
    const window = page()
    const web = new Library()
    window[name] = { web }
    window.document.dispatchEvent(new Event("web-bridge:ready"))
    assert.equal(web.adapter, undefined)
    window.nativeBridge.register(["form", "menu"])
    assert.equal(web.adapter, window.nativeBridge)
    assert.equal(web.adapter.platform, "ios")
    window.nativeBridge.register("form")
    window.nativeBridge.unregister("menu")
    assert.deepEqual(plain(web.adapter.supportedComponents), ["form"])
    assert.equal(web.updates, 2)
    window.nativeBridge.replyWith('{"id":"1"}')
    window.nativeBridge.replyWith({ id: "2" })
    assert.deepEqual(plain(web.received), [{ id: "1" }, { id: "2" }])
    assert.deepEqual(window.posted, ["ready"])
  })
}

test("reports each unsupported component once", () => {
  const window = page()
  window.nativeBridge.register("form")
  assert.ok(window.nativeBridge.supportsComponent("form"))
  for (let time = 0; time < 2; time++) assert.ok(!window.nativeBridge.supportsComponent("map"))
  assert.deepEqual(plain(window.posted), ["ready", { name: "unsupportedComponent", component: "map" }])
})

for (const name of ["BridgeComponentsNative", "StradaNative"]) {
  test(`uses ${name} if it exists`, () => {
    const calls = []
    const window = page({
      webkit: undefined,
      [name]: {
        bridgeDidInitialize: () => calls.push("initialize"),
        bridgeDidReceiveMessage: (json) => calls.push(json),
        bridgeDidUpdateSupportedComponents: () => calls.push("update"),
      },
    })
    assert.equal(window.nativeBridge.platform, "android")
    window.nativeBridge.postMessage("ready")
    window.nativeBridge.register("form")
    window.nativeBridge.receive({ id: "1" })
    assert.deepEqual(calls, ["initialize", "update", '{"id":"1"}'])
  })
}

test("does not replace another adapter, and does nothing outside an app", () => {
  const nativeBridge = {}
  assert.equal(page({ nativeBridge }).nativeBridge, nativeBridge)
  assert.equal(page({ webkit: undefined }).nativeBridge, undefined)
})
