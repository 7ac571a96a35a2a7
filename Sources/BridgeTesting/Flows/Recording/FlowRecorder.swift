import BridgeProtocol
public import BridgeServer
import BridgeTraffic
public import EmulatedApp
import WebFiles

/// Records a flow while a person uses a browser: the pages that are opened, what the person taps, types and chooses, what
/// the app's user does, the messages that pages post, and the screens that visits end on.
@MainActor public final class FlowRecorder {
    /// The handler that receives what the person does in pages. Its messages do not become `expect message` steps.
    private static let handler = "bridgedFlowRecorder"
    private var steps: [RecordedStep] = []
    /// The variables that stand for what is not recorded, such as `PASSWORD`.
    public private(set) var variables: [String] = []
    /// Whether `noted` knows the last step.
    private var isLastNoted = true
    /// Whether the person did something since the last page attached, or a page was attached at the beginning. Then that
    /// opens the next page, so that page does not become an `open` step.
    private var hasActed = false
    /// Whether a visit has ended since the person did something. The flow waits for its screen before it does what follows.
    private var hasVisited = false
    private let server: BridgeServer
    private let noted: @MainActor (String) -> Void

    private weak var app: EmulatedApp?

    /// Begins to record, in the pages that are attached and in those that load later.
    /// - Parameter noted: is called with each recorded step, as YAML.
    public init(_ server: BridgeServer, _ app: EmulatedApp? = nil, noted: @escaping @MainActor (String) -> Void) {
        self.server = server
        self.app = app
        self.noted = noted
        app?.willAct = { [weak self] in self?.noteScreen() }
        app?.onAction = { [weak self] name, arguments in self?.add(name, arguments) }
        server.addHandler(FlowRecorder.handler, .plain { _, _ in .handled })
        server.defaultScope.userScripts.append(
            UserScript(source: FlowRecorder.script, injectionTime: .atDocumentStart, forMainFrameOnly: true))
        server.traffic.observe { [weak self] record in self?.add(record) }
        for page in server.pages where page.frame.isMainFrame && page.isAttached {
            page.evaluate(FlowRecorder.script) { _ in }
            hasActed = true
        }
    }

    public var stepCount: Int { steps.count }

    /// Notes what was waiting for more: the text of a field, and the screen that a visit has led to.
    public func finish() {
        noteScreen()
        tellLast()
    }

    /// The flow as YAML.
    public func flow(named name: String) -> String {
        finish()
        let env = variables.map {
            "  \($0): # It is not recorded. Give it with --env \($0)=…, or set it in the environment.\n"
        }
        return "name: \(name.text)\n" + (env.isEmpty ? "" : "env:\n" + env.joined()) + "steps:\n"
            + steps.map { "  - \($0.text)\n" }.joined()
    }

    private func note(_ step: RecordedStep) {
        tellLast()
        steps.append(step)
        isLastNoted = false
        // The person may go on to type into a field.
        if step.field == nil { tellLast() }
    }

    private func note(_ step: String) { note(RecordedStep(text: escaped(step))) }

    private func tellLast() {
        if !isLastNoted, let last = steps.last { noted(last.text) }
        isLastNoted = true
    }

    /// A text in which nothing is a variable.
    private func escaped(_ step: String) -> String { server.traffic.withoutTokens(step).replacing("${", with: "$${") }

    // MARK: The person

    /// Notes an action of the app's user.
    private func add(_ name: String, _ arguments: Action.Arguments) {
        hasActed = true
        let texts = arguments.sorted { $0.key < $1.key }.map { key, value in
            let isSecret = server.traffic.redaction.covers(key)
            return JSONValue.Member(key, .string(isSecret ? variable(key.uppercased()) : escaped(value)))
        }
        let members = [.init("action", .string(name))] + texts
        note(RecordedStep(text: "perform: \(JSONValue.object(members).text)"))
    }

    /// Notes what the person did in a page, as the script below tells it.
    private func add(_ input: JSON) {
        if input["leftField"] != nil { return tellLast() }
        noteScreen()
        hasActed = true
        if let field = input["fill"] { return fill(RecordedStep.sorted(JSONValue(field)), input) }
        for action in ["tap", "check", "uncheck", "press", "select", "choose file"] {
            guard let argument = input[action] else { continue }
            let step = RecordedStep(
                text: escaped("\(action): \(RecordedStep.sorted(JSONValue(argument)).text)"), isInput: true)
            // The step chooses the files itself, without the panel that the page has opened after a tap.
            if input["wasOpenedByPage"]?.bool == true, steps.last?.text.hasPrefix("tap: ") == true {
                steps.removeLast()
            }
            note(step)
        }
    }

    /// Notes what a field contains, in place of what it contained one key before.
    private func fill(_ field: JSONValue, _ input: JSON) {
        if let last = steps.lastIndex(where: \.isInput), steps[last].field == field,
            steps[last...].dropFirst().allSatisfy({ $0.text.hasPrefix("expect message") })
        {
            // What the page posted for a part of the text does not come again.
            steps.removeSubrange(last...)
            isLastNoted = true
        } else if steps.last?.text == escaped("tap: \(field.text)") {
            // To fill a field is to tap on it, too.
            steps.removeLast()
        }
        let element = field.members ?? [.init("css", field)]
        let members = element.map { JSONValue.Member($0.key, .string(escaped($0.value.string ?? ""))) }
        let text = input["variable"]?.string.map(variable) ?? escaped(input["with"]?.string ?? "")
        let object = JSONValue.object(members + [.init("with", .string(text))])
        note(RecordedStep(text: "fill: \(object.text)", field: field, isInput: true))
    }

    /// The text that stands for a secret.
    private func variable(_ name: String) -> String {
        if !variables.contains(name) { variables.append(name) }
        return "${\(name)}"
    }

    // MARK: What follows

    /// Notes the screen on which a visit has ended, so that the flow waits for it. It has its title only some time after
    /// the visit, so that it is noted when the person goes on.
    private func noteScreen() {
        guard hasVisited, let title = app?.visibleScreen?.title, app?.isLoading == false else { return }
        hasVisited = false
        let state: JSONValue = ["title": .string(title), "isLoading": false]
        note("expect app: \(state.text)")
    }

    /// A field of the same name on the next screen is another one.
    private func endField() {
        if let last = steps.lastIndex(where: \.isInput) { steps[last].field = nil }
    }

    private func add(_ record: TrafficRecord) {
        switch record.event {
        // The app opens the windows of its other web views itself, and an empty document is no page.
        case .page(.attached) where record.webView == "main" && record.url != "about:blank":
            endField()
            if !hasActed { note("open: \(address(record.url ?? "").text)") }
            hasActed = false
        case .message(FlowRecorder.handler, _, let body, _, _): add(body.json)
        case .app("visitCompleted", _):
            hasVisited = true
            endField()
        // A step that chooses files opens no panel in some browsers.
        case .message(let handler, _, _, _, _) where Dialog.Kind(handler: handler) == .openPanel: break
        // The messages between Turbo and the app differ from run to run.
        case .message("turbo", _, _, _, _), .message("TurboSession", _, _, _, _): break
        // A component's message has another id in each run.
        case .message(_, _, let body, _, _) where body.child("component")?.string != nil:
            let names = ["component", "event"].compactMap { key in
                body.child(key)?.string.map { JSONValue.Member(key, .string($0)) }
            }
            note("expect message: \(JSONValue.object(names).text)")
        case .message(let handler, _, _, _, _) where Bridge.handlers.contains(handler) || handler.hasSuffix("Native"):
            break
        case .message(let handler, let name, let body, _, _):
            let match = RecordedStep.match(
                server.traffic.redaction.redacted(body) == body ? JSONValue(body.json) : .null)
            let pattern = Flow.MessagePattern(
                handler: handler, name: name, verdict: nil, match: match.map { ScriptValue($0) })
            // JSON is valid YAML.
            note("expect message: \(pattern)")
        default: break
        }
    }

    /// Shortens the URL of one of the daemon's own pages to its path, because the daemon has another port when the flow
    /// runs. Returns other URLs unchanged.
    private func address(_ url: String) -> String {
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            let start = "http://\(host):\(server.address?.port ?? 0)/"
            if url.hasPrefix(start) { return "/" + url.dropFirst(start.count) }
        }
        return url
    }

    // MARK: Script

    /// A daemon without this file does not start.
    private static let elements = (try? WebFiles.elements.get()) ?? "{}"

    /// Posts what the person does, with how a person would name the element, before the page's own listeners run. What
    /// scripts do is left out: the page does it again. A click on a label is followed by one on its control, and Enter in a
    /// field by one on the button of its form.
    private static let script = #"""
        (() => {
          const { find, names } = \#(elements)
          const post = (step) => webkit.messageHandlers.\#(handler).postMessage(step)
          const path = (element) => {
            if (element.id) return `#${CSS.escape(element.id)}`
            const parent = element.parentElement
            if (!parent) return element.localName
            const index = [...parent.children].filter((child) => child.localName === element.localName).indexOf(element)
            return `${path(parent)} > ${element.localName}:nth-of-type(${index + 1})`
          }
          const isBox = (element) => element.matches("input[type=checkbox], input[type=radio]")
          const isEditor = (element) => element.isContentEditable && !element.matches("input, select, textarea")
          // Paragraphs have an empty line between them, and typed blanks may be other characters.
          const editedText = (element) => element.innerText.replace(/\n+/g, "\n").replace(/\n$/, "").replaceAll("\u00a0", " ")
          const isField = (element) => element.matches("textarea, input") && !isBox(element)
            && !element.matches("[type=button], [type=submit], [type=reset], [type=image], [type=file]")
          const takesText = (element) => isField(element) || isEditor(element)
          const target = (element) => {
            const { role, name, label, text } = names(element)
            const targets = [
              (element.matches("input, select, textarea") || isEditor(element)) && label && { label },
              // The name of a field without a label may be what it contains.
              !takesText(element) && element.localName !== "select" && role && name && { role, name },
              element.placeholder && { placeholder: element.placeholder },
              !takesText(element) && text && text.length <= 80 && { text },
              element.dataset.testid && { testId: element.dataset.testid }
            ]
            return targets.find((target) => target && find(target) === element) || path(element)
          }
          const members = (element) => {
            const found = target(element)
            return typeof found === "string" ? { css: found } : found
          }
          const observe = (type, listener) => addEventListener(type, (event) => {
            const element = event.composedPath()[0]
            if (event.isTrusted && element instanceof Element) listener(element, event)
          }, true)

          // The file field whose panel a script has opened last.
          let openedByPage = null
          addEventListener("click", (event) => {
            const element = event.composedPath()[0]
            if (element instanceof Element && element.matches("input[type=file]")) openedByPage = event.isTrusted ? null : element
          }, true)

          // A page does not learn in which folder a file is.
          const chosen = (element, [file, ...others]) => {
            const names = others.length === 0 ? { file } : { files: [file, ...others] }
            if (file) post({ "choose file": { ...members(element), ...names }, wasOpenedByPage: element === openedByPage })
          }

          const secrets = new WeakSet()
          observe("input", (element) => {
            if (isEditor(element)) return post({ fill: target(element), with: editedText(element) })
            if (!isField(element)) return
            // A page may show a password as text for a while.
            if (element.type === "password" || element.autocomplete?.endsWith("password")) secrets.add(element)
            if (!secrets.has(element)) return post({ fill: target(element), with: element.value })
            post({ fill: target(element), variable: element.autocomplete === "new-password" ? "NEW_PASSWORD" : "PASSWORD" })
          })
          observe("blur", (element) => {
            if (takesText(element)) post({ leftField: true })
          })
          observe("change", (element) => {
            if (element.matches("input[type=file]")) return chosen(element, [...element.files].map((file) => file.name))
            if (element.localName !== "select") return
            const labels = [...element.selectedOptions].map((option) => option.label.replace(/\s+/g, " ").trim())
            if (element.multiple) return post({ select: { ...members(element), options: labels } })
            if (labels.length === 1) post({ select: { ...members(element), option: labels[0] } })
          })

          // The form that Enter in a field sends.
          let sentForm = null
          observe("keydown", (element, event) => {
            if (event.isComposing) return
            if (event.key === "Escape") return post({ press: "Escape" })
            if (event.key === "Enter" && !element.matches("textarea, select, button, a[href], summary") && !element.isContentEditable) {
              sentForm = element.form ?? null
              return post({ press: isField(element) || isBox(element) ? { key: "Enter", ...members(element) } : "Enter" })
            }
            // In other controls these keys change the value, which is recorded.
            if (["ArrowDown", "ArrowUp"].includes(event.key) && !element.matches("textarea, select, [type=radio], [type=range], [type=number], [type=date], [type=time]")) {
              post({ press: event.key })
            }
          })
          observe("keyup", () => { sentForm = null })
          observe("pointerdown", () => { sentForm = null })

          observe("click", (clicked, event) => {
            const element = clicked.closest("a, button, input, select, textarea, label, summary, [onclick], [role]")
              ?? clicked.closest("[id], [data-testid]")
            if (!element || element.matches("select, option, input[type=file]")) return
            if (element.localName === "label" && element.control) return
            if (event.detail === 0 && sentForm && element.form === sentForm) return
            if (isBox(element)) return post({ [element.checked ? "check" : "uncheck"]: target(element) })
            post({ tap: target(element) })
          })
        })()
        """#
}

/// A step of a recording.
private struct RecordedStep {
    /// The step as YAML.
    let text: String
    /// The field that the step fills, while the person may still type into it.
    var field: JSONValue?
    /// Whether the person did it.
    var isInput = false

    private static let keys = [
        "key", "role", "name", "css", "label", "text", "placeholder", "testId", "option", "options", "file", "files",
    ]

    /// The members in an order that people expect: those of a page have none in WebKit.
    static func sorted(_ element: JSONValue) -> JSONValue {
        guard let members = element.members else { return element }
        return .object(keys.compactMap { key in members.first { $0.key == key } })
    }

    /// The part of a body that is the same when the page posts it again: without points in time and new ids.
    /// - Returns: nil if there is none.
    static func match(_ body: JSONValue) -> JSONValue? {
        switch body {
        case .null: return .none
        case .object(let members):
            let kept = members.compactMap { member in match(member.value).map { JSONValue.Member(member.key, $0) } }
            return kept.isEmpty && !members.isEmpty ? .none : .object(kept)
        case .array(let elements):
            // A list matches as a whole.
            return elements.allSatisfy { match($0) == $0 } ? body : .none
        case .string(let text): return text.contains(volatile) ? .none : body
        // Seconds or milliseconds since 1970.
        case .number(let number): return number >= 1e9 ? .none : body
        default: return body
        }
    }

    private nonisolated(unsafe) static let volatile =
        /\d{4}-\d\d-\d\dT\d\d:\d\d|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/
}
