import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// The inspector as its user meets it: one daemon and its app are inspected, and another daemon's driven browser shows
/// the inspector.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4)), .browserTurns) struct InspectorTests {
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
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
                try await inspector.filtersWhileOneTypes()
                try await inspector.exports()
                try await inspector.clearsOnNavigation()
                try await inspector.evaluates()
                try await inspector.completesNames()
                try await inspector.makesAndRemovesAStub()
                try await inspector.explainsAURL()
            }
        }
    }

    /// The list follows its end, so that a row is no longer there when the button is released.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func clickOnAListThatGrows_selects(_ engine: BrowserEngine) async throws {
        try await withBridgedApp(driving: engine, app: .none) { eye in
            eye.timeout = .seconds(30)
            try await eye.open("/inspector/")
            _ = try await eye.callAsync(Self.growing) as Bool
            try await eye.tap("#growing .row:nth-child(5)")
            try await eye.wait(until: "window.selected !== undefined")
            let before = try await eye.evaluate("window.list.length") as Int
            try await eye.wait(until: "window.list.length > \(before)")
            #expect(try await eye.evaluate("window.list.selected === window.selected") as Bool)
        }
    }

    private static let growing = """
        const { VirtualList } = await import("/inspector/virtual-list.js")
        const list = new VirtualList("Numbers", (row, item) => { row.textContent = item.text }, (item) => { window.selected = item })
        list.element.id = "growing"
        list.element.style.height = "600px"
        document.body.replaceChildren(list.element)
        for (let number = 0; number < 100; number++) list.append({ text: String(number) })
        window.list = list
        setInterval(() => list.append({ text: String(list.length) }), 1)
        return true
        """

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func tapOnAPhoneThatChanges_arrives(_ engine: BrowserEngine) async throws {
        try await withBridgedApp(driving: engine, app: .none) { eye in
            eye.timeout = .seconds(30)
            try await eye.open("/inspector/")
            _ = try await eye.callAsync(Self.changing) as Bool
            try await eye.tap(.role("button", name: "News"))
            try await eye.wait(until: "window.performed?.tab === 'News'")
            let count = try await eye.evaluate("count") as Int
            try await eye.wait(until: "document.querySelector('.phone h2').textContent > \(count + 10)")
        }
    }

    /// A phone whose screen gets another title 33 times a second, which is often enough to come while a finger is down. (With
    /// one each millisecond, or each hundredth of a second in Firefox, a busy machine did nothing else.)
    private static let changing = """
        const { DevicePanel } = await import("/inspector/device.js")
        const panel = document.createElement("div")
        document.body.replaceChildren(panel)
        const control = { isLive: true, call: async (method, parameters) => { window.performed = parameters; return state() } }
        const pictures = Object.assign(new EventTarget(), { of: () => null, missing: "", hurry() {}, show() {} })
        window.count = 0
        const state = () => ({
          framework: "ios@1.3", visible: "main", modal: [], alerts: [], webViews: {}, main: [{ url: "http://localhost/", title: String(count++) }],
          tabs: [{ title: "Home", selected: true }, { title: "News", selected: false }],
        })
        const device = new DevicePanel(control, panel, pictures)
        setInterval(() => device.show(state()), 30)
        return true
        """

    /// The requests of a driven page: images only if asked for, and those of `bridged doctor` never.
    @Test(arguments: BrowserEngine.allCases.tried)
    func showsTheRequestsOfThePageOnly(_ engine: BrowserEngine) async throws {
        let site = try await StaticApp(
            """
            <!doctype html><title>Shop</title><script src="/shop.js"></script><img src="/tea.png"><h1>Shop</h1>
            """)
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url)
            // Firefox may ask again for an image that it began to load before it had read the page.
            try await app.expectRequests(to: "/tea.png")
            let before = Set(app.requestURLs)
            _ = try app.fault("/shop.js", .offline, times: 1)
            let doctor = try await Executable.run(["doctor", "--url", app.address.url, "--json"])
            #expect(doctor.output.contains(#""code""#))
            // WebKit applies faults to documents only.
            let lost = engine == .webkit ? "answered" : "lost"
            let script = "return await fetch('/shop.js').then(() => 'answered', () => 'lost')"
            #expect(try await app.callAsync(script) as String == lost, "doctor leaves faults to the page")
            _ = try await app.callAsync("await fetch('/last'); return true") as Bool
            try await app.expectRequests(to: "/last", count: 1)
            let new = app.requestURLs.filter { !before.contains($0) || $0.contains("#") }
            #expect(new == ["\(site.url)last"])
            #expect(app.requestURLs.count { $0 == site.url } == 1)
            try await withBridgedApp(driving: .chromium, app: .none) { eye in
                eye.timeout = .seconds(20)
                try await eye.open("\(app.address.url)inspector/#token=\(app.server.token)&panel=requests")
                let inspector = Inspector(fixture: nil, eye: eye)
                try await inspector.waitForText("#request-list .row", "/shop.js")
                #expect(
                    !(try await eye.evaluate("document.getElementById('request-list').textContent") as String).contains(
                        "tea.png"))
                try await eye.tap("#requests .toolbar input")
                try await inspector.waitForText("#request-list .row", "/tea.png")
                try await eye.tap("#request-list .row:nth-child(2)")
                try await inspector.waitForText("#requests .detail", "requestURL")
                #expect(
                    try await eye.evaluate(
                        "document.querySelector('#request-list .track span').style.width.endsWith('%')")
                        as Bool)
            }
        }
    }

    /// What was copied from one run holds in the next, in which times and ids are others.
    @Test func copiedStepsPass_inTheNextRun() async throws {
        let post = """
            webkit.messageHandlers.camera.postMessage({
              name: 'Take', quality: 'high', at: Date.now(), id: crypto.randomUUID(), shots: [{ id: Math.random(), flash: null }],
            }).then((photo) => { window.photo = photo.name + Date.now() }); undefined
            """
        let steps = try await withBridgedApp(driving: .chromium) { app in
            app.stub("camera", reply: .value(["name": "cat"]))
            try await app.open("/demo/")
            try await app.run(post)
            try await app.wait(until: "window.photo?.startsWith('cat')")
            try await app.run(
                "fetch('/demo/demo.css?at=' + Date.now()).then(() => { window.hasStyles = true }); undefined")
            try await app.wait(until: "window.hasStyles")
            _ = try await app.nextRecord(TrafficFilter(parsing: "kind:request demo.css?at="))
            return try await withBridgedApp(driving: .chromium, app: .none) { eye in
                try await eye.open("\(app.address.url)inspector/#token=\(app.server.token)")
                return try await eye.callAsync(Self.copying) as [String]
            }
        }
        #expect(steps.count == 3, "\(steps)")
        let folder = try TemporaryFolder()
        let first = [steps[0], #"- open: /demo/"#, "- evaluate: \(JSONValue.string(post).text)", steps[1]]
        let second = [
            #"- wait: window.photo?.startsWith("cat")"#,
            "- evaluate: fetch('/demo/demo.css?at=' + Date.now()); undefined",
            steps[2],
        ]
        let flow = (["name: Copied", "steps:"] + (first + second).map { "  \($0)" }).joined(separator: "\n")
        try Data(flow.utf8).write(to: URL(fileURLWithPath: folder.path("copied.yml")))
        let outcome = try await Executable.run(
            ["test", "--in", "chromium", "--port", "0", "--trace", "off", folder.path("copied.yml")])
        #expect(outcome.status == 0, "\(flow)\n\(outcome.output)")
    }

    /// Presses the buttons with which a stub, a message and a request are copied.
    private static let copying = """
        const until = async (condition) => { while (!condition()) await new Promise((done) => setTimeout(done, 20)) }
        const copied = []
        Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text) } } })
        const filter = () => document.querySelector("#traffic input[type=search]")
        await until(filter)
        for (const [text, button] of [
          ["kind:message Take", "Copy as stub"], ["kind:message Take", "Copy as flow step"],
          ["kind:request demo.css?at=", "Copy as flow step"],
        ]) {
          filter().value = text
          filter().dispatchEvent(new Event("change"))
          document.querySelector("#traffic .detail").replaceChildren()
          const row = () => document.querySelector("#records .row:first-child")
          await until(() => row()?.textContent.includes(text.split(" ")[1]))
          row().click()
          const find = () => [...document.querySelectorAll("#traffic .detail button")].find(({ textContent }) => textContent === button)
          await until(find)
          find().click()
        }
        return copied
        """

    @Test func withoutAToken_theInspectorSaysWhereItIs() async throws {
        try await withBridgedApp(driving: .chromium, app: .none) { eye in
            try await eye.open("/inspector/")
            try await eye.wait(until: "document.getElementById('notice')?.textContent.includes('bridged serve')")
        }
    }

    /// The list has elements only for the rows in sight, so 100,000 records scroll as fast as 100. The limit is four
    /// frames of a display, because other tests run at the same time; alone, a frame takes one.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
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

extension BridgedApp {
    fileprivate var requestURLs: [String] {
        traffic.compactMap { if case .request(let request, _) = $0.event { request.url } else { nil } }
    }
}

/// What a user does in the inspector, and what has to follow.
@MainActor private struct Inspector {
    /// The app that is inspected, for the steps that act in it.
    let fixture: TurboFixture?
    let eye: BridgedApp

    func hidesTheToken() async throws {
        try await eye.wait(until: "document.getElementById('status')?.dataset.state == 'connected'")
        #expect(try await eye.evaluate("location.hash") as String == "")
        try await waitForText(".phone .bar h2", "Home")
    }

    /// The page of /posts asks for a button, and a click on it visits its path.
    func tapsAnActionButton() async throws {
        try fixture?.perform("visit", ["url": "/posts"])
        try await waitForText(".screen.main .bar h2", "Posts")
        try await eye.tap(".screen.main .bar [title=plus]")
        try await waitForText(".screen.modal .bar h2", "New post")
        #expect(fixture?.paths(.modal) == ["/posts/new"])
    }

    func presentsAndDismissesAModal() async throws {
        #expect(try await eye.evaluate("document.querySelector('.screen.main').inert") as Bool)
        try await eye.tap(".screen.modal [aria-label=Close]")
        try await eye.wait(until: "!document.querySelector('.screen.modal')")
        #expect(fixture?.paths(.modal) == [])
        try await eye.tap(".screen.main [aria-label=Back]")
        try await waitForText(".screen.main .bar h2", "Home")
    }

    /// A payload full of HTML stays text, in the list, in the tree and after it was edited.
    func filtersAndReplays() async throws {
        let body = "{name: 'Evil', html: '<img src=x onerror=window.hit=1>'}"
        try await fixture?.app.run("webkit.messageHandlers.nativeApp.postMessage(\(body)); undefined")
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

    /// The list follows without Enter, and an unfinished term is no mistake.
    func filtersWhileOneTypes() async throws {
        try await enter("evil kind:mess", into: "#traffic input[type=search]")
        try await eye.wait(until: "document.querySelectorAll('#records .row').length >= 2")
        let rows = "[...document.querySelectorAll('#records .row')]"
        try await eye.wait(until: "\(rows).every((row) => row.textContent.includes('Evil'))")
        #expect(try await eye.evaluate("document.querySelector('#traffic .error').hidden") as Bool)
        try await enter("evil kind:message", into: "#traffic input[type=search]")
        try await eye.wait(until: "\(rows).length == 2")
        #expect(try await eye.evaluate("\(rows)[0].querySelector('.handler').textContent") as String == "nativeApp")
    }

    func exports() async throws {
        try await eye.run(
            """
            { const make = URL.createObjectURL
              URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text }); return make.call(URL, blob) } }
            undefined
            """)
        for (format, text) in [
            ("HAR", #""version":"1.2""#), ("NDJSON", "Evil"), ("Cassette", "name: What native code replied"),
        ] {
            try await eye.run("window.saved = ''; undefined")
            try await eye.tap("#traffic [aria-label='Export as \(format)']")
            try await eye.wait(until: "window.saved.includes(\(quoted(text)))")
        }
    }

    func clearsOnNavigation() async throws {
        try await enter("", into: "#traffic input[type=search]")
        try await eye.wait(until: "document.querySelectorAll('#records .row').length > 5")
        try await eye.run("[...document.querySelectorAll('#traffic .toggle')].at(-1).firstChild.click(); undefined")
        try fixture?.perform("visit", ["url": "/posts"])
        let first = "document.querySelector('#records .row[aria-posinset=\"1\"]')?.textContent"
        try await eye.wait(until: "(\(first) ?? '').includes('visit') && !\(first).includes('relaunch')")
        try await eye.run("[...document.querySelectorAll('#traffic .toggle')].at(-1).firstChild.click(); undefined")
        try fixture?.perform("back")
        try await waitForText(".screen.main .bar h2", "Home")
    }

    func evaluates() async throws {
        try await eye.tap("#tab-console")
        for (source, result) in [
            ("6 * 7", "42"), ("const answer = await Promise.resolve(43); answer", "43"), ("answer + 1", "44"),
            ("document.body", "<body>"), ("location", "pathname"), ("new Map([[1, 'one']])", "Map"),
            ("for (let i = 0; i < 3; i++) i", "2"), ("nowhere", "ReferenceError"), ("let {", "SyntaxError"),
        ] {
            try await type(source, into: "#console textarea", key: "Enter")
            // A source may have its result's text.
            try await waitForText("#console .entry:last-child:not([data-tone=source])", result)
        }
    }

    /// Tab takes the first name, and only while the list is open.
    func completesNames() async throws {
        try await enter("document.titl", into: "#console textarea")
        try await waitForText("#console-names", "title")
        try await type("document.titl", into: "#console textarea", key: "Tab")
        #expect(
            try await eye.evaluate("document.querySelector('#console textarea').value") as String == "document.title")
        #expect(try await eye.evaluate("document.getElementById('console-names').hidden") as Bool)
        try await type("", into: "#console textarea")
    }

    func makesAndRemovesAStub() async throws {
        try await eye.tap("#tab-pages")
        try await type("contacts", into: "#pages form input")
        try await eye.tap("#pages form button")
        try await eye.wait(until: "!!document.querySelector('#pages .chip button')")
        let isThere = "!!webkit.messageHandlers.contacts"
        #expect(try await fixture?.app.evaluate(isThere) as Bool? == true)
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

    func waitForText(_ selector: String, _ text: String) async throws {
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

    /// Types without leaving the field.
    private func enter(_ text: String, into selector: String) async throws {
        try await eye.run(
            """
            { const field = document.querySelector(\(quoted(selector))); field.focus(); field.value = \(quoted(text))
              field.dispatchEvent(new Event('input', {bubbles: true})) }; undefined
            """)
    }

    private func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
