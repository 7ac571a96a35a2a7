import BridgeProtocol

/// The user's input, as actions of WebDriver BiDi.
extension FirefoxContext {
    func perform(_ input: PageInput) async throws {
        switch input {
        case .tap(let place):
            try await click(try await point(place))
        case .scroll(let place, let deltaX, let deltaY):
            let point = try await point(place)
            let scroll: JSONValue = [
                "type": "scroll", "x": .number(point.x), "y": .number(point.y),
                "deltaX": .number(deltaX.rounded()), "deltaY": .number(deltaY.rounded()),
            ]
            try await act("wheel", [scroll])
        case .text(let text):
            try await press(text.map { PageInput.Key(typing: $0)?.webDriverValue ?? String($0) })
        case .key(let key): try await press([key.webDriverValue])
        }
    }

    func tap(_ point: TapPoint) async throws { try await click((point.x, point.y)) }

    /// Firefox takes whole pixels only.
    private func click(_ point: (x: Double, y: Double)) async throws {
        let move: JSONValue = [
            "type": "pointerMove", "x": .number(point.x.rounded(.down)), "y": .number(point.y.rounded(.down)),
        ]
        let press: JSONValue = ["type": "pointerDown", "button": 0]
        try await act("pointer", [move, press, ["type": "pointerUp", "button": 0]])
    }

    /// - Parameter source: the type of the device, and its name.
    private func act(_ source: String, _ actions: [JSONValue]) async throws {
        let device: JSONValue = ["type": .string(source), "id": .string(source), "actions": .array(actions)]
        _ = try await connection.call("input.performActions") { writer in
            writer.member("context", window.id)
            writer.member("actions", JSONValue.array([device]))
        }
    }

    /// Presses keys one after the other. A key is one character (WebDriver BiDi, `input.KeyDownAction`).
    private func press(_ keys: [String]) async throws {
        try await act(
            "key",
            keys.flatMap { key -> [JSONValue] in
                [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]]
            })
    }

    private func point(_ place: PageInput.Place) async throws -> (x: Double, y: Double) {
        let result = try await connection.call("script.evaluate") { writer in
            writer.member("expression", "`${innerWidth} ${innerHeight}`")
            writer.member(
                "target",
                object: { writer in
                    writer.member("context", window.id)
                    writer.member("sandbox", "bridged:input")
                })
            writer.member("awaitPromise", false)
        }
        let sizes = (result["result"]?["value"]?.string ?? "").split(separator: " ").compactMap { Double($0) }
        guard sizes.count == 2 else { throw RPCError(.documentGone, "The document has left.") }
        let point = place.point(inWidth: sizes[0], height: sizes[1])
        // Firefox takes whole pixels only.
        return (point.x.rounded(.down), point.y.rounded(.down))
    }
}

extension PageInput.Key {
    /// The key in WebDriver's table of normalised keys.
    fileprivate var webDriverValue: String {
        switch self {
        case .backspace: "\u{E003}"
        case .tab: "\u{E004}"
        case .enter: "\u{E007}"
        case .escape: "\u{E00C}"
        case .pageUp: "\u{E00E}"
        case .pageDown: "\u{E00F}"
        case .end: "\u{E010}"
        case .home: "\u{E011}"
        case .arrowLeft: "\u{E012}"
        case .arrowUp: "\u{E013}"
        case .arrowRight: "\u{E014}"
        case .arrowDown: "\u{E015}"
        case .delete: "\u{E017}"
        }
    }
}
