import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import BridgeTesting

/// Ten tours that a person makes with real input: each is recorded in one engine, and its flow passes in the two others. The
/// engine of the recording changes from tour to tour; `BRIDGED_ALL_ENGINES=1` records each tour in all three.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct RecordingTests {
    /// Where a tour begins, how the app is, what the person does, and the flow that it becomes.
    @MainActor struct Tour {
        let name: String
        var path = "/"
        var configure: (inout EmulatedApp.Configuration, URL) -> Void = { _, _ in }
        let act: (Person) async throws -> Void
        /// Parts of the flow, in this order.
        let steps: [String]
        /// Is true in the page at the end.
        let end: String
    }

    /// Gives a driven browser what a finger and a keyboard do.
    @MainActor struct Person {
        let app: BridgedApp

        func tap(_ selector: String) async throws { try await app.tap(selector) }
        func type(_ text: String) async throws {
            for character in text {
                try await app.page().input(["type": "text", "text": .string(String(character))])
            }
        }
        func press(_ key: String) async throws { try await app.page().input(["type": "key", "key": .string(key)]) }
        func perform(_ action: String, _ arguments: [String: String] = [:]) async throws {
            try await app.app?.perform(action, arguments).arrive()
        }
        func see(_ expression: String) async throws { try await app.wait(until: expression, within: .seconds(20)) }
        func see(title: String) async throws {
            try await see("document.title === '\(title)' && document.readyState === 'complete'")
        }
    }

    private static let pages: [String: DrivenSite.Page] = [
        "/": .init(
            html: """
                <!doctype html><title>Home</title><a href=/second>Second</a>
                <p><button>Plain</button> <b data-testid=bold>Bold</b> <i id=it>It</i></p><output></output>
                <script>
                for (const [index, element] of document.querySelectorAll("button, b, i").entries())
                  element.onclick = () => {
                    const body = { name: "Tapped", index, at: Date.now(), id: crypto.randomUUID?.() ?? "" }
                    webkit.messageHandlers.nativeApp.postMessage(body)
                    document.querySelector("output").textContent += index
                  }
                </script>
                """),
        "/second": .init(html: "<!doctype html><title>Second</title><a href=/third>Third</a>"),
        "/third": .init(html: "<!doctype html><title>Third</title><p>The end</p>"),
        "/form": .init(
            html: """
                <!doctype html><title>Form</title><form action=/sent>
                <p><label>City <input name=city></label><label>Note <textarea name=note></textarea></label></p>
                <p><input name=tag placeholder=Tag><input name=other id=other></p>
                <p><label>Country <select name=country><option>France<option>Germany</select></label></p>
                <p><label><input type=checkbox name=terms value=yes> Terms</label>
                <label><input type=checkbox name=news value=no checked> News</label></p>
                <p><label><input type=radio name=size value=s> Small</label><label><input type=radio name=size value=l> Large</label></p>
                <button>Send</button></form>
                <script>document.querySelector("select").onkeydown = () => {}</script>
                """),
        "/search": .init(
            html: """
                <!doctype html><title>Search</title><label>Search <input id=q></label><ul></ul>
                <script>
                const say = (event, text) => webkit.messageHandlers.nativeApp.postMessage({ name: event, text })
                q.oninput = () => say("Typed", q.value)
                q.onkeydown = (event) => {
                  if (event.key !== "Enter") return
                  document.querySelector("ul").innerHTML = `<li><button>Result of ${q.value}</button>`
                  say("Searched", q.value)
                }
                document.querySelector("ul").onclick = (event) => { event.target.textContent = "Found ${literally}" }
                </script>
                """),
        "/more": .init(
            html: """
                <!doctype html><title>More</title><style>[contenteditable] { min-height: 2em }</style><div contenteditable role=textbox aria-label=Note><p></p></div>
                <p contenteditable role=textbox id=plain></p><label>Colours <select multiple><option>Red<option>Green<option>Blue</select></label>
                <label>Photo <input type=file></label>
                """),
        "/menu": .init(
            html: """
                <!doctype html><title>Menu</title><button id=open>Menu</button>
                <div role=menu hidden><div role=menuitem>Copy</div><div role=menuitem>Paste</div></div>
                <details><summary>More</summary><a href="#x" onclick="document.body.dataset.more = 1">Inside</a></details>
                <script>
                const menu = document.querySelector("[role=menu]")
                document.getElementById("open").onclick = () => { menu.hidden = false }
                menu.onclick = (event) => { document.body.dataset.chosen = event.target.textContent; menu.hidden = true }
                addEventListener("keydown", (event) => {
                  if (event.key === "Escape") { menu.hidden = true; document.body.dataset.escaped = "yes" }
                })
                </script>
                """),
        "/in": .init(
            html: """
                <!doctype html><title>Sign in</title><form><label>Email <input type=email></label>
                <label>Password <input type=password></label><button>Sign in</button></form><output></output>
                <script>
                document.querySelector("form").onsubmit = (event) => {
                  event.preventDefault()
                  const [email, password] = document.querySelectorAll("input")
                  webkit.messageHandlers.nativeApp.postMessage({ name: "SignIn", email: email.value, password: password.value })
                  document.querySelector("output").textContent = `${email.value}:${password.value}`
                }
                </script>
                """),
    ]

    private static let sent: DrivenSite.Page = .init(
        html: "<!doctype html><title>Sent</title><script>document.write(location.search)</script>")

    static let tours: [Tour] = [
        Tour(
            name: "taps",
            act: { person in
                for selector in ["button", "b", "i"] { try await person.tap(selector) }
                try await person.see("document.querySelector('output').textContent === '012'")
            },
            steps: [
                #"tap: {"role":"button","name":"Plain"}"#, #""index":0"#, #"tap: {"text":"Bold"}"#,
                #""index":1"#, #"tap: {"text":"It"}"#, #""index":2"#,
            ], end: "document.querySelector('output').textContent === '012'"),
        Tour(
            name: "links and back",
            act: { person in
                try await person.tap("a")
                try await person.see(title: "Second")
                try await person.tap("a")
                try await person.see(title: "Third")
                try await person.perform("back")
                try await person.see(title: "Second")
                try await person.tap("a")
                try await person.see(title: "Third")
            },
            steps: [
                #"tap: {"role":"link","name":"Second"}"#, #"tap: {"role":"link","name":"Third"}"#,
                #"perform: {"action":"back"}"#, #"tap: {"role":"link","name":"Third"}"#,
            ], end: "document.title === 'Third'"),
        Tour(
            name: "tabs",
            configure: { app, url in
                app.rootURL = url
                app.tabs = [("One", "/"), ("Two", "/second")].compactMap { title, path in
                    URL(string: path).map { .init(title: title, url: $0) }
                }
            },
            act: { person in
                try await person.perform("tapTab", ["tab": "Two"])
                try await person.see(title: "Second")
                try await person.tap("a")
                try await person.see(title: "Third")
                try await person.perform("tapTab", ["tab": "One"])
                try await person.see(title: "Home")
                try await person.tap("b")
                try await person.see("document.querySelector('output').textContent === '1'")
            },
            steps: [
                #"perform: {"action":"tapTab","tab":"Two"}"#, #"tap: {"role":"link","name":"Third"}"#,
                #"perform: {"action":"tapTab","tab":"One"}"#, #"tap: {"text":"Bold"}"#,
            ], end: "document.querySelector('output').textContent === '1'"),
        Tour(
            name: "menus", path: "/menu",
            act: { person in
                try await person.tap("#open")
                try await person.press("Escape")
                try await person.see("document.body.dataset.escaped")
                try await person.tap("#open")
                try await person.tap("[role=menuitem]:last-child")
                try await person.tap("summary")
                try await person.tap("details a")
                try await person.see("document.body.dataset.more")
            },
            steps: [
                #"tap: {"role":"button","name":"Menu"}"#, "press: \"Escape\"",
                #"tap: {"role":"menuitem","name":"Paste"}"#,
                #"tap: {"role":"button","name":"More"}"#, #"tap: {"role":"link","name":"Inside"}"#,
            ],
            end:
                "document.body.dataset.chosen === 'Paste' && document.body.dataset.more && document.body.dataset.escaped"
        ),
        Tour(
            name: "a form", path: "/form",
            act: { person in
                try await person.tap("[name=city]")
                try await person.type("Köln ${x}")
                try await person.tap("[name=note]")
                try await person.type("a")
                try await person.press("Enter")
                try await person.type("b")
                try await person.tap("[name=tag]")
                try await person.type("t")
                try await person.tap("[name=other]")
                try await person.type("o")
                try await person.tap("[name=terms]")
                try await person.tap("[name=news]")
                try await person.tap("[value=l]")
                try await person.app.run("document.querySelector('select').focus()")
                try await person.type("G")
                try await person.see("document.querySelector('select').value === 'Germany'")
                try await person.tap("button")
                try await person.see(title: "Sent")
            },
            steps: [
                #"fill: {"label":"City","with":"Köln $${x}"}"#, #"fill: {"label":"Note","with":"a\nb"}"#,
                #"fill: {"placeholder":"Tag","with":"t"}"#, ##"fill: {"css":"#other","with":"o"}"##,
                #"check: {"label":"Terms"}"#, #"uncheck: {"label":"News"}"#, #"check: {"label":"Large"}"#,
                #"select: {"label":"Country","option":"Germany"}"#, #"tap: {"role":"button","name":"Send"}"#,
            ],
            end: """
                location.search === '?city=K%C3%B6ln+%24%7Bx%7D&note=a%0D%0Ab&tag=t&other=o&country=Germany&terms=yes&size=l'
                """),
        Tour(
            name: "Enter in a form", path: "/form",
            act: { person in
                try await person.tap("[name=city]")
                try await person.type("Rom")
                try await person.press("Enter")
                try await person.see(title: "Sent")
            },
            steps: [#"fill: {"label":"City","with":"Rom"}"#, #"press: {"key":"Enter","label":"City"}"#],
            end: "location.search.startsWith('?city=Rom&')"),
        Tour(
            name: "a search", path: "/search",
            act: { person in
                try await person.tap("#q")
                try await person.type("abc")
                try await person.press("Enter")
                try await person.tap("li button")
                try await person.see("document.querySelector('li').textContent.startsWith('Found')")
            },
            steps: [
                #"fill: {"label":"Search","with":"abc"}"#, #""text":"abc""#,
                #"press: {"key":"Enter","label":"Search"}"#,
                #""name":"Searched""#, #"tap: {"role":"button","name":"Result of abc"}"#,
            ], end: "document.querySelector('li').textContent === 'Found ${literally}'"),
        Tour(
            name: "a sign-in", path: "/in",
            act: { person in
                try await person.tap("[type=email]")
                try await person.type("zoe@example.com")
                try await person.tap("[type=password]")
                try await person.type("hunter2")
                try await person.tap("button")
                try await person.see("document.querySelector('output').textContent !== ''")
            },
            steps: [
                #"  PASSWORD: #"#, #"fill: {"label":"Email","with":"zoe@example.com"}"#,
                #"fill: {"label":"Password","with":"${PASSWORD}"}"#, #"tap: {"role":"button","name":"Sign in"}"#,
                #"expect message: {"handler":"nativeApp","name":"SignIn"}"#,
            ], end: "document.querySelector('output').textContent === 'zoe@example.com:hunter2'"),
        Tour(
            name: "other fields", path: "/more",
            act: { person in
                try await person.tap("[role=textbox]")
                try await person.type("a ")
                try await person.press("Enter")
                try await person.type("b")
                try await person.tap("#plain")
                try await person.type("Hi")
                try await person.app.run("document.querySelector('select').focus()")
                try await person.type("G")
                try await person.see("document.querySelector('select').value === 'Green'")
                try await person.app.chooseFiles(["Package.swift"], for: .css("input"))
            },
            steps: [
                #"fill: {"label":"Note","with":"a \nb"}"#, ##"fill: {"css":"#plain","with":"Hi"}"##,
                #"select: {"label":"Colours","options":["Green"]}"#,
                #"choose file: {"label":"Photo","file":"Package.swift"}"#,
            ],
            end: """
                document.querySelector('div').innerText.trim().split(/\\s+/).join() === 'a,b' && plain.innerText === 'Hi' && document.querySelector('select').value === 'Green'
                && document.querySelector('input').files[0].name === 'Package.swift'
                """),
    ]

    /// Two with Turbo: a modal that is swiped away, and a form that a modal sends.
    private static let turboTours: [Tour] = [
        Tour(
            name: "a modal", configure: { app, _ in app.pathConfiguration = rules },
            act: { person in
                try await person.tap("#new")
                try await person.see("document.title === 'New post'")
                try await person.tap("#save")
                try await person.see("document.body.innerText.includes('A title is missing')")
                try await person.perform("dismissModal")
                try await person.see("document.title === 'Home'")
                try await person.tap("#posts")
                try await person.see("document.title === 'Posts'")
                try await person.tap("#first")
                try await person.see("document.title === 'Post 1'")
            },
            steps: [
                #"tap: {"role":"link","name":"New post"}"#, #"tap: {"role":"button","name":"Save"}"#,
                #"perform: {"action":"dismissModal"}"#, #"tap: {"role":"link","name":"Posts"}"#,
                #"tap: {"role":"link","name":"One"}"#,
            ], end: "document.title === 'Post 1'"),
        Tour(
            name: "a form in a modal, and back", configure: { app, _ in app.pathConfiguration = rules },
            act: { person in
                try await person.tap("#new")
                try await person.see("document.title === 'New post'")
                try await person.tap("#title")
                try await person.type("One")
                try await person.tap("#save")
                try await person.see("document.title === 'Post 1'")
                try await person.perform("back")
                try await person.see("document.title === 'Home'")
            },
            steps: [
                #"tap: {"role":"link","name":"New post"}"#, ##"fill: {"css":"#title","with":"One"}"##,
                #"tap: {"role":"button","name":"Save"}"#, #"perform: {"action":"back"}"#,
            ], end: "document.title === 'Home'"),
    ]

    private static var rules: PathConfiguration {
        PathConfiguration(
            sources: [.file(Repository.file("Examples/TurboApp/path-configuration.json"))],
            options: .init(platform: .ios))
    }

    /// What a person does at a failure at which `--watch` has paused.
    @Test func recordsInPagesThatAreOpen() async throws {
        try requireDriven(.chromium)
        let site = try DrivenSite(Self.pages)
        let app = try await makeApp(Self.tours[0], at: site.url, in: .driven(.chromium))
        try await app.open(site.url)
        let (steps, noted) = AsyncStream.makeStream(of: String.self)
        let recorder = FlowRecorder(app.server, app.emulatedApp) { noted.yield($0) }
        // The page has the recorder's script when the result of a later one has come.
        try await app.run("undefined")
        try await app.tap("b")
        var iterator = steps.makeAsyncIterator()
        #expect(await iterator.next() == #"tap: {"text":"Bold"}"#)
        withExtendedLifetime(recorder) {}
        await app.close()
    }

    @Test(arguments: 0..<9) func tourIsRecorded_andPlayedBack(_ number: Int) async throws {
        var pages = Self.pages
        for query in ["?city=Rom&note=&tag=&other=&country=France&news=no"] { pages["/sent\(query)"] = Self.sent }
        pages["/sent?city=K%C3%B6ln+%24%7Bx%7D&note=a%0D%0Ab&tag=t&other=o&country=Germany&terms=yes&size=l"] =
            Self.sent
        let site = try DrivenSite(pages)
        try await check(Self.tours[number], at: site.url, number)
    }

    @Test(.needs(.turbo8), arguments: 0..<2) func tourWithTurboIsRecorded_andPlayedBack(_ number: Int) async throws {
        let web = try await WebApp(.turbo8)
        try await check(Self.turboTours[number], at: web.url, number)
    }

    private func check(_ tour: Tour, at url: String, _ number: Int) async throws {
        let engines = BrowserEngine.allCases
        for engine in engines { try requireDriven(engine) }
        let isComplete = ProcessInfo.processInfo.environment["BRIDGED_ALL_ENGINES"] != nil
        for (index, engine) in engines.enumerated() where isComplete || index == number % engines.count {
            let flow = try await record(tour, at: url, in: engine)
            var rest = flow[...]
            for step in tour.steps {
                let found = rest.firstRange(of: step)
                try #require(found != nil, "\(tour.name) in \(engine): no \(step) in\n\(flow)")
                rest = rest[(found?.upperBound ?? rest.endIndex)...]
            }
            #expect(flow.matches(of: #/open: /#).count == 1 && !flow.contains("hunter2"), "\(flow)")
            // This would open a panel for files.
            #expect(!flow.contains(#"tap: {"label":"Photo"}"#), "\(flow)")
            #expect(!flow.contains(#""at":"#) && !flow.contains(#""id":"#), "\(flow)")
            for other in engines where other != engine {
                let result = try await play(
                    flow + "  - wait: \(tour.end.replacing("${", with: "$${").text)\n", tour, at: url, in: other)
                let failure = result.failure.map { "\($0.place(in: result.flow)): \($0.expected); \($0.found)" }
                #expect(failure == nil, "\(tour.name), recorded in \(engine), in \(other):\n\(flow)")
            }
        }
    }

    private func makeApp(_ tour: Tour, at url: String, in engine: TestBrowser) async throws -> BridgedApp {
        var configuration = BridgeServer.Configuration()
        configuration.port = 0
        let server = try BridgeServer(configuration)
        var app = EmulatedApp.Configuration()
        tour.configure(&app, try #require(URL(string: url)))
        return try await BridgedApp(engine, server: server, emulatedApp: try EmulatedApp(server: server, app))
    }

    private func record(_ tour: Tour, at url: String, in engine: BrowserEngine) async throws -> String {
        let app = try await makeApp(tour, at: url, in: .driven(engine))
        app.timeout = .seconds(20)
        let recorder = FlowRecorder(app.server, app.emulatedApp) { _ in }
        do {
            try await app.open(url + tour.path)
            try await tour.act(Person(app: app))
            // What the page has posted has been received when the result of a script has.
            try await app.run("undefined")
            await app.close()
        } catch {
            await app.close()
            throw error
        }
        return recorder.flow(named: tour.name)
    }

    private func play(_ flow: String, _ tour: Tour, at url: String, in engine: BrowserEngine) async throws -> FlowResult
    {
        let runner = FlowRunner { _, engine, _ in try await makeApp(tour, at: url, in: engine) }
        let inputs = FlowInputs(commandLine: ["PASSWORD": "hunter2"])
        return await runner.run(try Flow(YAMLFile(name: "tour.yml", text: flow), inputs), in: .driven(engine))
    }
}
