import { button, element } from "./dom.js"
import { tree } from "./tree.js"

/**
 * Posts a message again, as it was or edited, from the page that posted it.
 *
 * @param {any} record A `message` record.
 * @param {import("./control.js").Control} control
 * @returns {HTMLElement}
 */
export function replay(record, control) {
  const result = element("div", { role: "status" })
  const editor = element("textarea", { "aria-label": "Body as JSON", rows: "8", spellcheck: "false" })
  const post = async (body) => {
    try {
      const params = { handler: record.handler, body, ...target(record) }
      if (record.types && body === record.body) params.types = record.types
      const answer = await control.call("message.post", params)
      result.replaceChildren(tree(answer.value ?? answer.verdict ?? null, answer.types, "answer"))
    } catch (error) {
      result.replaceChildren(element("p", { class: "error" }, `${error.message} ${error.hint ?? ""}`))
    }
  }
  const form = element("form", { class: "edit", hidden: true, onsubmit: (event) => {
    event.preventDefault()
    const body = parse(editor.value, result)
    if (body) post(body.value)
  } }, editor, element("button", { type: "submit" }, "Post"))
  const edit = () => {
    editor.value = JSON.stringify(record.body, null, 2)
    form.hidden = false
    editor.focus()
  }
  return element("div", { class: "replay" },
    element("div", { class: "buttons" }, button("Resend", () => post(record.body)), button("Edit and resend", edit)),
    form, result)
}

/** The page that posted a message, or another one of its web view if that has gone. */
function target(record) {
  return record.webView ? { webView: record.webView } : record.page ? { page: record.page } : {}
}

function parse(text, result) {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    result.replaceChildren(element("p", { class: "error" }, `This is not JSON: ${error.message}`))
    return null
  }
}
