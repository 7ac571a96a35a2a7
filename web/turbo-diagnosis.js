/**
 * Reports what Turbo does in a page and native code does not learn, because no framework's adapter passes it on: why Turbo
 * reloads a page, that it refuses the response to a form or does not show it, that the server has failed. It also marks
 * when Turbo starts, as `turbo starts` in the page's performance timeline.
 *
 * The app adds it after the adapter, whichever that is, in main frames only. It posts `turboFinding` to the message
 * handler `turbo`, and on Android to `TurboSession`. It decides nothing.
 */
;(() => {
  "use strict"

  const MAXIMUM_TEXT = 300
  const MAXIMUM_ELEMENTS = 5

  const android = window.TurboSession
  const ios = window.webkit?.messageHandlers?.turbo
  if (!android && !ios) return

  const post = (data) =>
    android ? android.turboFinding(JSON.stringify(data)) : ios.postMessage({ name: "turboFinding", data })

  const shortened = (text) => text.length > MAXIMUM_TEXT ? `${text.slice(0, MAXIMUM_TEXT)}…` : text

  /** Goes on without what cannot be found out. The page's own handlers of errors must not hear of it. */
  const giveUp = () => {}

  // When Turbo starts, it defines its elements.
  if (!customElements.get("turbo-frame")) {
    customElements.whenDefined("turbo-frame").then(() => performance.mark("turbo starts")).catch(giveUp)
  }

  // MARK: Reloads

  /** The HTML that Turbo compares: without the nonce, which is another one in each page. */
  const html = (element) => {
    const copy = element.cloneNode()
    copy.removeAttribute("nonce")
    return shortened(copy.outerHTML)
  }
  const tracked = (page) =>
    [...page.querySelectorAll("head [data-turbo-track=reload], head [data-turbolinks-track=reload]")].map(html)
  const control = (page) =>
    page.querySelector("meta[name=turbo-visit-control], meta[name=turbolinks-visit-control]")?.content

  /** The last response to a form that is HTML, until Turbo shows it. */
  let formHTML

  /**
   * Why Turbo reloads the page.
   * @param {{reason?: string}} [given] what Turbo 8 says. Turbo 7 and Turbolinks say nothing.
   */
  const reload = (given) => {
    const { currentVisit } = window.Turbo?.navigator ?? window.Turbolinks?.controller ?? {}
    const response = currentVisit?.response?.responseHTML ?? currentVisit?.response ?? formHTML
    const page = typeof response === "string" ? new DOMParser().parseFromString(response, "text/html") : document
    const [before, after] = [tracked(document), tracked(page)]
    const onlyBefore = before.filter((element) => !after.includes(element)).slice(0, MAXIMUM_ELEMENTS)
    const onlyAfter = after.filter((element) => !before.includes(element)).slice(0, MAXIMUM_ELEMENTS)
    let reason = given?.reason
    if (!reason && control(page) === "reload") reason = "turbo_visit_control_is_reload"
    if (!reason && onlyBefore.length + onlyAfter.length > 0) reason = "tracked_element_mismatch"
    return { reason, onlyBefore, onlyAfter }
  }

  const { turboNative } = window
  const pageInvalidated = turboNative?.pageInvalidated
  if (pageInvalidated) {
    turboNative.pageInvalidated = function (given) {
      try {
        post({ kind: "reload", ...reload(given) })
      } catch {
        giveUp()
      }
      return pageInvalidated.apply(this, arguments)
    }
  }

  // MARK: Previews

  /** How long Turbo may take to show a response that it has already. */
  const PREVIEW_TIME = 1000

  /**
   * A visit to which native code has passed the response of a form's redirect. An adapter first has the response shown, and
   * then the page that Turbo has cached for the URL: the latter cancels the former, and the visit never ends.
   */
  const watchPreview = (visit, { statusCode }) => {
    setTimeout(() => {
      if (visit.state !== "started" || !showsPreview()) return
      post({ kind: "responseLost", method: "GET", url: visit.location.href, statusCode })
    }, PREVIEW_TIME)
  }

  const visitStarted = turboNative?.visitStarted
  if (visitStarted) {
    turboNative.visitStarted = function (visit) {
      const response = visit?.response
      const result = visitStarted.apply(this, arguments)
      if (response?.responseHTML && visit.action !== "restore") watchPreview(visit, response)
      return result
    }
  }

  // MARK: Responses

  /** What is known of each form that is being submitted: its method, and its response. */
  const submissions = new WeakMap()
  /** The last submission, until Turbo shows its response. */
  let lastSubmission

  // Turbo 7 has numbers for methods.
  const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
  const methodOf = ({ method }) => METHODS[method] ?? `${method}`.toUpperCase()

  addEventListener("turbo:submit-start", ({ target, detail }) => {
    const submission = { method: methodOf(detail.formSubmission) }
    submissions.set(target, submission)
    forgetResponse()
    lastSubmission = submission
  }, true)

  const forgetResponse = () => { formHTML = lastSubmission = undefined }
  const showsPreview = () => document.documentElement.hasAttribute("data-turbo-preview")
  addEventListener("turbo:render", () => { if (!showsPreview()) forgetResponse() })
  addEventListener("turbo:frame-render", forgetResponse)

  const keepResponse = async (submission, response) => {
    const text = await response.clone().text()
    if (submission === lastSubmission) formHTML = text
  }

  addEventListener("turbo:before-fetch-response", ({ target, detail: { fetchResponse } }) => {
    const submission = submissions.get(target)
    if (submission) submission.response = fetchResponse
    if (submission && fetchResponse.isHTML) keepResponse(submission, fetchResponse.response).catch(giveUp)
    if (fetchResponse.statusCode >= 500) reportServerError(target, submission, fetchResponse).catch(giveUp)
  }, true)

  /** What a user would read in a page, or its title if there is nothing. */
  const textOf = (page) => {
    for (const element of page.querySelectorAll("script, style, template")) element.remove()
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode.data)
    return texts.join(" ").trim() || page.title
  }

  const reportServerError = async (target, submission, { statusCode, isHTML, response }) => {
    const { url } = response
    const frame = target.closest?.("turbo-frame")
    const source = await response.clone().text()
    const page = isHTML ? new DOMParser().parseFromString(source, "text/html") : undefined
    // Turbo shows the HTML that comes instead of a form's redirect. In a frame it shows the frame of the response.
    // Turbo finds no place for the response in a frame without an id.
    const hasFrame = !!frame?.id && !!page?.querySelector(`turbo-frame#${CSS.escape(frame.id)}`)
    const isShown = !!page && (frame ? hasFrame : !!submission)
    const text = (page ? textOf(page) : source).replace(/\s+/g, " ").trim()
    const method = submission?.method ?? "GET"
    post({ kind: "serverError", method, url, statusCode, text: shortened(text), isShown })
  }

  addEventListener("turbo:submit-end", ({ target, detail }) => {
    const { method, response } = submissions.get(target) ?? {}
    submissions.delete(target)
    // Turbo gives no result if it refuses the response: "Form responses must redirect to another location".
    if ("success" in detail || response?.statusCode !== 200 || response.redirected) return
    post({ kind: "formRefused", method, url: response.response.url })
  }, true)
})()
