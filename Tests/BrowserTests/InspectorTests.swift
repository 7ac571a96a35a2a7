import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// The inspector as its user meets it: one daemon and its app are inspected, and another daemon's driven browser shows
/// the inspector.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4)), .browserTurns) struct InspectorTests {
    @Test(arguments: [BrowserEngine.chromium, .firefox])
    func inspectorPasses(_ engine: BrowserEngine) async throws {
        try await TurboFixture.run(.chromium, .turbo) { fixture in
            let address = fixture.app.address
            try await withBridgedApp(driving: engine, app: .none) { eye in
                eye.timeout = .seconds(20)
                try await eye.open(
                    "http://localhost:\(address.port)/inspector/#token=\(fixture.app.server.token)")
                let inspector = Inspector(fixture: fixture, eye: eye)
                try await inspector.hidesTheToken()
                try await inspector.tapsAnActionButton()
                try await inspector.presentsAndDismissesAModal()
                try await inspector.filtersAndReplays()
                try await inspector.evaluates()
                try await inspector.makesAndRemovesAStub()
                try await inspector.explainsAURL()
            }
        }
    }

    @Test func withoutAToken_theInspectorSaysWhereItIs() async throws {
        try await withBridgedApp(driving: .chromium, app: .none) { eye in
            try await eye.open("/inspector/")
            try await eye.wait(until: "document.getElementById('notice')?.textContent.includes('bridged serve')")
        }
    }

    /// The list has elements only for the rows in sight, so 100,000 records scroll as fast as 100. The limit is four
    /// frames of a display, because other tests run at the same time; alone, a frame takes one.
    @Test(arguments: [BrowserEngine.chromium, .firefox])
    func scrollsThrough100000Records(_ engine: BrowserEngine) async throws {
        try await withBridgedApp(driving: engine, app: .none) { eye in
            eye.timeout = .seconds(30)
            try await eye.open("/inspector/")
            let frames = try await eye.callAsync(Self.scrolling) as Frames
            #expect(frames.rows < 200 && frames.last.contains("99999"))
            #expect(frames.median < 67, "a frame took \(frames.median) ms")
            print("100,000 records in \(engine): a frame takes \(frames.median) ms, \(frames.rows) rows exist")
        }
    }

    private struct Frames: Decodable {
        /// The median time of a frame, in milliseconds.
        let median: Double
        let rows: Int
        /// The text of the last row.
        let last: String
    }

    private static let scrolling = """
        const { VirtualList } = await import("/inspector/virtual-list.js")
        const list = new VirtualList("Numbers", (row, item) => { row.textContent = String(item) }, () => {})
        list.element.style.height = "600px"
        document.body.append(list.element)
        for (let item = 0; item < 100000; item++) list.append(item)
        const frame = () => new Promise(requestAnimationFrame)
        await frame()
        await frame()
        const last = list.element.textContent
        const times = []
        for (let step = 0; step < 120; step++) {
          const begin = performance.now()
          list.element.scrollTop = step * 21000
          await frame()
          times.push(performance.now() - begin)
        }
        times.sort((a, b) => a - b)
        return { median: times[60], rows: list.element.querySelectorAll(".row").length, last }
        """
}

/// What a user does in the inspector, and what has to follow.
@MainActor private struct Inspector {
    let fixture: TurboFixture
    let eye: BridgedApp

    func hidesTheToken() async throws {
        try await eye.wait(until: "document.getElementById('status')?.dataset.state == 'connected'")
        #expect(try await eye.evaluate("location.hash") as String == "")
        try await waitForText(".phone .bar h2", "Home")
    }

    /// The page of /posts asks for a button, and a click on it visits its path.
    func tapsAnActionButton() async throws {
        try fixture.perform("visit", ["url": "/posts"])
        try await waitForText(".screen.main .bar h2", "Posts")
        try await eye.tap(".screen.main .bar [title=plus]")
        try await waitForText(".screen.modal .bar h2", "New post")
        #expect(fixture.paths(.modal) == ["/posts/new"])
    }

    func presentsAndDismissesAModal() async throws {
        #expect(try await eye.evaluate("document.querySelector('.screen.main').inert") as Bool)
        try await eye.tap(".screen.modal [aria-label=Close]")
        try await eye.wait(until: "!document.querySelector('.screen.modal')")
        #expect(fixture.paths(.modal) == [])
        try await eye.tap(".screen.main [aria-label=Back]")
        try await waitForText(".screen.main .bar h2", "Home")
    }

    /// A payload full of HTML stays text, in the list, in the tree and after it was edited.
    func filtersAndReplays() async throws {
        let body = "{name: 'Evil', html: '<img src=x onerror=window.hit=1>'}"
        try await fixture.app.run("webkit.messageHandlers.nativeApp.postMessage(\(body)); undefined")
        try await type("kind:message name:Evil", into: "#traffic input[type=search]")
        try await eye.wait(until: "document.querySelectorAll('#records .row').length == 1")
        try await eye.tap("#records .row")
        try await waitForText(".detail .value.string", "Evil")
        try await eye.tap(".detail .replay .buttons button:nth-child(2)")
        try await eye.run(
            "document.querySelector('.detail textarea').value = JSON.stringify({name: 'Evil', again: true}); undefined")
        try await eye.tap(".detail .edit button")
        try await eye.wait(until: "document.querySelectorAll('#records .row').length == 2")
        let rows = try await eye.evaluate("document.getElementById('records').textContent") as String
        #expect(rows.contains("<img src=x") && rows.contains(#""again":true"#))
        #expect(try await eye.evaluate("typeof window.hit + document.images.length") as String == "undefined0")
    }

    func evaluates() async throws {
        try await eye.tap("#tab-console")
        try await type("6 * 7", into: "#console textarea", key: "Enter")
        try await waitForText("#console .output", "42")
    }

    func makesAndRemovesAStub() async throws {
        try await eye.tap("#tab-pages")
        try await type("contacts", into: "#pages form input")
        try await eye.tap("#pages form button")
        try await eye.wait(until: "!!document.querySelector('#pages .chip button')")
        let isThere = "!!webkit.messageHandlers.contacts"
        #expect(try await fixture.app.evaluate(isThere) as Bool)
        try await eye.tap("#pages .chip button")
        try await eye.wait(until: "!document.querySelector('#pages .chip button')")
    }

    func explainsAURL() async throws {
        try await eye.tap("#tab-stacks")
        try await waitForText("#stacks .stacks", "Home")
        try await type("/posts/new", into: ".explainer input")
        try await eye.tap(".explainer button")
        try await waitForText(".explainer pre", "modal")
    }

    // MARK: Keys and texts

    private func waitForText(_ selector: String, _ text: String) async throws {
        let elements = "[...document.querySelectorAll(\(quoted(selector)))]"
        try await eye.wait(until: "\(elements).some((element) => element.textContent.includes(\(quoted(text))))")
    }

    /// Types as a user does: the field is focused and gets its text, and then a key is pressed or the field is left.
    private func type(_ text: String, into selector: String, key: String? = nil) async throws {
        try await eye.wait(until: "!!document.querySelector(\(quoted(selector)))")
        let end =
            key.map { "field.dispatchEvent(new KeyboardEvent('keydown', {key: \(quoted($0)), bubbles: true}))" }
            ?? "field.dispatchEvent(new Event('change', {bubbles: true}))"
        try await eye.run(
            """
            { const field = document.querySelector(\(quoted(selector))); field.focus(); field.value = \(quoted(text))
              field.dispatchEvent(new Event('input', {bubbles: true})); \(end) }; undefined
            """)
    }

    private func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
