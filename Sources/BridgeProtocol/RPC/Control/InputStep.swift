/// One step of what a user does with a mouse and a keyboard, as an action of WebDriver: a click is a move, a press and a
/// release.
public enum InputStep: JSONObject, Sendable, Equatable {
    /// Moves the pointer to a point of the layout viewport, in CSS pixels.
    case move(x: Double, y: Double)
    /// - Parameter clicks: 2 for the second click of a double click.
    case press(Button, clicks: Int)
    case release(Button, clicks: Int)
    case keyDown(ElementAction.PressedKey)
    case keyUp(ElementAction.PressedKey)
    /// Presses the key of each character, and lets it go.
    case text(String)
    case pause(Duration)

    public enum Button: String, CaseIterable, Sendable {
        case left, middle, right

        /// `MouseEvent.button`
        public var number: Int {
            switch self {
            case .left: 0
            case .middle: 1
            case .right: 2
            }
        }
    }

    public enum Kind: String, CaseIterable, Sendable {
        case move, press, release, keyDown, keyUp, text, pause
    }

    /// How many steps a call has at most.
    static let limit = 10_000

    init(_ json: JSON) throws(RPCError) {
        var params = ParamsReader(json)
        let kind = try params.required("type", .oneOf(Kind.move), "What happens.")
        switch kind {
        case .move:
            let x = try params.required("x", .coordinate, "Pixels from the left.")
            self = .move(x: x, y: try params.required("y", .coordinate, "Pixels from the top."))
        case .press, .release:
            let button = try params.optional("button", .oneOf(Button.left), "The button. Default: left.") ?? .left
            let clicks = try params.optional("clicks", .count, "The number of the click.") ?? 1
            self = kind == .press ? .press(button, clicks: clicks) : .release(button, clicks: clicks)
        case .keyDown, .keyUp:
            let text = try params.required("key", .string, "KeyboardEvent.key")
            guard let key = ElementAction.PressedKey(text) else {
                throw .invalidParams(
                    at: "/key", "expected a character, or one of \(ElementAction.PressedKey.names), found \(text)")
            }
            self = kind == .keyDown ? .keyDown(key) : .keyUp(key)
        case .text: self = .text(try params.required("text", .string, "The text to type."))
        case .pause: self = .pause(try params.required("ms", .milliseconds, "How long."))
        }
    }

    public var members: JSONMembers {
        switch self {
        case .move(let x, let y): ["type": "move", "x": x, "y": y]
        case .press(let button, let clicks): ["type": "press", "button": button.rawValue, "clicks": clicks]
        case .release(let button, let clicks): ["type": "release", "button": button.rawValue, "clicks": clicks]
        case .keyDown(let key): ["type": "keyDown", "key": key.text]
        case .keyUp(let key): ["type": "keyUp", "key": key.text]
        case .text(let text): ["type": "text", "text": text]
        case .pause(let duration): ["type": "pause", "ms": duration / .milliseconds(1)]
        }
    }

    /// The steps with each text as the keys that type it.
    public static func withKeys(_ steps: [InputStep]) -> [InputStep] {
        steps.flatMap { step -> [InputStep] in
            guard case .text(let text) = step else { return [step] }
            return text.flatMap { character -> [InputStep] in
                let key =
                    PageInput.Key(typing: character).map { ElementAction.PressedKey.named($0) } ?? .character(character)
                return [.keyDown(key), .keyUp(key)]
            }
        }
    }
}

/// The keys that are held down between steps, and where the pointer is.
public struct InputState: Sendable {
    public private(set) var modifiers: Set<PageInput.Key> = []
    public private(set) var button: InputStep.Button?
    public private(set) var x = 0.0
    public private(set) var y = 0.0

    public init() {}

    /// Notes a step, after which others follow.
    public mutating func note(_ step: InputStep) {
        switch step {
        case .move(let x, let y): (self.x, self.y) = (x, y)
        case .press(let button, _): self.button = button
        case .release: button = nil
        case .keyDown(.named(let key)) where key.isModifier: modifiers.insert(key)
        case .keyUp(.named(let key)): modifiers.remove(key)
        case .keyDown, .keyUp, .text, .pause: break
        }
    }
}

extension PageInput.Key {
    /// Whether the key changes what others do while it is held down.
    public var isModifier: Bool { [.shift, .control, .alt, .meta].contains(self) }
}

extension ParamType where Value == Double {
    /// A distance in CSS pixels.
    static let coordinate = ParamType(
        ["type": "number"], expectation: "a number of pixels", sample: 0
    ) { json in json.number.flatMap { abs($0) <= 1_000_000 ? $0 : nil } }
}

extension ParamType where Value == [InputStep] {
    /// The steps of `page.input`.
    static let steps = ParamType(
        .schema(arrayOf: .type("object")), expectation: "an array of at most \(InputStep.limit) steps", sample: [],
        reading: { json, place throws(RPCError) in
            guard json.kind == .array, json.elements.count <= InputStep.limit else {
                throw .invalidParams(
                    at: place.description,
                    "expected an array of at most \(InputStep.limit) steps, found \(json.summary)")
            }
            var steps: [InputStep] = []
            for (index, element) in json.elements.enumerated() {
                do throws(RPCError) { steps.append(try InputStep(element)) } catch {
                    throw RPCError(error.code, "\(place)/\(index): \(error.message)")
                }
            }
            return steps
        })
}
