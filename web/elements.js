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

  const collapse = (text) => (text ?? "").replace(/\s+/g, " ").trim()
  const textOf = (element) => collapse(element?.innerText ?? element?.textContent)
  /** Whether an element has a text: as it is written, or as a style such as `uppercase` shows it. */
  const hasText = (element, text) => textOf(element) === text || collapse(element.textContent) === text

  // ---- Roles and names ----

  const roles = {
    ARTICLE: "article", ASIDE: "complementary", BUTTON: "button", DIALOG: "dialog", FIELDSET: "group", FORM: "form",
    H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading", HR: "separator",
    IMG: "img", LI: "listitem", MAIN: "main", NAV: "navigation", OL: "list", OPTION: "option", OUTPUT: "status",
    PROGRESS: "progressbar", SUMMARY: "button", TABLE: "table", TD: "cell", TEXTAREA: "textbox", TH: "columnheader",
    TR: "row", UL: "list"
  }
  const rolesOfInputs = {
    button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
    number: "spinbutton", range: "slider", search: "searchbox"
  }

  const role = (element) => {
    const given = element.getAttribute("role")
    if (given) return given.trim().split(/\s+/)[0]
    if (element.matches("a[href], area[href]")) return "link"
    if (element.tagName === "INPUT") return rolesOfInputs[element.type] ?? "textbox"
    if (element.tagName === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox"
    return roles[element.tagName]
  }

  const byIds = (element, attribute) => collapse((element.getAttribute(attribute) ?? "").split(/\s+/)
    .map((id) => id && textOf(element.getRootNode().getElementById?.(id))).join(" "))

  /** The texts of a label: as it is shown, and without its own controls and the mark of a required field. */
  const labelTexts = (label) => {
    let text = ""
    const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest("select, textarea, script, style")) text += walker.currentNode.data
    }
    const plain = collapse(text)
    let end = plain.length
    while (end > 0 && "*: ".includes(plain[end - 1])) end -= 1
    return [textOf(label), plain, plain.slice(0, end)]
  }

  const label = (element) => collapse(element.getAttribute("aria-label")) || byIds(element, "aria-labelledby")
    || (element.labels?.[0] ? labelTexts(element.labels[0])[1] : "")

  const isLabelled = (element, text) => collapse(element.getAttribute("aria-label")) === text
    || byIds(element, "aria-labelledby") === text
    || [...element.labels ?? []].some((label) => labelTexts(label).includes(text))

  /** What an element contains, as far as that names it. */
  const content = (element) => {
    if (element.matches("input[type=button], input[type=submit], input[type=reset]")) return element.value
    return element.matches("input, select, textarea") ? "" : textOf(element)
  }
  const name = (element) => label(element) || element.alt || content(element)
    || element.querySelector?.("img[alt]")?.alt || collapse(element.title) || element.placeholder || ""

  // ---- Finding ----

  const isShown = (element) => element.getClientRects().length > 0

  /** The elements that match, also those in open shadow trees if there are no others. */
  const select = (selector, root) => {
    const found = [...root.querySelectorAll(selector)]
    if (found.length > 0) return found
    return [...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ? select(selector, shadowRoot) : [])
  }

  /** All elements that are shown, also those in open shadow trees. */
  const shown = (root, selector = "*") => [...root.querySelectorAll("*")].flatMap((element) => {
    const inner = element.shadowRoot ? shown(element.shadowRoot, selector) : []
    return element.matches(selector) && isShown(element) ? [element, ...inner] : inner
  })

  const candidates = (target, root) => {
    if (target.css !== undefined) return select(target.css, root)
    if (target.testId !== undefined) {
      return shown(root, "[data-testid]").filter((e) => e.dataset.testid === target.testId)
    }
    if (target.placeholder !== undefined) {
      return shown(root, "[placeholder]").filter((e) => collapse(e.getAttribute("placeholder")) === target.placeholder)
    }
    if (target.label !== undefined) {
      const controls = "input, select, textarea, button, meter, progress, output"
      return shown(root, `${controls}, [role], [contenteditable], [aria-label]`)
        .filter((e) => isLabelled(e, target.label))
    }
    if (target.role !== undefined) {
      return shown(root).filter((element) => role(element) === target.role
        && (target.name === undefined || name(element) === target.name || hasText(element, target.name)))
    }
    const found = shown(root).filter((element) => element !== document.documentElement && element !== document.body
      && (hasText(element, target.text) || element.matches("input") && content(element) === target.text))
    // The innermost elements with the text.
    const around = new Set()
    for (const element of found) {
      let outer = element.parentElement
      for (; outer && !around.has(outer); outer = outer.parentElement) around.add(outer)
    }
    return found.filter((element) => !around.has(element))
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
    if (getComputedStyle(element).visibility !== "visible") return false
    const boxes = [...element.getClientRects()]
    if (boxes.length === 0) return [...element.children].some(isVisible)
    return boxes.some(({ width, height }) => width > 0 && height > 0)
  }
  const isEnabled = (element) => !element.matches(":disabled") && !element.closest("[aria-disabled=true]")
  /** Why a user cannot tap on an element; null if that is possible. A label may stand for a hidden control. */
  const whyNotUsable = (element) => {
    const control = element.closest("label")?.control ?? element
    if (!isEnabled(control)) return control === element ? "it is disabled" : `${describe(control)} is disabled`
    return [element, ...element.labels ?? []].some(isVisible) ? null : "it is hidden"
  }
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
    if (enabled !== undefined && isEnabled(element) !== enabled) return enabled ? "it is disabled" : "it is enabled"
    if (checked !== undefined && isChecked(element) !== checked) return checked ? "it is not checked" : "it is checked"
    const isOption = element.tagName === "SELECT"
      && [...element.selectedOptions].some((option) => option.value === expected)
    if (expected !== undefined && value(element) !== expected && !isOption) {
      return element.type === "password" ? "its value is another one" : `its value is ${quote(value(element))}`
    }
    const texts = [textOf(element), collapse(element.textContent)]
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

  /** Says what the page shows instead of a text; null if it shows the text. */
  const unmetText = (text) => {
    const shown = textOf(document.body)
    return shown.includes(collapse(text)) ? null : `the page shows ${quote(shown, 2000)}`
  }

  /** @param {string | null} reason @returns {Outcome | null} */
  const asOutcome = (reason) => reason === null ? null : { reason }

  // ---- Changing ----

  // A page may have replaced its timers and clock by ones that only its test moves on.
  const after = (milliseconds, next) => { AbortSignal.timeout(milliseconds).onabort = next }

  /**
   * Waits for a condition.
   * @param {() => Outcome | null} attempt
   * @returns {Promise<Outcome>}
   */
  const waitFor = async (milliseconds, attempt) => {
    let isOver = milliseconds <= 0
    if (!isOver) after(milliseconds, () => { isOver = true })
    for (;;) {
      const outcome = attempt()
      if (!outcome) return {}
      if (isOver) return outcome
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
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), property).set.call(element, value)
  }

  const untyped = ["color", "date", "datetime-local", "month", "range", "time", "week"]
  const steps = {
    checkbox: "check or uncheck", radio: "check", file: "choose file", button: "tap", submit: "tap", reset: "tap",
    image: "tap"
  }
  /** The control that an element is, or that it is the label of. */
  const controlOf = (element) => element.closest("label")?.control ?? element
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

  /** What a key activates that has the focus. */
  const activatable = {
    " ": "button, summary, input[type=checkbox], input[type=radio]", Enter: "button, summary, a[href]"
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
      set(element, "value", element.value.slice(0, -1))
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
  /** @returns {Outcome} */
  const press = (key) => {
    const element = document.activeElement ?? document.body
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

  const mouse = (element, ...types) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const init = {
      bubbles: true, cancelable: true, composed: true, view: window,
      clientX: left + width / 2, clientY: top + height / 2,
      buttons: types.includes("mouseup") ? 0 : 1
    }
    for (const type of types) {
      element.dispatchEvent(new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, init))
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
    find, describe,

    /**
     * Waits until an element is as expected.
     * @param {Target} target @param {Expected} expected @param {number} milliseconds
     */
    expectElement: (target, expected, milliseconds) => waitFor(milliseconds, () => asOutcome(unmet(target, expected))),

    /**
     * Waits until the page shows a text.
     * @param {string} text @param {number} milliseconds
     */
    expectText: (text, milliseconds) => waitFor(milliseconds, () => asOutcome(unmetText(text))),

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
      if (!list.multiple && options.length > 1) return { reason: "it takes one option only" }
      const all = [...list.options]
      const chosen = options.map((text) => all.find((option) => [collapse(option.label), option.value].includes(text)))
      const missing = options.find((_, index) => !chosen[index])
      if (missing !== undefined) {
        const others = all.slice(0, 20).map((option) => quote(collapse(option.label))).join(", ")
        return { reason: `it has no option ${quote(missing)}, but ${others || "none"}` }
      }
      const disabled = chosen.find((option) => option.disabled)
      if (disabled) return { reason: `its option ${quote(collapse(disabled.label))} is disabled` }
      list.focus({ preventScroll: true })
      for (const option of all) option.selected = chosen.includes(option)
      events(list, "input", "change")
      return null
    }),

    /** Whether a check box, radio button or switch is checked. */
    checked(target) {
      const element = find(target)
      if (!element) return { isMissing: true }
      const control = controlOf(element)
      const isBox = control.matches("input[type=checkbox], input[type=radio], [aria-checked]")
      if (!isBox) return { reason: `${describe(control)} is no check box, radio button or switch` }
      return { isChecked: isChecked(control), isRadio: control.type === "radio" || role(control) === "radio" }
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
      mouse(element, "pointerover", "mouseover", "pointermove", "mousemove")
    }),
    async drag(from, to, milliseconds) {
      let start = null
      const outcome = await until(from, milliseconds, (element) => { start = element })
      if (!start) return outcome
      return await until(to, milliseconds, (end) => {
        const dataTransfer = new DataTransfer()
        const drag = (element, type) => element.dispatchEvent(
          new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer }))
        mouse(start, "pointerdown", "mousedown", "pointermove", "mousemove")
        if (start.closest("[draggable=true]") && drag(start, "dragstart")) {
          drag(end, "dragenter")
          drag(end, "dragover")
          drag(end, "drop")
          drag(start, "dragend")
        } else {
          mouse(end, "pointermove", "mousemove", "pointerup", "mouseup")
        }
      })
    }
  }
})()
