import BridgeProtocol
import BridgeYAML

/// How a step of a flow names an element of the page: as its user does, or with a CSS selector. It means the first one that
/// fits and is shown.
public enum ElementTarget: Sendable, Equatable {
    case css(String)
    /// An ARIA role, such as `button`, and the accessible name.
    case role(String, name: String)
    /// The text of a form control's label.
    case label(String)
    /// The whole text of the element.
    case text(String)
    /// The attribute `data-testid`.
    case testID(String)
}

extension ElementTarget {
    /// A JavaScript function that finds the element of a target in its JSON form.
    static let finder = #"""
        ((target) => {
          const text = (element) => (element?.innerText ?? element?.textContent ?? "").replace(/\s+/g, " ").trim()
          const roles = { BUTTON: "button", SUMMARY: "button", SELECT: "combobox", TEXTAREA: "textbox" }
          const inputs = {
            button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
            range: "slider"
          }
          const role = (element) => element.getAttribute("role") ?? (element.matches("a[href]") ? "link"
            : element.tagName === "INPUT" ? inputs[element.type] ?? "textbox" : roles[element.tagName])
          const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "").split(" ")
            .map((id) => text(document.getElementById(id))).join(" ").trim()
          const label = (element) =>
            element.getAttribute("aria-label") || labelled(element) || text(element.labels?.[0])
          const name = (element) => label(element) ||
            (element.tagName === "INPUT" ? element.alt || element.value : text(element)) ||
            element.querySelector?.("img[alt]")?.alt || element.title
          const isShown = (element) => element.getClientRects().length > 0
          const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown)
          if (typeof target === "string") return document.querySelector(target)
          if (target.describe) return { role: role(target.describe), name: name(target.describe), label: label(target.describe),
            text: text(target.describe) }
          if (target.testId !== undefined) return all("[data-testid]").find((e) => e.dataset.testid === target.testId) ?? null
          if (target.label !== undefined) {
            return all("input, select, textarea, button, [role]").find((e) => label(e) === target.label) ?? null
          }
          if (target.role !== undefined) {
            return all("*").find((e) => role(e) === target.role && name(e) === target.name) ?? null
          }
          // The innermost element with the text, which comes last.
          const found = all("body *").filter((e) => text(e) === target.text)
          return found.find((e) => !found.some((other) => other !== e && e.contains(other))) ?? null
        })
        """#

    /// A JavaScript expression for the element; null if there is none.
    var expression: String { JavaScriptCall(ElementTarget.finder, argument).source }

    private var argument: any JavaScriptConvertible {
        switch self {
        case .css(let selector): selector
        default: ScriptValue(json)
        }
    }

    var json: JSONValue {
        switch self {
        case .css(let selector): .string(selector)
        case .role(let role, let name): ["role": .string(role), "name": .string(name)]
        case .label(let text): ["label": .string(text)]
        case .text(let text): ["text": .string(text)]
        case .testID(let id): ["testId": .string(id)]
        }
    }

    /// Reads a CSS selector, `{role, name}`, `{label}`, `{text}` or `{testId}`.
    init(_ value: YAMLValue) throws(YAMLError) {
        if case .scalar = value.content {
            self = .css(try value.text())
            return
        }
        let members = try value.members(["role", "name", "label", "text", "testId"])
        func text(_ key: String) throws(YAMLError) -> String? { try members[key]?.text() }
        switch (try text("role"), try text("name"), try text("label"), try text("text"), try text("testId")) {
        case (let role?, let name?, nil, nil, nil): self = .role(role, name: name)
        case (nil, nil, let label?, nil, nil): self = .label(label)
        case (nil, nil, nil, let text?, nil): self = .text(text)
        case (nil, nil, nil, nil, let id?): self = .testID(id)
        default:
            throw value.error(
                """
                An element is a CSS selector, or one of {role: button, name: Save}, {label: Email}, {text: Sign in} and \
                {testId: save}.
                """)
        }
    }
}

extension ElementTarget: CustomStringConvertible {
    public var description: String {
        if case .css(let selector) = self { selector } else { json.text }
    }
}
