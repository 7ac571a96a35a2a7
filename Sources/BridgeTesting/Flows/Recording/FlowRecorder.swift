import BridgeProtocol
public import BridgeServer
import BridgeTraffic

/// Records a flow while a person uses a browser: the pages that are opened, the clicks, and the messages that pages
/// post.
@MainActor public final class FlowRecorder {
    /// The handler that receives taps. Its messages do not become `expect message` steps.
    private static let handler = "bridgedFlowRecorder"
    private var steps: [String] = []
    /// Whether there was a tap since the last page attached. Then the tap opens the next page, so that page does not
    /// become an `open` step.
    private var wasTapped = false
    private let server: BridgeServer
    private let noted: @MainActor (String) -> Void

    /// Begins to record. Only pages that load after this call report taps.
    /// - Parameter noted: is called with each recorded step, as YAML.
    public init(_ server: BridgeServer, noted: @escaping @MainActor (String) -> Void) {
        self.server = server
        self.noted = noted
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

    private func add(_ record: TrafficRecord) {
        switch record.event {
        case .page(.attached):
            if !wasTapped { note("open: \(address(record.url ?? "").text)") }
            wasTapped = false
        case .message(FlowRecorder.handler, _, let body, _, _):
            guard let selector = body.child("tap")?.string else { return }
            note("tap: \(selector.text)")
            wasTapped = true
        // The messages between Turbo and the app differ from run to run.
        case .message("turbo", _, _, _, _): break
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

    /// Posts a selector of the clicked element before the page's own listeners run.
    private static let script = """
        (() => {
          const place = (element) => {
            if (element.id) return `#${CSS.escape(element.id)}`
            const parent = element.parentElement
            if (!parent) return element.localName
            const index = [...parent.children].filter((child) => child.localName === element.localName).indexOf(element)
            return `${place(parent)} > ${element.localName}:nth-of-type(${index + 1})`
          }
          addEventListener("click", (event) => {
            const target = event.target.closest?.("a, button, input, select, textarea, label, summary, [onclick], [id]")
            const tap = target && place(target)
            if (tap) webkit.messageHandlers.\(handler).postMessage({ tap })
          }, true)
        })()
        """
}
