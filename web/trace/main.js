import { ConsolePanel } from "../inspector/console.js"
import { DevicePanel } from "../inspector/device.js"
import { element, oncePerFrame } from "../inspector/dom.js"
import { Records } from "../inspector/records.js"
import { RequestsPanel } from "../inspector/requests.js"
import { StacksPanel } from "../inspector/stacks.js"
import { makeTabs } from "../inspector/tabs.js"
import { TrafficPanel } from "../inspector/traffic.js"
import { VisitsPanel } from "../inspector/visits.js"
import { PicturesPanel } from "./pictures.js"
import { RecordedPictures, Recording } from "./recording.js"
import { duration, stepList } from "./steps.js"

const titles = {
  traffic: "Traffic", pictures: "Pictures", requests: "Requests", stacks: "Stacks", visits: "Visits", console: "Console",
}

/** @param {string} id */
const part = (id) => document.getElementById(id)

/** What the whole run was, and why it failed. */
function showRun(trace) {
  const framework = trace.framework ?? trace.moments.at(-1)?.state?.framework
  const facts = [trace.file, trace.browser, framework, trace.started?.slice(0, 19).replace("T", " "),
    duration(trace.milliseconds), `bridged ${trace.version}`]
  document.title = `${trace.failure ? "✗" : "✓"} ${trace.name}`
  part("title").textContent = document.title
  part("run").textContent = facts.filter(Boolean).join("  ·  ")
  part("notice").textContent = trace.leftOut.join(" ")
  part("notice").hidden = !trace.leftOut.length
  if (trace.failure) showFailure(trace.failure, trace.steps)
}

function showFailure({ step: number, expected, found }, steps) {
  const step = steps.find((step) => step.number === number)
  const line = step?.line ? `, in line ${step.line}${step.file ? ` of ${step.file}` : ""}` : ""
  const place = step ? `Step ${number} of ${steps.length} failed${line}` : "The run failed"
  part("failure").hidden = false
  part("failure").append(
    element("h2", {}, place), element("pre", { class: "step-text" }, step?.text ?? ""),
    element("dl", {},
      element("dt", {}, "expected"), element("dd", {}, element("pre", {}, expected)),
      element("dt", {}, "found"), element("dd", {}, element("pre", {}, found))))
}

/** The text beside the slider. */
function describe(recording) {
  const { moment, steps } = recording
  if (moment === 0) return "before step 1"
  const outcome = recording.isFailed(steps[moment - 1]) ? ", which failed" : ""
  return `after step ${moment}${outcome}`
}

function start(trace) {
  showRun(trace)
  const recording = new Recording(trace)
  const select = (number) => {
    selectTab("traffic")
    traffic.select(number)
  }
  const records = new Records()
  const pictures = new RecordedPictures(recording)
  const device = new DevicePanel(recording, part("device"), pictures)
  const pictureList = new PicturesPanel(part("pictures"), recording, pictures)
  const traffic = new TrafficPanel(recording, records, part("traffic"))
  const stacks = new StacksPanel(recording, part("stacks"), select)
  const requests = new RequestsPanel(recording, records, part("requests"), select)
  const followers = [requests, stacks, new ConsolePanel(recording, part("console"))]
  const visits = new VisitsPanel(part("visits"), select)
  const selectTab = makeTabs(titles, null)
  const slider = part("scrubber")
  slider.max = String(recording.last)

  const show = oncePerFrame(() => {
    records.clear()
    traffic.restart()
    for (const follower of followers) follower.restart()
    for (const record of recording.records()) {
      records.add(record)
      for (const follower of followers) follower.add(record)
    }
    const { state } = recording.shown
    if (state) device.show(state)
    else device.fail(new Error(recording.shown.missing ?? "Nothing was recorded."))
    stacks.show(state)
    visits.show(recording.visits())
    pictureList.show()
  })
  const choose = (moment) => {
    recording.moment = Math.min(Math.max(moment, 0), recording.last)
    slider.value = String(recording.moment)
    slider.setAttribute("aria-valuetext", describe(recording))
    part("moment").textContent = describe(recording)
    mark(recording.moment)
    show()
  }
  const mark = stepList(part("steps"), recording, choose)
  slider.addEventListener("input", () => choose(Number(slider.value)))
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    // A slider, a tab or a text field has its own use for the key.
    if (!step || event.target.closest("input, select, textarea, [role=tab], summary")) return
    choose(recording.moment + step)
  })
  choose(recording.last)
  slider.focus({ preventScroll: true })
}

try {
  start(JSON.parse(part("trace").textContent))
} catch (error) {
  part("notice").hidden = false
  part("notice").textContent = `This trace cannot be shown: ${error.message} Is the file complete?`
}
