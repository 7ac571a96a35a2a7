/// What the user of a driven browser does: taps, scrolls, types, or step by step.
public enum PageInput: JSONObject, Sendable, Equatable {
    case tap(Place)
    /// Turns the wheel by pixels of the page.
    case scroll(Place, deltaX: Double, deltaY: Double)
    /// Types a text into what has the focus.
    case text(String)
    case key(Key)
    /// One thing after the other, as a mouse and a keyboard do: clicks with other buttons, with keys held down, twice.
    case steps([InputStep])

    /// A place in the picture of the page, as parts of its width and height.
    public struct Place: Sendable, Equatable {
        public let x: Double
        public let y: Double
    }

    public enum Kind: String, CaseIterable, Sendable {
        case tap, scroll, text, key, steps
    }

    /// A key that types no character, as `KeyboardEvent.key` names it.
    public enum Key: String, CaseIterable, Sendable {
        case enter = "Enter", tab = "Tab", escape = "Escape", backspace = "Backspace", delete = "Delete"
        case home = "Home", end = "End", pageUp = "PageUp", pageDown = "PageDown"
        case arrowUp = "ArrowUp", arrowDown = "ArrowDown", arrowLeft = "ArrowLeft", arrowRight = "ArrowRight"
        case insert = "Insert", shift = "Shift", control = "Control", alt = "Alt", meta = "Meta"
        case f1 = "F1", f2 = "F2", f3 = "F3", f4 = "F4", f5 = "F5", f6 = "F6"
        case f7 = "F7", f8 = "F8", f9 = "F9", f10 = "F10", f11 = "F11", f12 = "F12"

        /// The key for a character that no other key types: a line break comes from Enter.
        public init?(typing character: Character) {
            switch character {
            case "\n": self = .enter
            case "\t": self = .tab
            default: return nil
            }
        }
    }

    /// - Parameter params: the params of `page.input`.
    public init(_ params: JSON) throws(RPCError) {
        var reader = ParamsReader(params)
        try self.init(&reader)
    }

    /// Reads the params of `page.input`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let kind = try params.required("type", .oneOf(Kind.tap), "What the user does.")
        let x = try params.optional("x", .part, "Where, as a part of the picture's width. Default: 0.5.") ?? 0.5
        let y = try params.optional("y", .part, "Where, as a part of the picture's height. Default: 0.5.") ?? 0.5
        let deltaX = try params.optional("deltaX", .integer, "How far to scroll to the right, in pixels.") ?? 0
        let deltaY = try params.optional("deltaY", .integer, "How far to scroll down, in pixels.") ?? 0
        let text = try params.optional("text", .string, "The text to type.")
        let key = try params.optional("key", .oneOf(Key.enter), "The key to press.")
        let steps = try params.optional("steps", .steps, "What a mouse and a keyboard do, one after the other.")
        if kind == .steps {
            guard let steps, text == nil, key == nil else {
                throw .invalidParams(at: "/type", "expected steps, and neither text nor key")
            }
            self = .steps(steps)
            return
        }
        guard steps == nil else { throw .invalidParams(at: "/steps", "expected none, except for the type steps") }
        switch (kind, text, key) {
        case (.tap, nil, nil): self = .tap(Place(x: x, y: y))
        case (.scroll, nil, nil):
            self = .scroll(Place(x: x, y: y), deltaX: Double(deltaX), deltaY: Double(deltaY))
        case (.text, let text?, nil): self = .text(text.replacing("\r\n", with: "\n").replacing("\r", with: "\n"))
        case (.key, nil, let key?): self = .key(key)
        default:
            throw .invalidParams(at: "/type", "expected text for the type text, key for key, and neither for others")
        }
    }

    /// The params of `page.input`.
    public var members: JSONMembers {
        switch self {
        case .tap(let place): ["type": "tap", "x": place.x, "y": place.y]
        case .scroll(let place, let deltaX, let deltaY):
            ["type": "scroll", "x": place.x, "y": place.y, "deltaX": deltaX, "deltaY": deltaY]
        case .text(let text): ["type": "text", "text": text]
        case .key(let key): ["type": "key", "key": key.rawValue]
        case .steps(let steps): ["type": "steps", "steps": steps]
        }
    }
}

extension PageInput.Place {
    /// The place in a viewport, in its pixels.
    public func point(inWidth width: Double, height: Double) -> (x: Double, y: Double) {
        (min(x * width, max(0, width - 1)), min(y * height, max(0, height - 1)))
    }
}
