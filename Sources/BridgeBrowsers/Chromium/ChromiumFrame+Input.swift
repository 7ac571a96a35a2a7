import BridgeProtocol

/// The user's input, which Chromium's DevTools send as its own.
extension ChromiumFrame {
    func perform(_ input: PageInput) async throws {
        switch input {
        case .tap(let place):
            try await click(try await point(place))
        case .scroll(let place, let deltaX, let deltaY):
            try await mouse("mouseWheel", try await point(place)) { writer in
                writer.member("deltaX", deltaX)
                writer.member("deltaY", deltaY)
            }
        case .text(let text):
            guard let character = text.first, text.count == 1 else {
                _ = try await target.call("Input.insertText") { $0.member("text", text) }
                return
            }
            if let key = PageInput.Key(typing: character) { return try await press(key) }
            try await key(text, text: text)
        case .key(let key): try await press(key)
        }
    }

    func tap(_ point: TapPoint) async throws { try await click((point.visualX, point.visualY)) }

    private func click(_ point: (x: Double, y: Double)) async throws {
        try await mouse("mousePressed", point) { $0.member("clickCount", 1) }
        try await mouse("mouseReleased", point) { $0.member("clickCount", 1) }
    }

    private func press(_ key: PageInput.Key) async throws {
        try await self.key(key.rawValue, text: key == .enter ? "\r" : nil, code: key.windowsCode)
    }

    /// Returns where a place of the page's picture is in the visual viewport, in CSS pixels, as DevTools count.
    ///
    /// The picture shows the visual viewport, which is a part of the page if that is zoomed or wider than the phone;
    /// `innerWidth` is then that of the whole. On a desktop the picture includes the scroll bars, which are no part of the
    /// visual viewport. The script runs in a world of its own, where the page cannot have replaced these properties.
    private func point(_ place: PageInput.Place) async throws -> (x: Double, y: Double) {
        let world = try await target.call("Page.createIsolatedWorld") { writer in
            writer.member("frameId", id)
            writer.member("worldName", "bridged:input")
        }
        // The scroll bars of a phone are over the page.
        let sizes =
            target.browser.options.device == nil
            ? "[innerWidth / visualViewport.scale, innerHeight / visualViewport.scale]"
            : "[visualViewport.width, visualViewport.height]"
        let result = try await target.call("Runtime.evaluate") { writer in
            writer.member("expression", sizes)
            writer.member("contextId", world["executionContextId"]?.wholeNumber ?? 0)
            writer.member("returnByValue", true)
        }
        let size = result["result"]?["value"]?.elements.compactMap(\.number) ?? []
        guard size.count == 2 else { throw RPCError(.documentGone, "The document has left.") }
        return place.point(inWidth: size[0], height: size[1])
    }

    private func mouse(
        _ type: String, _ point: (x: Double, y: Double), _ others: (inout JSONWriter) -> Void
    ) async throws {
        _ = try await target.call("Input.dispatchMouseEvent") { writer in
            writer.member("type", type)
            writer.member("x", point.x)
            writer.member("y", point.y)
            writer.member("button", type == "mouseWheel" ? "none" : "left")
            others(&writer)
        }
    }

    /// Presses a key and lets it go. A key with a text types it.
    private func key(_ name: String, text: String?, code: Int? = nil) async throws {
        for type in [text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            _ = try await target.call("Input.dispatchKeyEvent") { writer in
                writer.member("type", type)
                writer.member("key", name)
                if let code {
                    writer.member("code", name)
                    writer.member("windowsVirtualKeyCode", code)
                }
                if let text, type == "keyDown" { writer.member("text", text) }
            }
        }
    }
}

extension PageInput.Key {
    /// `KeyboardEvent.keyCode`, by which Chromium knows what a key does.
    fileprivate var windowsCode: Int {
        switch self {
        case .backspace: 8
        case .tab: 9
        case .enter: 13
        case .escape: 27
        case .pageUp: 33
        case .pageDown: 34
        case .end: 35
        case .home: 36
        case .arrowLeft: 37
        case .arrowUp: 38
        case .arrowRight: 39
        case .arrowDown: 40
        case .delete: 46
        }
    }
}
