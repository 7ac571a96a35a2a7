import BridgeProtocol
import WebFiles

/// A gesture on an element of a driven document: `web/tap.js` finds out where a finger reaches the element, the browser
/// makes the gesture there, and `web/tap.js` sees whether a tap arrives. On the main actor.
@MainActor final class ElementGesture {
    /// The program, which is read once.
    private static let program = Result {
        "(\(try WebFiles.text(of: "tap.js")))(\(try WebFiles.elements.get()))"
    }

    private weak var realm: (any ScriptRealm)?
    private let gesture: PointerGesture
    private let element: ElementTarget
    private let deadline: ContinuousClock.Instant
    private let answer: Once<Result<JSONValue, RPCError>>
    private var end: (@MainActor () -> Void)?
    /// Whether the browser has got the gesture.
    private var isSent = false

    /// - Parameters:
    ///   - timeout: the time to wait for the element, which begins now.
    ///   - answer: is called once, with `{}`, or with the reason why it was impossible: `{reason?, isMissing?}`.
    init(
        _ gesture: PointerGesture, _ element: ElementTarget, within timeout: Duration, in realm: any ScriptRealm,
        answer: @escaping @MainActor (Result<JSONValue, RPCError>) -> Void
    ) {
        self.realm = realm
        self.answer = Once(answer)
        (self.gesture, self.element) = (gesture, element)
        deadline = .now + timeout
        Task { [weak self, deadline] in
            // The document keeps the time itself, unless a script keeps it from that.
            try? await Task.sleep(until: deadline + .seconds(1), clock: .continuous)
            self?.giveUp(after: timeout)
        }
    }

    /// - Parameter end: is called once, when another gesture can begin.
    func begin(end: @escaping @MainActor () -> Void) {
        guard answer.isPending else { return end() }
        self.end = end
        aim()
    }

    /// Finds the element, and makes the gesture.
    private func aim() {
        let left = max(.zero, deadline - .now) / .milliseconds(1)
        let arguments: JSONValue = [
            "element": element.json, "milliseconds": .number(left), "isTap": .bool(gesture == .tap),
            "to": gesture.destination?.json ?? .null,
        ]
        let program: String
        do { program = try ElementGesture.program.get() } catch {
            return finish(.failure(RPCError(.internalError, "\(error)")))
        }
        // The calls that follow find the program in the document.
        let body = "globalThis.bridgedTap ??= \(program)\nreturn bridgedTap.aim(element, milliseconds, isTap, to)"
        run(body, arguments) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): finish(.failure(error.rpcError))
            case .success(let aim):
                guard let motion = PointerMotion(gesture, aim) else { return finish(.success(JSONValue(aim))) }
                guard answer.isPending else { return finishWithoutGesture(.success([:])) }
                isSent = true
                Task { await self.make(motion) }
            }
        }
    }

    private func make(_ motion: PointerMotion) async {
        // The document may have left, and its frame show another one.
        guard answer.isPending else { return }
        do {
            guard let delegate = realm?.delegate else { throw RPCError(.documentGone, "The document has left.") }
            try await delegate.perform(motion)
        } catch {
            return finishWithoutGesture(.failure(error as? RPCError ?? RPCError(.internalError, "\(error)")))
        }
        run("return bridgedTap.arrived()", [:]) { [weak self] result in
            guard let self, case .success(let arrival) = result, arrival["reason"] != nil else {
                self?.finish(.success([:]))
                return
            }
            // Something came in between, which may go away again.
            isSent = false
            guard .now < deadline else { return finish(.success(JSONValue(arrival))) }
            Task {
                if case .tap(let point) = motion { await self.realm?.delegate?.tapMissed(point) }
                self.aim()
            }
        }
    }

    /// The document has left, for example because of a tap.
    func documentLeft() {
        finish(isSent ? .success([:]) : .failure(RPCError(.documentGone, "The document has left.")))
    }

    /// The document does not say where the element is. If it does so later, no gesture follows.
    private func giveUp(after timeout: Duration) {
        if !isSent { answer(.failure(ScriptError.timedOut(timeout).rpcError)) }
    }

    /// The document waits for a tap that does not come.
    private func finishWithoutGesture(_ result: Result<JSONValue, RPCError>) {
        run("return bridgedTap.unwatch()", [:]) { _ in }
        finish(result)
    }

    private func finish(_ result: Result<JSONValue, RPCError>) {
        answer(result)
        end.take()?()
    }

    /// Runs the body of a function in the world that has `web/tap.js`.
    private func run(
        _ body: String, _ arguments: JSONValue, completion: @escaping @MainActor (Result<JSON, ScriptError>) -> Void
    ) {
        guard let realm else { return documentLeft() }
        let script = PageScript(
            .asyncFunction(body: body, arguments: ScriptValue(arguments)), world: WebFiles.elementsWorld)
        realm.evaluate(script) { result in completion(result.flatMap { $0.json }) }
    }
}

/// What a pointer does, and where.
package enum PointerMotion: Sendable {
    case tap(ElementPoint)
    case hover(ElementPoint)
    case drag(ElementPoint, to: ElementPoint)

    fileprivate init?(_ gesture: PointerGesture, _ aim: JSON) {
        guard let point = ElementPoint(aim) else { return nil }
        switch gesture {
        case .tap: self = .tap(point)
        case .hover: self = .hover(point)
        case .drag:
            guard let end = aim["to"].flatMap(ElementPoint.init) else { return nil }
            self = .drag(point, to: end)
        }
    }

    /// The points on the way of a drag, with its end. A page does not take a single jump for a drag.
    package static func steps(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) -> [(
        x: Double, y: Double
    )] {
        (1...5).map { step in
            let part = Double(step) / 5
            return (start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
        }
    }
}

/// A point of an element, in CSS pixels.
package struct ElementPoint: Sendable {
    /// The distance from the corner of the layout viewport, as `clientX` counts.
    package let x: Double
    package let y: Double
    /// The distance from the corner of the visual viewport, which is a part of the other one if the page is zoomed.
    let visualX: Double
    let visualY: Double
    /// How large the visual viewport shows the page: less than 1 if the page is wider than the phone.
    let scale: Double

    fileprivate init?(_ json: JSON) {
        guard let x = json["x"]?.number, let y = json["y"]?.number, let visualX = json["visualX"]?.number,
            let visualY = json["visualY"]?.number, let scale = json["scale"]?.number
        else { return nil }
        (self.x, self.y, self.visualX, self.visualY, self.scale) = (x, y, visualX, visualY, scale)
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
