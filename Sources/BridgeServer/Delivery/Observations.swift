import BridgeProtocol
import BridgeTraffic

/// Records what happens in pages of apps of their own. Nothing is delivered, because native code of that app has handled
/// it: a record only says, beside that, if the message would be dropped here. On the main actor.
@MainActor final class Observations {
    private let webViews: WebViews
    private let traffic: TrafficLog
    private let delivery: Delivery

    init(_ delivery: Delivery) {
        (self.delivery, webViews, traffic) = (delivery, delivery.webViews, delivery.traffic)
    }

    func record(_ entry: ObservedEntry, of page: Page) {
        switch entry.event {
        case .message(let handler, let name, let body):
            let message = PostMessage(seq: entry.seq, handler: handler, body: body)
            let here =
                name.map { verdict(onCall: CallInterface(message, named: $0), of: page) }
                ?? verdict(on: message, of: page)
            traffic.append(
                .message(
                    handler: handler, name: name ?? delivery.messageName(of: body), body: body, seq: entry.seq,
                    verdict: .observed), .toNative, page, here: here)
        case .reply(let seq, let handler, let result, let milliseconds):
            let verdict = (try? result.get()) == nil ? Verdict(.rejected) : .replied
            traffic.append(
                .reply(
                    handler: handler, seq: seq, result: result.mapError { RPCError(.handlerRejected, $0.text) },
                    duration: Duration(clampingMilliseconds: milliseconds), verdict: verdict), .toWeb, page)
        case .call(let function, _) where !delivery.observedFunctions.contains(function):
            traffic.problem(
                .invalidParams,
                "A page says that its app called \(shortened(function, to: 100)), which is not observed.",
                hint: "Name it if the app calls it: \(setting("observe", "observed", "myApp.bridge")).", page: page)
        case .call(let function, let arguments):
            let arguments = traffic.redaction.redacted(arguments)
            let list = (0..<arguments.json.count).compactMap { arguments.child(index: $0) }
            let source = JavaScriptCall(function, arguments: list).source
            traffic.append(.evaluate(id: .number(entry.seq), source: source), .toWeb, page)
        case .event(let name, let detail):
            traffic.append(
                .app(event: name, fields: detail.filter { !TrafficRecord.commonNames.contains($0.key) }), .toNative,
                page)
        }
    }

    /// The verdict with which a message would be dropped here; nil if it would not, or if only its handler could say.
    private func verdict(on message: PostMessage, of page: Page) -> Verdict? {
        let webView = page.ownWebView
        guard !webViews.hasStub(of: message.handler, for: message.body, in: webView),
            !webViews.isRecorded(message.handler)
        else { return nil }
        switch webViews.handler(message.handler, of: webView) {
        case .dispatcher(let dispatcher): return dispatcher.verdict(on: message.body, to: message.handler)
        case .plain, .replying: return nil
        case nil:
            let names = webViews.handlerInfo(of: webView).map(\.name)
            return names.contains(message.handler) ? .noStubFits(message) : .noHandler(message, names)
        }
    }

    private func verdict(onCall call: CallInterface, of page: Page) -> Verdict? {
        let (handler, body) = (call.message.handler, call.message.body)
        guard !webViews.hasStub(of: handler, for: body, in: page.ownWebView) else { return nil }
        return InterfaceCallOutcome.refusal(of: call, by: webViews.interfaces(of: page.ownWebView)[handler])
    }
}
