import BridgeProtocol
import WebFiles

/// A tap on an element of a driven document: `web/tap.js` finds out where a finger can tap, the browser taps there, and
/// `web/tap.js` sees whether the tap arrives. On the main actor.
@MainActor final class ElementTap {
    /// The program whose methods ``run(_:_:completion:)`` calls. It is read once.
    private static let program = Result { "(\(try WebFiles.text(of: "tap.js")))(\(ElementTarget.finder))" }

    private weak var realm: (any ScriptRealm)?
    private let element: ElementTarget
    private let deadline: ContinuousClock.Instant
    private let answer: Once<Result<JSONValue, RPCError>>
    private var end: (@MainActor () -> Void)?
    /// Whether the browser has got the tap.
    private var isSent = false

    /// - Parameters:
    ///   - timeout: the time to wait for the element, which begins now.
    ///   - answer: is called once, with `{}`, or with the reason why no tap was possible: `{reason?, isMissing?}`.
    init(
        _ element: ElementTarget, within timeout: Duration, in realm: any ScriptRealm,
        answer: @escaping @MainActor (Result<JSONValue, RPCError>) -> Void
    ) {
        self.realm = realm
        self.answer = Once(answer)
        self.element = element
        deadline = .now + timeout
        Task { [weak self, deadline] in
            // The document keeps the time itself, unless a script keeps it from that.
            try? await Task.sleep(until: deadline + .seconds(1), clock: .continuous)
            self?.giveUp(after: timeout)
        }
    }

    /// - Parameter end: is called once, when another tap can begin.
    func begin(end: @escaping @MainActor () -> Void) {
        guard answer.isPending else { return end() }
        self.end = end
        aim()
    }

    /// Finds the element, and taps on it.
    private func aim() {
        let left = max(.zero, deadline - .now) / .milliseconds(1)
        run("aim(element, milliseconds)", ["element": element.json, "milliseconds": .number(left)]) {
            [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): finish(.failure(error.rpcError))
            case .success(let aim):
                guard let point = TapPoint(aim) else { return finish(.success(JSONValue(aim))) }
                guard answer.isPending else { return finishWithoutTap(.success([:])) }
                isSent = true
                Task { await self.tap(point) }
            }
        }
    }

    private func tap(_ point: TapPoint) async {
        // The document may have left, and its frame show another one.
        guard answer.isPending else { return }
        do {
            guard let delegate = realm?.delegate else { throw RPCError(.documentGone, "The document has left.") }
            try await delegate.tap(point)
        } catch {
            return finishWithoutTap(.failure(error as? RPCError ?? RPCError(.internalError, "\(error)")))
        }
        run("arrived()", [:]) { [weak self] result in
            guard let self, case .success(let arrival) = result, arrival["reason"] != nil else {
                self?.finish(.success([:]))
                return
            }
            // Something came in between, which may go away again.
            isSent = false
            if .now < deadline { aim() } else { finish(.success(JSONValue(arrival))) }
        }
    }

    /// The document has left, for example because of the tap.
    func documentLeft() {
        finish(isSent ? .success([:]) : .failure(RPCError(.documentGone, "The document has left.")))
    }

    /// The document does not say where to tap. If it does so later, no tap follows.
    private func giveUp(after timeout: Duration) {
        if !isSent { answer(.failure(ScriptError.timedOut(timeout).rpcError)) }
    }

    /// The document waits for a tap that does not come.
    private func finishWithoutTap(_ result: Result<JSONValue, RPCError>) {
        run("unwatch()", [:]) { _ in }
        finish(result)
    }

    private func finish(_ result: Result<JSONValue, RPCError>) {
        answer(result)
        end.take()?()
    }

    /// Calls a method of `web/tap.js`.
    private func run(
        _ call: String, _ arguments: JSONValue, completion: @escaping @MainActor (Result<JSON, ScriptError>) -> Void
    ) {
        do {
            let body = "globalThis.bridgedTap ??= \(try ElementTap.program.get())\nreturn bridgedTap.\(call)"
            let script = PageScript(
                .asyncFunction(body: body, arguments: ScriptValue(arguments)), world: "bridged:input")
            guard let realm else { return documentLeft() }
            realm.evaluate(script) { result in completion(result.flatMap { $0.json }) }
        } catch {
            finish(.failure(RPCError(.internalError, "\(error)")))
        }
    }
}

/// Where to tap, in CSS pixels.
package struct TapPoint: Sendable {
    /// The distance from the corner of the layout viewport, as `clientX` counts.
    package let x: Double
    package let y: Double
    /// The distance from the corner of the visual viewport, which is a part of the other one if the page is zoomed.
    let visualX: Double
    let visualY: Double

    fileprivate init?(_ json: JSON) {
        guard let x = json["x"]?.number, let y = json["y"]?.number, let visualX = json["visualX"]?.number,
            let visualY = json["visualY"]?.number
        else { return nil }
        (self.x, self.y, self.visualX, self.visualY) = (x, y, visualX, visualY)
    }
}

extension EncodedValue {
    /// The value as JSON.
    fileprivate var json: Result<JSON, ScriptError> {
        switch self {
        case .value(let value): .success(value.json)
        case .members(let text): .success((try? JSON.parse("{\(text)}"))?["value"] ?? .null)
        }
    }
}
