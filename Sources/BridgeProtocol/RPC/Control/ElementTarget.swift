/// How a test names an element of the page: as its user does, or with a CSS selector. It means the first one that fits and
/// is shown.
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
    package static let finder = #"""
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
    package var expression: String { JavaScriptCall(ElementTarget.finder, argument).source }

    private var argument: any JavaScriptConvertible {
        switch self {
        case .css(let selector): selector
        default: ScriptValue(json)
        }
    }

    package var json: JSONValue {
        switch self {
        case .css(let selector): .string(selector)
        case .role(let role, let name): ["role": .string(role), "name": .string(name)]
        case .label(let text): ["label": .string(text)]
        case .text(let text): ["text": .string(text)]
        case .testID(let id): ["testId": .string(id)]
        }
    }

    /// - Returns: nil unless the members name an element in exactly one way.
    package init?(role: String?, name: String?, label: String?, text: String?, testID: String?) {
        switch (role, name, label, text, testID) {
        case (let role?, let name?, nil, nil, nil): self = .role(role, name: name)
        case (nil, nil, let label?, nil, nil): self = .label(label)
        case (nil, nil, nil, let text?, nil): self = .text(text)
        case (nil, nil, nil, nil, let id?): self = .testID(id)
        default: return nil
        }
    }

    /// Reads what ``json`` writes.
    package init?(_ json: JSON) {
        if let selector = json.string {
            self = .css(selector)
            return
        }
        self.init(
            role: json["role"]?.string, name: json["name"]?.string, label: json["label"]?.string,
            text: json["text"]?.string, testID: json["testId"]?.string)
    }
}

extension ParamType where Value == ElementTarget {
    static let element = ParamType(
        ["type": ["string", "object"]],
        expectation: "a CSS selector, {role, name}, {label}, {text} or {testId}", sample: .css("")
    ) { ElementTarget($0) }
}

extension ElementTarget: CustomStringConvertible {
    public var description: String {
        if case .css(let selector) = self { selector } else { json.text }
    }
}
