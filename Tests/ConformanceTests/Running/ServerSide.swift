import BridgeProtocol
import BridgeServer
import Foundation

/// A web view without the `WK…` classes, straight on the server.
@MainActor final class ServerSide: NativeSide {
    var onEvent: ((NativeEvent) -> Void)?
    private let server: BridgeServer
    private let webView: String
    private let scope = WebViewScope()
    private var finished: Set<String> = []

    init(server: BridgeServer, webView: String) {
        self.server = server
        self.webView = webView
        server.setScope(scope, for: webView)
        server.observePages { [weak self] event, page in self?.observe(event, page) }
    }

    private func observe(_ event: TrafficRecord.PageEvent, _ page: Page) {
        guard page.webView == webView, page.frame.isMainFrame else { return }
        if event == .attached {
            onEvent?(.loadStarted)
            onEvent?(.loadCommitted)
        }
        if page.readyState == "complete", finished.insert(page.document).inserted { onEvent?(.loadFinished) }
    }

    private var page: Page? { server.pages.last { $0.webView == webView && $0.frame.isMainFrame && $0.isAttached } }

    func evaluate(_ script: String, sourceURL: String?, world: String?, completion: @escaping (NativeResult) -> Void) {
        guard world == nil, let page else { return completion(.error("no page")) }
        page.evaluate(script) { completion(ServerSide.result($0)) }
    }

    func callAsync(_ body: String, arguments: [String: Any], world: String?, completion: @escaping (NativeResult) -> Void) {
        guard world == nil, let page else { return completion(.error("no page")) }
        guard let data = try? JSONSerialization.data(withJSONObject: arguments),
            let json = try? JSON.parse(String(decoding: data, as: UTF8.self)),
            let value = try? ScriptValue(json: json)
        else { return completion(.error(["code": 4, "message": .text(Translation.badArgument)])) }
        page.callAsync(body, arguments: value) { completion(ServerSide.result($0)) }
    }

    static func result(_ result: Result<ScriptValue, ScriptError>) -> NativeResult {
        switch result {
        case .success(let value): .value(ServerSide.any(value, root: value))
        case .failure(.exception(let e)):
            .error([
                "code": 4, "message": .text(e.message), "line": .number(Double(e.line ?? 0)), "column": .number(Double(e.column ?? 0)),
                "sourceURL": e.sourceURL.map { .text($0) } ?? .null,
            ])
        case .failure(.resultTypeUnsupported): .error(["code": 5])
        case .failure(let error): .error(["code": -1, "message": .text("\(error)")])
        }
    }

    static func any(_ value: ScriptValue, root: ScriptValue) -> Any? {
        switch value.kind {
        case .undefined: return nil
        case .null: return NSNull()
        case .bool: return value.bool
        case .number: return value.number
        case .string: return value.string
        case .date: return value.date
        case .reference: return "(reference)"
        case .array:
            return (0..<value.json.count).map { value.child(index: $0).flatMap { any($0, root: root) } ?? NSNull() }
        case .object:
            var members: [String: Any] = [:]
            value.json.forEachMember { key, _ in members[key] = value.child(key).flatMap { any($0, root: root) } }
            return members
        }
    }

    func load(_ url: String) { page?.navigate(to: url) }
    func loadHTML(_ html: String, baseURL: String?) {}
    func reload() { page?.evaluate("location.reload()", completion: nil) }
    func goBack() { page?.evaluate("history.back()", completion: nil) }
    func goForward() { page?.evaluate("history.forward()", completion: nil) }
    func stopLoading() { page?.evaluate("stop()", completion: nil) }

    func register(_ handler: OracleCase.Handler) -> Bool {
        guard handler.world == nil, scope.handlers[handler.name] == nil else { return false }
        let name = handler.name
        scope.handlers[name] =
            handler.reply == nil
            ? .plain { [weak self] body, _ in
                self?.onEvent?(.message(handler: name, body: ServerSide.any(body, root: body), reply: nil))
                return Verdict(.handled)
            }
            : .replying { [weak self] body, _, reply in
                self?.onEvent?(
                    .message(handler: name, body: ServerSide.any(body, root: body)) { value, error in
                        if let error { return reply.reject(error) }
                        guard let value else { return reply.resolve(.undefined) }
                        let data = (try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)) ?? Data("null".utf8)
                        let json = (try? JSON.parse(String(decoding: data, as: UTF8.self))) ?? .null
                        reply.resolve((try? ScriptValue(json: json)) ?? .null)
                    })
            }
        return true
    }

    func unregister(_ name: String, world: String?) { scope.handlers[name] = nil }

    func add(_ script: OracleCase.Script) {
        scope.userScripts.append(
            UserScript(
                source: script.source, injectionTime: script.at == "start" ? .atDocumentStart : .atDocumentEnd,
                forMainFrameOnly: script.frames == "top"))
    }

    func removeAllUserScripts() { scope.userScripts = [] }
    func close() { server.setScope(nil, for: webView) }
}
