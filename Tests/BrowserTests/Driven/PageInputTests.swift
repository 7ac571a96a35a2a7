import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// `page.input` in every engine. The page sees what a user would have done.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct PageInputTests {
    private static let page = """
        <!doctype html><meta name=viewport content="width=device-width"><title>Input</title>
        <style>* { margin: 0; font: 16px sans-serif } textarea { position: fixed; inset: 25% auto auto 0; width: 100%; height: 25% }
        a { position: fixed; inset: 50% auto auto 0; width: 100%; height: 25%; background: gold } body { height: 5000px }</style>
        <textarea id=field></textarea><a id=link>Tap</a>
        <b id=edge style="position: fixed; inset: 80% 40px auto auto; width: 8px; height: 8px"></b>
        <script>
        window.seen = []
        for (const type of ["click", "keydown"])
          addEventListener(type, (event) => seen.push(`${type} ${event.key ?? event.target.id} ${event.isTrusted}`))
        </script>
        """

    @Test(arguments: BrowserEngine.allCases.tried)
    func tapsTypesAndScrolls(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: Self.page)]) { window in
            let page = try await window.page()
            try await page.input(["type": "tap", "x": 0.5, "y": 0.6])
            try await page.expect("seen.at(-1)", "click link true")
            // The page has a scroll bar, which its picture shows. In WebKit it is over the page, and takes the clicks there.
            let middle = "const { left, top } = edge.getBoundingClientRect()"
            let edge = try await page.call("\(middle); return [(left + 4) / innerWidth, (top + 4) / innerHeight]")
            let place = edge.json.elements.compactMap(\.number)
            try #require(place.count == 2)
            try await page.input(["type": "tap", "x": .number(place[0]), "y": .number(place[1])])
            try await page.expect("seen.at(-1)", "click edge true")
            try await page.input(["type": "tap", "x": 0.5, "y": 0.35])
            try await page.expect("document.activeElement.id", "field")
            for character in ["a", "B", " ", "ü"] {
                try await page.input(["type": "text", "text": .string(character)])
            }
            try await page.expect("field.value", "aB ü")
            try await page.expect("seen.includes('keydown a true')", "true")
            try await page.input(["type": "text", "text": "漢字 🙂 שלום"])
            try await page.expect("field.value", "aB ü漢字 🙂 שלום")
            try await page.input(["type": "key", "key": "Backspace"])
            try await page.expect("field.value", "aB ü漢字 🙂 שלו")
            try await page.input(["type": "key", "key": "Enter"])
            try await page.expect("seen.at(-1)", "keydown Enter true")
            try await page.input(["type": "text", "text": "two\r\nlines"])
            try await page.expect("field.value.split('\\n').slice(1).join('|')", "two|lines")
            try await page.input(["type": "scroll", "deltaY": 400])
            try await page.expect("scrollY > 0", "true")
        }
    }

    private static let steps = """
        <!doctype html><meta name=viewport content="width=device-width"><title>Steps</title>
        <style>* { margin: 0; font: 16px sans-serif } textarea { width: 200px; height: 50px; display: block }
        a { display: block; width: 200px; height: 50px; background: gold }</style>
        <textarea id=field></textarea><a id=link>Click</a>
        <script>
        window.seen = []
        for (const type of ["click", "dblclick", "contextmenu", "mousemove"])
          link.addEventListener(type, (event) => {
            event.preventDefault()
            seen.push([type, event.clientX, event.clientY, event.shiftKey ? "shift" : ""].join(" "))
          })
        </script>
        """

    /// What Capybara's drivers need: a mouse with two buttons, and keys that are held down.
    @Test(arguments: BrowserEngine.allCases.tried)
    func takesStepsOfAMouseAndAKeyboard(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: Self.steps)]) { window in
            let page = try await window.page()
            let move: JSONValue = ["type": "move", "x": 20, "y": 70]
            func button(_ name: JSONValue = "left", clicks: JSONValue = 1) -> [JSONValue] {
                let types: [JSONValue] = ["press", "release"]
                return types.map { ["type": $0, "button": name, "clicks": clicks] }
            }
            func key(_ type: JSONValue, _ name: JSONValue) -> JSONValue { ["type": type, "key": name] }
            try await page.input(["type": "steps", "steps": .array([move] + button())])
            try await page.expect("seen.includes('mousemove 20 70 ')", "true")
            try await page.expect("seen.includes('click 20 70 ')", "true")
            try await page.input(["type": "steps", "steps": .array([move] + button("right"))])
            try await page.expect("seen.includes('contextmenu 20 70 ')", "true")
            let shifted = [move, key("keyDown", "Shift")] + button() + [key("keyUp", "Shift")]
            try await page.input(["type": "steps", "steps": .array(shifted)])
            try await page.expect("seen.includes('click 20 70 shift')", "true")
            try await page.input(["type": "steps", "steps": .array([move] + button() + button(clicks: 2))])
            try await page.expect("seen.includes('dblclick 20 70 ')", "true")
            _ = try await page.call("field.focus()")
            try await page.input(["type": "steps", "steps": [["type": "text", "text": "one two"]]])
            try await page.expect("field.value", "one two")
            let all = [key("keyDown", "Control"), key("keyDown", "a"), key("keyUp", "a"), key("keyUp", "Control")]
            try await page.input(["type": "steps", "steps": .array(all + [key("keyDown", "x"), key("keyUp", "x")])])
            try await page.expect("field.value", "x")
        }
    }

    @Test func aStepThatIsNoneIsNamed() throws {
        let steps = #"[{"type": "move", "x": 1, "y": 2}, {"type": "keyDown", "key": "Hyper"}]"#
        let params = try JSON.parse(#"{"type": "steps", "steps": \#(steps)}"#)
        let error = #expect(throws: RPCError.self) { try PageInput(params) }
        #expect(error?.message.contains("/steps/1") == true && error?.message.contains("found Hyper") == true)
        #expect(throws: RPCError.self) { try PageInput(JSON.parse(#"{"type": "tap", "steps": []}"#)) }
        #expect(throws: RPCError.self) { try PageInput(JSON.parse(#"{"type": "steps"}"#)) }
    }
}

extension Page {
    /// Does what a user does.
    func input(_ params: JSONValue) async throws {
        let input = try PageInput(JSON(params))
        _ = try await withCheckedThrowingContinuation { continuation in
            command(.input(input)) { continuation.resume(with: $0) }
        }
    }

    /// Waits until an expression has a value. Browsers handle input later than its command ends.
    fileprivate func expect(_ expression: String, _ expected: String) async throws {
        let body = """
            const end = performance.now() + 10000
            while (String(\(expression)) !== \(JSONValue.string(expected).text) && performance.now() < end)
              await new Promise((resolve) => setTimeout(resolve, 10))
            return String(\(expression))
            """
        let value = try await call(body).string
        #expect(value == expected, "\(expression)")
    }
}
