/**
 * Finds elements as a test names them, says what state they are in, and changes those that need no finger. The daemon
 * runs this in pages, and the drivers of browsers run it in a content world of their own.
 */
(() => {
  /**
   * A CSS selector, or what the user sees of an element. `within` names an element around it, and `nth` which of
   * several is meant, from 0, or from the end if it is negative.
   * @typedef {string | {
   *   css?: string, role?: string, name?: string, label?: string, text?: string, placeholder?: string, testId?: string,
   *   within?: Target, nth?: number
   * }} Target
   */
  /** @typedef {{ reason?: string, isMissing?: boolean }} Outcome */

  /** A text without soft hyphens and spaces of no width, and with one space for several. */
  const collapse = (text) => (text ?? "").replace(/[\u00ad\u200b]/g, "").replace(/\s+/g, " ").trim()
  const textOf = (element) => collapse(element?.innerText ?? element?.textContent)
  /** Whether an element has a text: as it is written, or as a style such as `uppercase` shows it. */
  const hasText = (element, text) => textOf(element) === text || collapse(element.textContent) === text

  /** The element around another one, as they are shown. */
  const parentOf = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null

  /** The nodes in an element, as they are shown: those of its shadow tree, or those that a slot shows. */
  const childrenOf = (element) => {
    const assigned = element.localName === "slot" ? element.assignedNodes() : []
    return assigned.length > 0 ? assigned : [...(element.shadowRoot ?? element).childNodes]
  }

  /** Whether the browser draws an element. A closed `<details>` hides what it has, which has boxes nevertheless. */
  const isDrawn = (element) => element.checkVisibility?.() !== false
    && !element.closest("details:not([open]) > :not(summary)")

  /**
   * The text in an element as it is written, without what is hidden, also in shadow trees.
   * @param {(child: Element) => string | null} [replace] What to take in place of a child's text; null for its text.
   */
  const flatText = (element, replace = () => null) => {
    const isSeen = getComputedStyle(element).visibility === "visible"
    return childrenOf(element).map((child) => {
      if (child.nodeType === Node.TEXT_NODE) return isSeen ? child.data : ""
      if (child.nodeType !== Node.ELEMENT_NODE || child.matches("script, style, template, noscript")) return ""
      const { display } = getComputedStyle(child)
      if (display !== "contents" && !isDrawn(child)) return ""
      const text = replace(child) ?? flatText(child, replace)
      return display === "inline" && child.localName !== "br" || display === "contents" ? text : ` ${text} `
    }).join("")
  }

  // ---- Roles and names ----

  const roles = {
    ARTICLE: "article", ASIDE: "complementary", BLOCKQUOTE: "blockquote", BUTTON: "button", CAPTION: "caption",
    CODE: "code", DD: "definition", DETAILS: "group", DIALOG: "dialog", DT: "term", EM: "emphasis", FIELDSET: "group",
    FIGURE: "figure", FORM: "form", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading",
    H6: "heading", HR: "separator", IMG: "img", LI: "listitem", MAIN: "main", MENU: "list", METER: "meter",
    NAV: "navigation", OL: "list", OPTGROUP: "group", OPTION: "option", OUTPUT: "status", P: "paragraph",
    PROGRESS: "progressbar", SEARCH: "search", STRONG: "strong", SUMMARY: "button", TABLE: "table", TBODY: "rowgroup",
    TD: "cell", TEXTAREA: "textbox", TFOOT: "rowgroup", TH: "columnheader", THEAD: "rowgroup", TIME: "time", TR: "row",
    UL: "list", svg: "img"
  }
  const rolesOfInputs = {
    button: "button", submit: "button", reset: "button", image: "button", file: "button", checkbox: "checkbox",
    radio: "radio", number: "spinbutton", range: "slider", search: "searchbox"
  }

  const role = (element) => {
    const explicit = element.getAttribute("role")?.trim()
    if (explicit) return explicit.split(/\s+/)[0]
    if (element.matches("a[href], area[href]")) return "link"
    if (element.matches("img[alt='']:not([aria-label], [title])")) return "presentation"
    if (element.matches("th[scope=row]")) return "rowheader"
    if (element.tagName === "TD" && element.closest("table")?.matches("[role=grid], [role=treegrid]")) return "gridcell"
    if (element.matches("header, footer") && !element.closest("article, aside, main, nav, section")) {
      return element.localName === "header" ? "banner" : "contentinfo"
    }
    if (element.tagName === "SECTION") return label(element) || element.title ? "region" : undefined
    if (element.tagName === "INPUT") return rolesOfInputs[element.type] ?? (element.list ? "combobox" : "textbox")
    if (element.tagName === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox"
    return roles[element.tagName]
  }

  /** The texts of the elements that an attribute names: as they are written, and as they are shown. */
  const byIds = (element, attribute) => {
    const others = (element.getAttribute(attribute) ?? "").split(/\s+/)
      .map((id) => id && element.getRootNode().getElementById?.(id)).filter(Boolean)
    return [contents, textOf].map((text) => collapse(others.map(text).join(" ")))
  }

  /** The texts of a label: as it is shown, and without its own controls and the mark of a required field. */
  const labelTexts = (label) => {
    const plain = collapse(flatText(label, (child) => child.matches("select, textarea, [aria-hidden=true]") ? "" : null))
    const written = plain || collapse(label.textContent)
    let end = written.length
    while (end > 0 && "*: ".includes(written[end - 1])) end -= 1
    return [textOf(label), written, written.slice(0, end)]
  }

  const label = (element) => byIds(element, "aria-labelledby").find(Boolean) || collapse(element.getAttribute("aria-label"))
    || (element.labels?.[0] ? labelTexts(element.labels[0])[1] : "")

  const isLabelled = (element, text) => collapse(element.getAttribute("aria-label")) === text
    || byIds(element, "aria-labelledby").includes(text)
    || [...element.labels ?? []].some((label) => labelTexts(label).includes(text))

  /** What an element contains as a screen reader reads it: with the names of pictures, and without what is hidden from it. */
  const contents = (element) => collapse(flatText(element, (child) => {
    if (child.getAttribute("aria-hidden") === "true") return ""
    return collapse(child.getAttribute("aria-label")) || (child.matches("img, input[type=image]") ? child.alt : "")
      || (child.matches("svg") ? child.querySelector(":scope > title")?.textContent : "") || null
  }))

  const valuesOfButtons = { submit: "Submit", reset: "Reset", image: "Submit" }
  /** What an element contains, as far as that names it. */
  const content = (element) => {
    const title = { FIELDSET: "legend", TABLE: "caption", FIGURE: "figcaption", svg: "title" }[element.tagName]
    const titled = title && element.querySelector(`:scope > ${title}`)
    if (titled) return collapse(titled.textContent)
    if (element.matches("input[type=button], input[type=submit], input[type=reset], input[type=image]")) {
      return element.value || (valuesOfButtons[element.type] ?? "")
    }
    return element.matches("input, select, textarea") ? "" : contents(element)
  }
  const attributeOf = (element, attribute) => collapse(element.getAttribute(attribute))
  const name = (element) => label(element) || (element.matches("img, area, input[type=image]") ? attributeOf(element, "alt") : "")
    || content(element) || attributeOf(element, "title") || attributeOf(element, "placeholder")

  // ---- Finding ----

  /** Whether a user sees an element, or its select if it is an option of a closed one. */
  const isShown = (element) => {
    const box = element.matches("option, optgroup") ? element.closest("select") ?? element : element
    return box.getClientRects().length > 0 && isDrawn(box) && getComputedStyle(box).visibility === "visible"
  }

  /** Whether a screen reader leaves an element out. */
  const isUnread = (element) => {
    let around = element
    while (around && around.getAttribute("aria-hidden") !== "true") around = parentOf(around)
    return around !== null
  }

  /** The elements that match, and then those in open shadow trees. */
  const select = (selector, root) => [
    ...root.shadowRoot ? select(selector, root.shadowRoot) : [], ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ? select(selector, shadowRoot) : [])
  ]

  /** The elements that meet a condition, which is asked first, and are shown; also those in open shadow trees. */
  const shown = (root, selector, condition = () => true) => [
    ...root.shadowRoot ? shown(root.shadowRoot, selector, condition) : [],
    ...[...root.querySelectorAll("*")].flatMap((element) => {
      const inner = element.shadowRoot ? shown(element.shadowRoot, selector, condition) : []
      return element.matches(selector) && condition(element) && isShown(element) ? [element, ...inner] : inner
    })
  ]

  /** The innermost of some elements. */
  const innermost = (elements) => {
    const around = new Set()
    for (const element of elements) {
      let outer = parentOf(element)
      for (; outer && !around.has(outer); outer = parentOf(outer)) around.add(outer)
    }
    return elements.filter((element) => !around.has(element))
  }

  const ownText = (element) => collapse([...element.childNodes]
    .map((node) => node.nodeType === Node.TEXT_NODE ? node.data : "").join(""))

  const withText = (text, root) => {
    const inner = "*:not(html, body, head, head *, script, style)"
    const found = shown(root, inner).filter((element) => hasText(element, text)
      || element.matches("input") && content(element) === text)
    // If no element has this text and no other, as "Inbox" in `Inbox <b>3</b>`, one that has it beside its children.
    return found.length > 0 ? innermost(found) : shown(root, inner, (element) => ownText(element) === text)
  }

  const candidates = (target, root) => {
    if (target.css !== undefined) return select(target.css, root)
    if (target.testId !== undefined) {
      const found = select("[data-testid]", root).filter((e) => e.dataset.testid === target.testId)
      return found.some(isShown) ? found.filter(isShown) : found
    }
    if (target.placeholder !== undefined) {
      const placeholder = collapse(target.placeholder)
      return shown(root, "[placeholder]", (e) => collapse(e.getAttribute("placeholder")) === placeholder)
    }
    if (target.label !== undefined) {
      const controls = "input, select, textarea, button, meter, progress, output"
      // A page that draws a control itself hides the real one.
      return select(`:is(${controls}, [role], [contenteditable], [aria-label], [aria-labelledby])`, root)
        .filter((e) => isLabelled(e, collapse(target.label)) && [e, ...e.labels ?? []].some(isShown))
    }
    if (target.role !== undefined) {
      const wanted = target.name === undefined ? undefined : collapse(target.name)
      return shown(root, "*", (element) => role(element) === target.role).filter((element) => !isUnread(element)
        && (wanted === undefined || name(element) === wanted || isLabelled(element, wanted) || hasText(element, wanted)))
    }
    return withText(collapse(target.text), root)
  }

  /**
   * All elements that a target names, in the order of the document.
   * @param {Target} target
   * @returns {Element[]}
   */
  const findAll = (target) => {
    if (typeof target === "string") return select(target, document)
    const roots = target.within === undefined ? [document] : findAll(target.within)
    const found = [...new Set(roots.flatMap((root) => candidates(target, root)))]
    if (target.nth === undefined) return found
    const one = found.at(target.nth)
    return one ? [one] : []
  }

  /**
   * The first element that a target names.
   * @param {Target} target
   */
  const find = (target) => findAll(target)[0] ?? null

  // ---- State ----

  const describe = (element) => {
    const classes = [...element.classList].map((name) => `.${name}`).join("")
    return `${element.localName}${element.id ? `#${element.id}` : ""}${classes}`.slice(0, 200)
  }

  const isVisible = (element) => {
    const { visibility, display } = getComputedStyle(element)
    if (visibility !== "visible" || display !== "contents" && !isDrawn(element)) return false
    const boxes = [...element.getClientRects()]
    if (boxes.length === 0) return [...element.children].some(isVisible)
    return boxes.some(({ width, height }) => width > 0 && height > 0)
  }
  /** Whether an element is enabled. The nearest `aria-disabled` counts. */
  const isEnabled = (element) => {
    let around = element
    while (around && !around.matches("[aria-disabled=true], [aria-disabled=false]")) around = parentOf(around)
    return !element.matches(":disabled") && around?.getAttribute("aria-disabled") !== "true"
  }

  /** What has a state of its own, so that a label around it does not stand for another control. */
  const controls = "a[href], button, input, select, textarea, option, summary, [aria-checked], [contenteditable], "
    + "[role=button], [role=link], [role=checkbox], [role=radio], [role=switch]"
  /** The control that an element is, or is a part of, or that it is the label of. */
  const controlOf = (element) => {
    const nearest = element.closest(`${controls}, label`)
    return (nearest?.localName === "label" ? nearest.control : nearest) ?? element
  }

  /** Why an element does not react; null if it does. */
  const whyDisabled = (element) => {
    const control = controlOf(element)
    if (isEnabled(control) && isEnabled(element)) return null
    return control === element || isEnabled(control) ? "it is disabled" : `${describe(control)} is disabled`
  }
  /** Why a user cannot tap on an element; null if that is possible. A label may stand for a hidden control. */
  const whyNotUsable = (element) =>
    whyDisabled(element) ?? ([element, ...element.labels ?? []].some(isVisible) ? null : "it is hidden")

  const checkable = "input[type=checkbox], input[type=radio], [aria-checked], [role=checkbox], [role=radio], [role=switch], "
    + "[role=menuitemcheckbox], [role=menuitemradio]"
  const isChecked = (element) =>
    "checked" in element ? element.checked : element.getAttribute("aria-checked") === "true"
  const value = (element) => {
    if (element.tagName === "SELECT") {
      return [...element.selectedOptions].map((option) => collapse(option.label)).join(", ")
    }
    return "value" in element && element.tagName !== "LI" ? String(element.value) : textOf(element)
  }
  /** A text for a message: quoted, and no longer than one looks at. */
  const quote = (text, limit = 200) => JSON.stringify(text.length > limit ? `${text.slice(0, limit)}…` : text)

  const unmetState = (element, { visible, enabled, checked, value: expected, contains }) => {
    if (visible !== undefined && isVisible(element) !== visible) return visible ? "it is hidden" : "it is shown"
    const disabled = enabled === undefined ? null : whyDisabled(element)
    if (enabled !== undefined && (disabled === null) !== enabled) return disabled ?? "it is enabled"
    const control = controlOf(element)
    if (checked !== undefined && !control.matches(checkable)) {
      return `${describe(control)} is no check box, radio button or switch`
    }
    if (checked !== undefined && isChecked(control) !== checked) return checked ? "it is not checked" : "it is checked"
    const field = control.matches("input, select, textarea") ? control : element
    const isOption = field.tagName === "SELECT" && [...field.selectedOptions].some((option) => option.value === expected)
    if (expected !== undefined && value(field) !== expected && !isOption) {
      return field.type === "password" ? "its value is another one" : `its value is ${quote(value(field))}`
    }
    const texts = contains === undefined ? [] : [textOf(element), collapse(element.textContent), contents(element)]
    if (contains !== undefined && !texts.some((text) => text.includes(collapse(contains)))) {
      return `its text is ${quote(textOf(element))}`
    }
    return null
  }

  /**
   * @typedef {{
   *   visible?: boolean, enabled?: boolean, checked?: boolean, value?: string, contains?: string, count?: number
   * }} Expected
   */

  /**
   * Says what of an expectation is not so. One of several elements is enough, unless none may be visible.
   * @param {Target} target @param {Expected} expected
   * @returns {string | null} null if all of it is.
   */
  const unmet = (target, expected) => {
    const found = findAll(target)
    if (expected.count !== undefined && found.length !== expected.count) return `there are ${found.length}`
    if (found.length === 0) return expected.visible === false || expected.count === 0 ? null : "there is none"
    const reasons = found.map((element) => unmetState(element, expected))
    if (expected.visible === false) return reasons.find((reason) => reason !== null) ?? null
    return reasons.includes(null) ? null : reasons[0]
  }

  /**
   * Says what the page shows instead of a text; null if it shows the text.
   * @param {boolean} isThorough Whether to look into shadow trees and at the text as it is written, which takes time.
   */
  const unmetText = (text, isThorough) => {
    const [shown, expected] = [textOf(document.body), collapse(text)]
    // A style such as `uppercase` shows another text than the one that is written.
    if (shown.includes(expected) || isThorough && collapse(flatText(document.body)).includes(expected)) return null
    return `the page shows ${quote(shown, 2000)}`
  }

  /** @param {string | null} reason @returns {Outcome | null} */
  const asOutcome = (reason) => reason === null ? null : { reason }

  // ---- Changing ----

  // A page may have replaced its timers and clock by ones that only its test moves on.
  const after = (milliseconds, next) => { AbortSignal.timeout(milliseconds).onabort = next }

  /**
   * Waits for a condition.
   * @param {(isLast: boolean) => Outcome | null} attempt
   * @returns {Promise<Outcome>}
   */
  const waitFor = async (milliseconds, attempt) => {
    let isOver = milliseconds <= 0
    if (!isOver) after(milliseconds, () => { isOver = true })
    for (;;) {
      const isLast = isOver
      const outcome = attempt(isLast)
      if (!outcome) return {}
      if (isLast) return outcome
      await new Promise((next) => after(16, next))
    }
  }

  /**
   * Tries with an element until that is possible.
   * @param {(element: Element) => Outcome | null} attempt
   * @returns {Promise<Outcome>}
   */
  const until = (target, milliseconds, attempt) => waitFor(milliseconds, () => {
    const element = find(target)
    return element ? attempt(element) : { isMissing: true }
  })

  const events = (element, ...names) => {
    for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }))
  }
  /** Sets a property as the browser does: the page may have replaced the setter of the element. */
  const set = (element, property, value) => {
    const { prototype } = element.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(prototype, property).set.call(element, value)
  }

  const untyped = ["color", "date", "datetime-local", "month", "range", "time", "week"]
  const steps = {
    checkbox: "check or uncheck", radio: "check", file: "choose file", button: "tap", submit: "tap", reset: "tap",
    image: "tap"
  }
  const isEditable = (element) => element.isContentEditable || element.matches("input, textarea")

  /** Why no text can be typed into a control; null if it can. */
  const whyNoText = (control) => {
    if (control.tagName === "SELECT") return `${describe(control)} has options; use the step select`
    if (!isEditable(control)) return `${describe(control)} takes no text`
    if (control.type in steps) return `${describe(control)} takes no text; use the step ${steps[control.type]}`
    if (!isEnabled(control)) return "it is disabled"
    return control.readOnly ? "it is read-only" : null
  }

  const selectAll = (control) => {
    control.focus({ preventScroll: true })
    if (control.matches("input, textarea")) return control.select()
    getSelection().selectAllChildren(control)
  }

  const setText = (control, text) => {
    if (control.matches("input, textarea")) {
      // A script may set more than a user can type.
      set(control, "value", text.slice(0, limitOf(control)))
      return events(control, "input", "change")
    }
    selectAll(control)
    document.execCommand(text ? "insertText" : "delete", false, text)
  }

  const texts = ["text", "search", "url", "tel", "email", "password", "textarea"]
  /** How many characters a user can type into a control. */
  const limitOf = (control) => texts.includes(control.type) && control.maxLength >= 0 ? control.maxLength : Infinity

  /** What an `<input>` of this type makes of a text by itself, whatever the scripts of the page do. */
  const sanitized = (control, text) => {
    if (!control.matches("input")) return text
    const copy = document.createElement("input")
    for (const name of ["type", "min", "max", "step", "multiple"]) {
      if (control.hasAttribute(name)) copy.setAttribute(name, control.getAttribute(name))
    }
    set(copy, "value", text)
    return copy.value
  }

  /** What an `<input>` takes. */
  const takes = ({ type, min, max, step }) => ({
    color: "a colour such as #ff8800", date: "a date such as 2001-02-03", time: "a time such as 10:30",
    "datetime-local": "a date and a time such as 2001-02-03T10:30", month: "a month such as 2001-02",
    week: "a week such as 2001-W05", number: "a number such as 1.5",
    range: `a number from ${min || 0} to ${max || 100} in steps of ${step || 1}`
  })[type] ?? (["email", "url"].includes(type) ? "one line without spaces around it" : "one line")

  /**
   * Compares what a control holds with the text that it was filled with. What the control itself cuts or changes is a
   * reason to fail, because no user can enter it. What a script of the page changes, as it formats a number, is not.
   * The names of the members keep the texts out of the log.
   * @returns {{ secretReason?: string, secretNote?: string }}
   */
  const kept = (control, text) => {
    const now = value(control)
    const wanted = control.type === "color" ? text.toLowerCase() : text
    if (now === wanted || control.isContentEditable && now === collapse(text)) return {}
    const limit = limitOf(control)
    if (text.length > limit) {
      const held = `${now.length} of ${text.length} characters, because of maxlength=${limit}`
      return { secretReason: `${describe(control)} holds ${held}: fill it with at most ${limit}` }
    }
    const isSecret = control.type === "password"
    if (sanitized(control, wanted) !== wanted) {
      const difference = isSecret ? "it holds another text" : `expected ${quote(text)}, but it holds ${quote(now)}`
      return { secretReason: `${difference}: ${describe(control)} of type ${control.type} takes ${takes(control)}` }
    }
    return { secretNote: `the page changed the text in ${describe(control)}${isSecret ? "" : ` to ${quote(now)}`}` }
  }

  const buttons = "button, summary, input[type=submit], input[type=button], input[type=reset], input[type=image]"
  /** What a key activates that has the focus. */
  const activatable = {
    " ": `${buttons}, input[type=checkbox], input[type=radio]`, Enter: `${buttons}, a[href]`
  }
  /** What a key does in a page that gets no real keys, if no listener prevents it. */
  const defaults = {
    Enter: (element) => {
      if (element.matches("textarea") || element.isContentEditable) insert(element, "\n")
      else if (element.matches(activatable.Enter)) element.click()
      else if (element.form) element.form.requestSubmit(element.form.querySelector("[type=submit], button:not([type])"))
    },
    Backspace: (element) => {
      if (element.isContentEditable) return document.execCommand("delete")
      if (!element.matches("input, textarea")) return
      set(element, "value", [...element.value].slice(0, -1).join(""))
      events(element, "input")
    },
    " ": (element) => element.matches(activatable[" "]) ? element.click() : insert(element, " ")
  }
  const insert = (element, text) => {
    if (element.isContentEditable) return document.execCommand("insertText", false, text)
    if (whyNoText(element) || element.value.length >= limitOf(element)) return
    set(element, "value", element.value + text)
    const init = { bubbles: true, composed: true, data: text, inputType: "insertText" }
    element.dispatchEvent(new InputEvent("input", init))
  }
  /**
   * Whether a browser would do something with a real key that a script cannot do. Outside of fields, arrows and
   * `Delete` are mostly for listeners.
   */
  const needsRealKey = (key, element) => {
    if (key === "Escape") return document.querySelector("dialog:modal") !== null
    const isField = element.isContentEditable || element.matches("input, select, textarea")
    return isField || !(key === "Delete" || key.startsWith("Arrow"))
  }
  /** The element that has the focus, also in an open shadow tree. */
  const focused = () => {
    let element = document.activeElement ?? document.body
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element
  }

  /** @returns {Outcome} */
  const press = (key) => {
    const element = focused()
    const init = { key, bubbles: true, cancelable: true, composed: true }
    let lacks = false
    if (element.dispatchEvent(new KeyboardEvent("keydown", init))) {
      if (key in defaults) defaults[key](element)
      else if ([...key].length === 1) insert(element, key)
      else lacks = needsRealKey(key, element)
    }
    element.dispatchEvent(new KeyboardEvent("keyup", init))
    return lacks ? { reason: `with the script tag there is no real ${key} key; drive the browser` } : {}
  }

  /** @param {boolean} isPressed Whether a button of the mouse is down. */
  const mouse = (element, isPressed, ...types) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const init = {
      cancelable: true, composed: true, view: window, clientX: left + width / 2, clientY: top + height / 2,
      buttons: isPressed ? 1 : 0
    }
    for (const type of types) {
      const make = type.startsWith("pointer") ? PointerEvent : MouseEvent
      if (!type.endsWith("enter")) {
        element.dispatchEvent(new make(type, { ...init, bubbles: true }))
        continue
      }
      // The pointer enters all elements around this one, the outermost first.
      const entered = []
      for (let around = element; around; around = parentOf(around)) entered.unshift(around)
      for (const around of entered) around.dispatchEvent(new make(type, { ...init, cancelable: false }))
    }
  }

  const setFiles = (input, files) => {
    const transfer = new DataTransfer()
    for (const { name, type, data } of files) {
      transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name, { type }))
    }
    input.files = transfer.files
    events(input, "input", "change")
  }

  /** How many keys the user has let go, the last of these events, and whether a click followed from one. */
  let [keysUp, lastKey, hasClicked] = [0, null, false]
  const noteKey = (event) => {
    if (!event.isTrusted) return
    if (event.type === "click") hasClicked = true
    else if (event.type === "keydown") lastKey = event
    else keysUp += 1
  }

  return {
    find, describe, whyDisabled, parentOf,

    /**
     * Waits until an element is as expected.
     * @param {Target} target @param {Expected} expected @param {number} milliseconds
     */
    expectElement: (target, expected, milliseconds) => waitFor(milliseconds, () => asOutcome(unmet(target, expected))),

    /**
     * Waits until the page shows a text.
     * @param {string} text @param {number} milliseconds
     */
    expectText(text, milliseconds) {
      let count = 0
      return waitFor(milliseconds, (isLast) => asOutcome(unmetText(text, isLast || count++ % 8 === 0)))
    },

    /**
     * The names of what a user can tap on or fill.
     * @returns {string[]}
     */
    usable: () => {
      const usable = "a[href], button, input, select, textarea, summary, [role=button], [contenteditable=true]"
      return shown(document, usable).map((element) => name(element) || element.name || "").filter(Boolean)
    },

    /** How a person would name an element. */
    names: (element) => ({ role: role(element), name: name(element), label: label(element), text: textOf(element) }),

    /**
     * Clicks on an element by a script.
     * @param {Target} target @param {number} milliseconds
     */
    click: (target, milliseconds) => until(target, milliseconds, (element) => {
      const reason = whyNotUsable(element)
      if (reason) return { reason }
      element.click()
      return null
    }),

    scrollTo: (target, milliseconds) => until(target, milliseconds, (element) => {
      if (element.getClientRects().length === 0) return { reason: "it is hidden" }
      element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
      return null
    }),

    /**
     * Gives an element the focus by a script. The daemon taps on a field that did not have it.
     * @param {Target} target @param {number} milliseconds
     */
    async focus(target, isTyping, milliseconds) {
      let [isField, hadFocus] = [false, false]
      const outcome = await until(target, milliseconds, (element) => {
        const control = controlOf(element)
        const reason = isTyping ? whyNoText(control) : null
        if (reason) return { reason }
        const hasFocus = () => control.getRootNode().activeElement === control
        hadFocus = hasFocus()
        isField = isEditable(control) && !(control.type in steps) && !untyped.includes(control.type)
        if (!hadFocus) control.focus()
        return hasFocus() ? null : { reason: `${describe(control)} takes no focus` }
      })
      return { ...outcome, isField, hadFocus }
    },

    /**
     * Waits until a text can be typed into an element. The text itself is set if nobody can type it, as into
     * `<input type=date>`, or if no keys come from the browser.
     * @param {boolean} isTyped Whether the browser is to type it.
     * @returns {Promise<Outcome & { kept?: { secretReason?: string, secretNote?: string } }>} `kept` if it has been set
     */
    async fill(target, text, isTyped, milliseconds) {
      let result
      const outcome = await until(target, milliseconds, (element) => {
        const control = controlOf(element)
        const reason = whyNoText(control) ?? (isVisible(control) ? null : "it is hidden")
        if (reason) return { reason }
        if (isTyped && !untyped.includes(control.type)) return null
        const wanted = untyped.includes(control.type) ? text.trim() : text
        control.focus({ preventScroll: true })
        setText(control, wanted)
        result = kept(control, wanted)
        return null
      })
      return { ...outcome, kept: result }
    },

    /** Puts the caret behind what a field contains. Some types of `<input>` do not say where their caret is. */
    moveCaretToEnd(target) {
      const element = find(target)
      const control = element && controlOf(element)
      if (control?.isContentEditable) {
        getSelection().selectAllChildren(control)
        getSelection().collapseToEnd()
      } else if (texts.includes(control?.type) && control.selectionEnd !== null) {
        control.setSelectionRange(control.value.length, control.value.length)
      }
      return {}
    },

    /** Selects the contents of an element, so that typing replaces them, and returns them. */
    selectAll(target) {
      const element = find(target)
      if (!element) return { isMissing: true }
      const control = controlOf(element)
      selectAll(control)
      return { secretText: value(control) }
    },

    /**
     * Waits until an element has the text that was typed, or what it or the page has made of it.
     * @param {string} former What it contained before.
     */
    async typed(target, text, former, milliseconds) {
      let [last, since, result] = [former, 0, {}]
      const outcome = await until(target, milliseconds, (element) => {
        const control = controlOf(element)
        const now = value(control)
        since = now === last ? since + 1 : 0
        last = now
        result = kept(control, text)
        const isChanged = now !== former || "secretReason" in result
        if (Object.keys(result).length === 0 || isChanged && since > 12) return null
        return { reason: "typing changed nothing" }
      })
      return { ...result, ...outcome }
    },

    watchKeys() {
      [keysUp, lastKey, hasClicked] = [0, null, false]
      for (const type of ["keydown", "keyup", "click"]) addEventListener(type, noteKey, true)
    },

    /** Waits until so many keys have arrived, and returns how many have. */
    async countKeys(count, milliseconds) {
      await waitFor(milliseconds, () => keysUp >= count ? null : {})
      return { count: keysUp }
    },

    async keysArrived(count, milliseconds) {
      await waitFor(milliseconds, () => keysUp >= count ? null : { isMissing: true })
      for (const type of ["keydown", "keyup", "click"]) removeEventListener(type, noteKey, true)
      // The document in a frame gets its keys itself.
      if (!lastKey) return document.activeElement?.localName === "iframe" ? {} : { reason: "the page got no key" }
      const { key, target, defaultPrevented } = lastKey
      // Firefox without a window has no focus, and then a key activates no button.
      if (document.hasFocus() || hasClicked || defaultPrevented) return {}
      if (activatable[key] && target.matches?.(activatable[key])) target.click()
      return {}
    },

    /** Whether an element is dragged by the browser itself, as `draggable` says. */
    async isDraggable(target, milliseconds) {
      let isDraggable = false
      const outcome = await until(target, milliseconds, (element) => {
        isDraggable = element.closest("[draggable=true]") !== null
      })
      return { ...outcome, isDraggable }
    },

    /** Selects the options of a `<select>` with these labels or values, and no others. */
    select: (target, options, milliseconds) => until(target, milliseconds, (element) => {
      const list = controlOf(element)
      if (list.tagName !== "SELECT") return { reason: `it is ${describe(list)}, and no <select>` }
      if (!isEnabled(list)) return { reason: "it is disabled" }
      if (![list, ...list.labels].some(isVisible)) return { reason: "it is hidden" }
      if (!list.multiple && options.length > 1) return { reason: "it takes one option only" }
      const all = [...list.options]
      const chosen = options.map((text) => all.find((option) => [collapse(option.label), option.value].includes(text)))
      const missing = options.find((_, index) => !chosen[index])
      if (missing !== undefined) {
        const others = all.slice(0, 20).map((option) => quote(collapse(option.label))).join(", ")
        return { reason: `it has no option ${quote(missing)}, but ${others || "none"}` }
      }
      const disabled = chosen.find((option) => option.matches(":disabled"))
      if (disabled) return { reason: `its option ${quote(collapse(disabled.label))} is disabled` }
      list.focus({ preventScroll: true })
      for (const option of all) option.selected = chosen.includes(option)
      events(list, "input", "change")
      return null
    }),

    /** Waits for an element. */
    appears: (target, milliseconds) => until(target, milliseconds, () => null),

    /** Waits for a check box, radio button or switch, and returns whether it is checked. */
    async checked(target, milliseconds) {
      let state = {}
      const outcome = await until(target, milliseconds, (element) => {
        const control = controlOf(element)
        if (!control.matches(checkable)) return { reason: `${describe(control)} is no check box, radio button or switch` }
        state = { isChecked: isChecked(control), isRadio: control.type === "radio" || role(control) === "radio" }
        return null
      })
      return { ...outcome, ...state }
    },

    /** Waits until a check box is checked, or is not. */
    becomes: (target, isExpected, milliseconds) => until(target, milliseconds, (element) =>
      isChecked(controlOf(element)) === isExpected ? null : { reason: "it stays as it was when it is tapped" }),

    /** Gives an `<input type=file>` files, whose contents are in Base64. */
    setFiles: (target, files, milliseconds) => until(target, milliseconds, (element) => {
      const input = controlOf(element)
      if (!input.matches("input[type=file]")) return { reason: `it is ${describe(input)}, and no <input type=file>` }
      if (!isEnabled(input)) return { reason: "it is disabled" }
      if (files.length > 1 && !input.multiple) return { reason: "it takes one file only" }
      setFiles(input, files)
    }),

    /** Takes the files away that an `<input type=file>` has. */
    clearFiles(target) {
      const input = find(target)
      const control = input && controlOf(input)
      if (control?.files?.length > 0) set(control, "value", "")
      return {}
    },

    /** Waits until an `<input type=file>` has so many files. */
    hasFiles: (target, count, milliseconds) => until(target, milliseconds, (element) => {
      const { files } = controlOf(element)
      if (!files) return { reason: `it is ${describe(controlOf(element))}, and no <input type=file>` }
      return files.length === count ? null : { reason: `it has ${files.length} files` }
    }),

    // What only a page with the script tag needs: it gets no real input.

    /** Types a text with one event for each character. */
    type(text) { for (const character of text) press(character === "\n" ? "Enter" : character) },
    press,
    hover: (target, milliseconds) => until(target, milliseconds, (element) => {
      if (!isVisible(element)) return { reason: "it is hidden" }
      mouse(
        element, false, "pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove")
    }),
    async drag(from, to, milliseconds) {
      let start = null
      const outcome = await until(from, milliseconds, (element) => { start = element })
      if (!start) return outcome
      return await until(to, milliseconds, (end) => {
        const dataTransfer = new DataTransfer()
        const drag = (element, type) => element.dispatchEvent(
          new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer }))
        mouse(start, true, "pointerdown", "mousedown", "pointermove", "mousemove")
        if (start.closest("[draggable=true]") && drag(start, "dragstart")) {
          drag(end, "dragenter")
          drag(end, "dragover")
          drag(end, "drop")
          drag(start, "dragend")
        } else {
          mouse(end, true, "pointermove", "mousemove")
          mouse(end, false, "pointerup", "mouseup")
        }
      })
    }
  }
})()
