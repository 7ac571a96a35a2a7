import BridgeProtocol
public import BridgeServer
import BridgeTraffic
public import EmulatedApp

/// Records a flow while a person uses a browser: the pages that are opened, the clicks, what the app's user does, the
/// messages that pages post, and the screens that visits end on.
@MainActor public final class FlowRecorder {
    /// The handler that receives taps. Its messages do not become `expect message` steps.
    private static let handler = "bridgedFlowRecorder"
    private var steps: [String] = []
    /// Whether there was a tap or an action since the last page attached. Then that opens the next page, so that page
    /// does not become an `open` step.
    private var wasTapped = false
    private let server: BridgeServer
    private let noted: @MainActor (String) -> Void

    private weak var app: EmulatedApp?

    /// Begins to record. Only pages that load after this call report taps.
    /// - Parameter noted: is called with each recorded step, as YAML.
    public init(_ server: BridgeServer, _ app: EmulatedApp? = nil, noted: @escaping @MainActor (String) -> Void) {
        self.server = server
        self.app = app
        self.noted = noted
        app?.onAction = { [weak self] name, arguments in self?.add(name, arguments) }
        server.addHandler(FlowRecorder.handler, .plain { _, _ in .handled })
        server.defaultScope.userScripts.append(
            UserScript(source: FlowRecorder.script, injectionTime: .atDocumentStart, forMainFrameOnly: true))
        server.traffic.observe { [weak self] record in self?.add(record) }
    }

    public var stepCount: Int { steps.count }

    /// The flow as YAML.
    public func flow(named name: String) -> String {
        "name: \(name.text)\nsteps:\n" + steps.map { "  - \($0)\n" }.joined()
    }

    private func note(_ step: String) {
        let step = server.traffic.withoutTokens(step)
        steps.append(step)
        noted(step)
    }

    /// Notes an action of the app's user.
    private func add(_ name: String, _ arguments: Action.Arguments) {
        wasTapped = true
        let texts = arguments.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
        note("perform: \(JSONValue.object([.init("action", .string(name))] + texts).text)")
    }

    /// Notes the screen on which a visit has ended, so that the flow waits for it.
    private func addScreen() {
        guard let title = app?.visibleScreen?.title else { return }
        let state: JSONValue = ["title": .string(title), "isLoading": false]
        let step = "expect app: \(state.text)"
        if steps.last != step { note(step) }
    }

    private func add(_ record: TrafficRecord) {
        switch record.event {
        // The app opens the windows of its other web views itself, and an empty document is no page.
        case .page(.attached) where record.webView == "main" && record.url != "about:blank":
            if !wasTapped { note("open: \(address(record.url ?? "").text)") }
            wasTapped = false
        case .message(FlowRecorder.handler, _, let body, _, _):
            guard let target = body.child("tap") else { return }
            note("tap: \(target.json.text)")
            wasTapped = true
        case .app("visitCompleted", _): addScreen()
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
            let pattern = Flow.MessagePattern(handler: handler, name: name, verdict: nil, match: body)
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

    /// Posts how a person would name the clicked element, before the page's own listeners run. Scripts that click are no
    /// taps. A click on a label is followed by one on its control.
    private static let script = #"""
        (() => {
          const find = \#(ElementTarget.finder)
          const path = (element) => {
            if (element.id) return `#${CSS.escape(element.id)}`
            const parent = element.parentElement
            if (!parent) return element.localName
            const index = [...parent.children].filter((child) => child.localName === element.localName).indexOf(element)
            return `${path(parent)} > ${element.localName}:nth-of-type(${index + 1})`
          }
          const name = (element) => {
            const { role, name, label, text } = find({ describe: element })
            const targets = [
              element.matches("input, select, textarea") && label && { label }, role && name && { role, name },
              text && text.length <= 80 && { text }, element.dataset.testid && { testId: element.dataset.testid }
            ]
            return targets.find((target) => target && find(target) === element) || path(element)
          }
          addEventListener("click", (event) => {
            const element = event.target.closest?.("a, button, input, select, textarea, label, summary, [onclick], [role]")
              ?? event.target.closest?.("[id], [data-testid]")
            if (!event.isTrusted || !element || (element.localName === "label" && element.control)) return
            webkit.messageHandlers.\#(handler).postMessage({ tap: name(element) })
          }, true)
        })()
        """#
}
