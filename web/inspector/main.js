import { ConsolePanel } from "./console.js"
import { Control, followAddress, takeToken } from "./control.js"
import { DevicePanel } from "./device.js"
import { atMostEvery, oncePerFrame } from "./dom.js"
import { PagesPanel } from "./pages.js"
import { Pictures } from "./picture.js"
import { Records } from "./records.js"
import { RequestsPanel } from "./requests.js"
import { StacksPanel } from "./stacks.js"
import { makeTabs } from "./tabs.js"
import { TrafficPanel } from "./traffic.js"
import { VisitsPanel } from "./visits.js"

const titles = {
  traffic: "Traffic", requests: "Requests", stacks: "Stacks", visits: "Visits", console: "Console", pages: "Pages and handlers",
}

/** Records after which the app may look different. */
const changesApp = new Set(["app", "page", "message", "reply", "result", "request"])
const changesPages = new Set(["page", "message", "app"])
const changesVisits = new Set(["app", "request"])

/** @param {string} id */
const panel = (id) => document.getElementById(id)

function showStatus(text, state) {
  const status = panel("status")
  status.textContent = text
  status.dataset.state = state
}

function showNotice(text) {
  const notice = panel("notice")
  notice.textContent = text ?? ""
  notice.hidden = !text
}

/**
 * @param {string} token
 * @param {string | null} firstPanel
 */
function start(token, firstPanel) {
  const control = new Control(token)
  const records = new Records()
  const pictures = new Pictures(control)
  const device = new DevicePanel(control, panel("device"), pictures)
  const traffic = new TrafficPanel(control, records, panel("traffic"))
  const select = (number) => {
    selectPanel("traffic")
    traffic.select(number)
  }
  const requests = new RequestsPanel(control, records, panel("requests"), select)
  const stacks = new StacksPanel(control, panel("stacks"), select)
  const consolePanel = new ConsolePanel(control, panel("console"))
  const visits = new VisitsPanel(panel("visits"), select)
  const pages = new PagesPanel(control, panel("pages"))

  const updateApp = oncePerFrame(async () => {
    try {
      const state = await control.call("app.state")
      device.show(state)
      stacks.show(state)
      consolePanel.showWebViews([...new Set(["main", ...Object.keys(state.webViews)])], device.visibleWebView)
      const { pages: attached } = await control.call("pages.list")
      const driven = attached.filter((page) => page.engine && page.attached && page.frame.isMainFrame)
      pictures.setDriven(driven.map((page) => page.webView))
    } catch (error) {
      device.fail(error)
    }
  })
  const updatePages = oncePerFrame(() => (panel("pages").hidden ? undefined : pages.update()))
  // The daemon asks the rules of every release for each visit.
  const updateVisits = atMostEvery(1000, async () => {
    if (panel("visits").hidden) return
    try {
      visits.show((await control.call("visits.explain", { last: 20 })).visits)
    } catch (error) {
      visits.fail(error)
    }
  })
  // The panel that was shown before the page was loaded again.
  const lastPanel = sessionStorage.getItem("panel")
  const selectPanel = makeTabs(titles, firstPanel ?? lastPanel, (name) => {
    sessionStorage.setItem("panel", name)
    updatePages()
    updateVisits()
  })

  control.subscribe({ after: 0 }, (record) => {
    records.add(record)
    requests.add(record)
    stacks.add(record)
    consolePanel.add(record)
    if (changesApp.has(record.kind)) updateApp()
    if (changesPages.has(record.kind)) updatePages()
    if (changesVisits.has(record.kind)) updateVisits()
  }, (error) => showNotice(error.message))

  let startedAt = null
  control.addEventListener("connected", async () => {
    const info = await control.call("daemon.info").catch(() => null)
    // The connection has ended meanwhile, and "disconnected" has said so.
    if (!info) return
    showStatus(`connected to bridged ${info.version}`, "connected")
    showNotice(null)
    if (startedAt !== null && startedAt !== info.startedAt) location.reload()
    startedAt = info.startedAt
    updateApp()
    updatePages()
    updateVisits()
  })
  control.addEventListener("disconnected", () => {
    showStatus("not connected", "missing")
    showNotice("The daemon does not answer. This page connects again when the daemon is back.")
  })
  control.addEventListener("refused", () => {
    showStatus("not connected", "missing")
    showNotice("The daemon did not accept this page's token, which changes with each start of the daemon. "
      + "Open the address that bridged serve prints as Inspect.")
  })
}

followAddress()

const firstPanel = new URLSearchParams(location.hash.slice(1)).get("panel")
const token = takeToken()
if (token) {
  start(token, firstPanel)
} else {
  showStatus("no token", "missing")
  showNotice("This page needs the daemon's token. Open the address that bridged serve prints as Inspect, "
    + "or start the daemon with bridged serve --open.")
}
