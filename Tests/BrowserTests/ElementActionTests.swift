import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// What a user does with the elements of a page, in driven browsers and in pages with the script tag.
@MainActor @Suite(.serialized, .timeLimit(.minutes(6)), .browserTurns) struct ElementActionTests {
    nonisolated static let browsers: [TestBrowser] =
        BrowserEngine.allCases.tried.map { .driven($0) } + Browser.Engine.allCases.tried.map { .attached($0) }

    /// Those that differ in what these tests show: with the tag, the same script runs in each.
    nonisolated static let fewerBrowsers: [TestBrowser] =
        BrowserEngine.allCases.tried.map { .driven($0) } + [.attached(.chromium)]

    /// Notes each event of a field, and whether it is a user's.
    private static let script = """
        <script>
        window.seen = []
        for (const type of ["input", "change", "keyup"]) {
          addEventListener(type, ({ target, isTrusted }) => seen.push(`${type} ${target.id} ${isTrusted}`), true)
        }
        const noted = (type) => (event) => { document.title = `${type} ${event.currentTarget.id}` }
        </script>
        """

    private static let form = """
        <form id=form action="/sent" onsubmit="event.preventDefault(); document.title = 'sent ' + q.value">
          <label for=name>Name <abbr>*</abbr></label><input id=name value="old name" required>
          <input id=q type=search placeholder="Search the shop">
          <label>Country <select id=country><option value=de>Germany</option><option value=fr>France</option>
            <option disabled>Atlantis</option></select></label>
          <select id=several multiple aria-label=Colours><option>Red</option><option>Green</option><option>Blue</option></select>
          <label>Note <textarea id=note></textarea></label>
          <div id=rich contenteditable aria-label=Body style="min-height: 2em">old text</div>
          <label>Age <input id=age type=number></label> <label>Birthday <input id=birthday type=date></label>
          <label>Password <input id=password type=password></label>
          <label style="text-transform: uppercase">Terms <input id=terms type=checkbox></label>
          <label><input type=radio name=size id=small> Small</label> <label><input type=radio name=size id=large> Large</label>
          <button type=button id=toggle role=switch aria-checked=false
            onclick="ariaChecked = ariaChecked === 'false'">Wifi</button>
          <label>Photo <input type=file id=photo></label>
          <label id=attach style="border: 1px solid">Attach <input type=file id=hidden multiple style="display: none"></label>
          <input id=fixed readonly value=fixed aria-label=Fixed> <input id=off disabled aria-label=Off>
          <input type=checkbox id=stubborn aria-label=Stubborn onclick="event.preventDefault()">
          <button>Send</button>
        </form>
        """

    /// Runs `body` in a browser with a page.
    private func withPage(
        _ browser: TestBrowser, _ html: String, _ body: @MainActor (BridgedApp) async throws -> Void
    ) async throws {
        func run(_ app: BridgedApp) async throws {
            app.timeout = .seconds(8)
            let page = "<title>Page</title>\(Self.script)\(html)"
            guard case .driven = browser else { return try await shown(app, page, body) }
            let site = try DrivenSite(["/": .init(html: "<!doctype html>\(page)")])
            try await app.open(site.url)
            try await body(app)
        }
        switch browser {
        case .driven(let engine):
            try requireDriven(engine)
            try await withBridgedApp(driving: engine, app: .none) { try await run($0) }
        case .attached(let engine):
            try requireInstalled(engine)
            try await withBridgedApp(in: engine, app: .none) { try await run($0) }
        }
    }

    private func shown(
        _ app: BridgedApp, _ page: String, _ body: @MainActor (BridgedApp) async throws -> Void
    ) async throws {
        try await app.open(app.serve(page))
        try await body(app)
    }

    private func reason(_ app: BridgedApp, _ action: ElementAction) async -> String {
        do {
            try await app.perform(action, within: .milliseconds(100))
            return "none"
        } catch {
            return (error as? BridgedAppFailure)?.found ?? "\(error)"
        }
    }

    @Test(arguments: browsers) func fieldsAreFilled(_ browser: TestBrowser) async throws {
        try await withPage(browser, Self.form) { app in
            try await app.fill(.label("Name"), with: "Zoë O'Neil")
            try await app.expect(.init(.css("#name"), value: "Zoë O'Neil"))
            let seen: [String] = try await app.evaluate("seen")
            let isTrusted = if case .driven = browser { true } else { false }
            #expect(seen.contains("input name \(isTrusted)"), "\(seen)")
            try await app.fill(.label("Note"), with: "two\nlines")
            #expect(try await app.evaluate("note.value") == "two\nlines")
            try await app.fill(.label("Body"), with: "new text")
            try await app.expect(.init(.css("#rich"), value: "new text"))
            try await app.fill(.label("Age"), with: "42")
            try await app.fill(.label("Birthday"), with: "2001-02-03")
            try await app.fill(.label("Password"), with: "geheim!")
            #expect(
                try await app.evaluate("`${age.value} ${birthday.value} ${password.value.length}`") == "42 2001-02-03 7"
            )
            // The log has the script's calls without what was typed.
            let records = app.server.traffic.query(limit: .max).records.map { String(decoding: $0.line, as: UTF8.self) }
            #expect(records.contains { $0.contains("fill(target, secretText") })
            #expect(!records.contains { $0.contains("geheim!") })
            // Filling with nothing clears the field.
            try await app.fill(.label("Name"), with: "")
            #expect(try await app.evaluate("document.getElementById('name').value") == "")
        }
    }

    @Test(arguments: browsers) func keysAreTyped(_ browser: TestBrowser) async throws {
        try await withPage(browser, Self.form) { app in
            try await app.type("tea", into: .placeholder("Search the shop"))
            try await app.type("s")
            try await app.press(.named(.backspace))
            #expect(try await app.evaluate("q.value") == "tea")
            let ups: Int = try await app.evaluate("seen.filter((event) => event.startsWith('keyup q')).length")
            #expect(ups == 5)
            try await app.press(.named(.enter))
            try await app.expect(.title("sent tea"))
            try await app.press(.character(" "), on: .role("switch", name: "Wifi"))
            try await app.expect(.init(.css("#toggle"), checked: true))
        }
    }

    /// What a field cuts or changes by itself, nobody can enter.
    @Test(arguments: fewerBrowsers) func fillFails_ifTheFieldKeepsAnotherText(_ browser: TestBrowser) async throws {
        let html = """
            <input id=zip maxlength=5> <textarea id=note maxlength=3></textarea> <input id=line>
            <input id=colour type=color> <input id=volume type=range max=10> <input id=day type=date>
            <input id=count type=number> <input id=secret type=password maxlength=4>
            """
        try await withPage(browser, html) { app in
            let cut = "characters, because of maxlength="
            let refusals: [(id: String, text: String, reason: String)] = [
                ("zip", "1234567", "input#zip holds 5 of 7 \(cut)5: fill it with at most 5"),
                ("note", "a long note", "textarea#note holds 3 of 11 \(cut)3: fill it with at most 3"),
                ("secret", "geheim!", "input#secret holds 4 of 7 \(cut)4: fill it with at most 4"),
                (
                    "colour", "reddish",
                    ##"expected "reddish", but it holds "#000000": input#colour of type color takes a colour such as #ff8800"##
                ),
                (
                    "volume", "11",
                    #"expected "11", but it holds "10": input#volume of type range takes a number from 0 to 10 in steps of 1"#
                ),
                (
                    "day", "3.2.2001",
                    #"expected "3.2.2001", but it holds "": input#day of type date takes a date such as 2001-02-03"#
                ),
            ]
            for (id, text, expected) in refusals {
                let found = await reason(app, .fill(.css("#\(id)"), with: text))
                #expect(found == "no user can do that: \(expected)")
            }
            #expect(await reason(app, .fill(.css("#count"), with: "4,2 kg")).hasSuffix("takes a number such as 1.5"))
            #expect(await reason(app, .fill(.css("#line"), with: "a\nb")).hasSuffix("of type text takes one line"))
            for (id, text, value) in [
                ("zip", "12345", "12345"), ("colour", "#FF8800", "#ff8800"), ("volume", " 7 ", "7"),
                ("count", "1.50", "1.50"), ("day", "", ""),
            ] {
                try await app.fill(.css("#\(id)"), with: text)
                #expect(try await app.evaluate("document.getElementById('\(id)').value") == value)
            }
        }
    }

    /// What a script of the page makes of a text is the page's affair, and is said.
    @Test(arguments: fewerBrowsers) func fillPasses_ifAScriptFormatsTheText(_ browser: TestBrowser) async throws {
        let html = """
            <input id=phone maxlength=14 oninput="value = value.replace(/^(...)(...)(....)$/, '($1) $2-$3')">
            <input id=pin type=password oninput="value = value.toUpperCase()"><input id=plain>
            """
        try await withPage(browser, html) { app in
            var notes: [String] = []
            app.onNote = { notes.append($0) }
            for id in ["phone", "pin", "plain"] {
                try await app.fill(.css("#\(id)"), with: id == "pin" ? "geheim" : "5551234567")
            }
            // The log does not have what is filled in.
            let records = app.server.traffic.query(limit: .max).records.map { String(decoding: $0.line, as: UTF8.self) }
            #expect(!records.contains { $0.contains("(555)") })
            #expect(try await app.evaluate("phone.value") == "(555) 123-4567")
            #expect(
                notes == [
                    #"the page changed the text in input#phone to "(555) 123-4567""#,
                    "the page changed the text in input#pin",
                ])
        }
    }

    @Test func notesOfSteps_areInTheReports() throws {
        let flow = try Flow(YAMLFile(name: "f.yml", text: "- fill: {label: Phone, with: 5}"))
        var result = FlowResult(flow: flow, engine: .driven(.chromium), duration: .zero)
        result.notes = [#"step 1: the page changed the text in input to "(5)""#]
        for reporter in FlowReporter.allCases {
            let report = reporter.text(result, number: 1) + reporter.end([result])
            #expect(report.contains("step 1: the page changed the text in input to "), "\(reporter): \(report)")
        }
    }

    @Test(arguments: fewerBrowsers) func toolsTypeOneAfterTheOther(_ browser: TestBrowser) async throws {
        try await withPage(browser, Self.form) { app in
            app.timeout = .seconds(60)
            let (one, other) = (String(repeating: "a", count: 60), String(repeating: "b", count: 60))
            async let first: Void = app.type(one, into: .label("Note"))
            async let second: Void = app.type(other, into: .placeholder("Search the shop"))
            async let third: Void = app.fill(.label("Age"), with: "42")
            _ = try await (first, second, third)
            #expect(try await app.evaluate("[note.value, q.value, age.value]") == [one, other, "42"])
        }
    }

    @Test(arguments: fewerBrowsers) func typingEndsWithItsTime(_ browser: TestBrowser) async throws {
        let html = """
            <textarea id=slow></textarea><script>
            slow.onkeydown = () => { for (const end = performance.now() + 5; performance.now() < end;); }
            </script>
            """
        try await withPage(browser, html) { app in
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.type(
                    String(repeating: "x", count: 2000), into: .css("#slow"), within: .seconds(1))
            }
            let count: Int = try await app.evaluate("slow.value.length")
            #expect(count > 0 && count < 2000)
            #expect(
                failure?.found == "\(count) of 2000 characters were typed; give it more time, or fill the field")
        }
    }

    @Test(arguments: fewerBrowsers) func optionsAndBoxesAreChosen(_ browser: TestBrowser) async throws {
        try await withPage(browser, Self.form) { app in
            try await app.select(["France"], in: .label("Country"))
            try await app.expect(.init(.label("Country"), value: "France"))
            try await app.expect(.init(.label("Country"), value: "fr"))
            try await app.select(["Red", "Blue"], in: .role("listbox", name: "Colours"))
            try await app.expect(.init(.css("#several"), value: "Red, Blue"))
            let seen: [String] = try await app.evaluate("seen.filter((event) => event.startsWith('change'))")
            #expect(seen.map { $0.split(separator: " ")[1] } == ["country", "several"])
            try await app.check(.label("Terms"))
            try await app.check(.label("Terms"))
            try await app.expect(.init(.label("Terms"), checked: true))
            try await app.uncheck(.label("Terms"))
            try await app.expect(.init(.label("Terms"), checked: false))
            try await app.check(.label("Large"))
            #expect(try await app.evaluate("large.checked && !small.checked"))
            try await app.check(.role("switch", name: "Wifi"))
            try await app.expect(.init(.role("switch"), checked: true))
        }
    }

    @Test(arguments: fewerBrowsers) func filesAreChosen(_ browser: TestBrowser) async throws {
        let folder = try TemporaryFolder()
        let paths = ["a.txt", "b.png"].map { folder.path($0) }
        for path in paths { try Data("content of it".utf8).write(to: URL(fileURLWithPath: path)) }
        try await withPage(browser, Self.form) { app in
            try await app.chooseFiles([paths[0]], for: .label("Photo"))
            let content = "await photo.files[0].text()"
            #expect(try await app.callAsync("return [photo.files[0].name, \(content)]") == ["a.txt", "content of it"])
            try await app.chooseFiles(paths, for: .css("#hidden"))
            #expect(try await app.evaluate("[...hidden.files].map((file) => file.name)") == ["a.txt", "b.png"])
            let missing = await reason(app, .chooseFiles(["/nowhere/c.txt"], for: .label("Photo")))
            #expect(missing.contains("there is no file /nowhere/c.txt"))
        }
    }

    @Test(arguments: fewerBrowsers) func refusalsSayWhy(_ browser: TestBrowser) async throws {
        try await withPage(browser, Self.form) { app in
            let refusals: [(ElementAction, String)] = [
                (.fill(.label("Fixed"), with: "x"), "it is read-only"),
                (.fill(.label("Off"), with: "x"), "it is disabled"),
                (.fill(.label("Country"), with: "x"), "select#country has options; use the step select"),
                (.fill(.label("Terms"), with: "x"), "input#terms takes no text; use the step check or uncheck"),
                (.fill(.text("Send"), with: "x"), "button takes no text"),
                (
                    .select(["Spain"], in: .label("Country")),
                    #"it has no option "Spain", but "Germany", "France", "Atlantis""#
                ),
                (.select(["Atlantis"], in: .label("Country")), #"its option "Atlantis" is disabled"#),
                (.select(["Red"], in: .label("Name")), "it is input#name, and no <select>"),
                (.check(.label("Name"), isChecked: true), "input#name is no check box, radio button or switch"),
                (.check(.label("Stubborn"), isChecked: true), "it stays as it was when it is tapped"),
            ]
            for (action, expected) in refusals {
                let found = await reason(app, action)
                #expect(found == "no user can do that: \(expected)", "\(action)")
            }
            try await app.check(.label("Small"))
            #expect(await reason(app, .check(.label("Small"), isChecked: false)).contains("nobody can uncheck a radio"))
            let missing = await reason(app, .fill(.label("Fax"), with: "x"))
            #expect(missing.hasPrefix("the page has 'Name *', "), "\(missing)")
        }
    }

    /// A script can only dispatch the events of a key. Where the browser does something with the real one, and no listener
    /// takes it, the step would pass without effect.
    @Test func keysThatScriptsCannotPress_areRefused() async throws {
        let html = """
            <input id=one aria-label=One><input id=two aria-label=Two><dialog id=dialog>Sure?</dialog>
            <ul tabindex=0 role=menu id=menu></ul>
            <script>two.onkeydown = (event) => { if (event.key === "End") event.preventDefault() }</script>
            """
        try await withPage(.attached(.chromium), html) { app in
            let one = ElementTarget.label("One")
            for key in [PageInput.Key.tab, .home, .delete, .arrowLeft, .pageDown] {
                let found = await reason(app, .press(.named(key), on: one))
                let expected = "with the script tag there is no real \(key.rawValue) key; drive the browser"
                #expect(found == "no user can do that: \(expected)")
            }
            try await app.press(.named(.end), on: .label("Two"))
            try await app.press(.named(.arrowDown), on: .role("menu"))
            try await app.press(.named(.escape), on: one)
            try await app.run("dialog.showModal()")
            #expect(await reason(app, .press(.named(.escape), on: nil)).contains("no real Escape key"))
        }
    }

    @Test(arguments: fewerBrowsers) func pointerMoves(_ browser: TestBrowser) async throws {
        let html = """
            <div id=menu onmouseover="document.title = 'hovered'" style="width: 90px">Menu</div>
            <div id=knob style="width: 40px; height: 40px; background: red" onmousedown="down = true"
              onmousemove="">Knob</div>
            <p id=card draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'card')">Card</p>
            <div id=list style="height: 60px" ondragover="event.preventDefault()"
              ondrop="textContent = event.dataTransfer.getData('text/plain')" onmouseup="released = window.down">List</div>
            <div style="height: 4000px"></div><p id=end>The end</p>
            """
        try await withPage(browser, html) { app in
            try await app.hover(over: .text("Menu"))
            try await app.expect(.title("hovered"))
            try await app.drag(.css("#knob"), to: .css("#list"))
            try await app.wait(until: "window.released")
            try await app.drag(.text("Card"), to: .css("#list"))
            try await app.expect(.init(.css("#list"), contains: "card"))
            try await app.scroll(to: .text("The end"))
            #expect(try await app.evaluate("scrollY > 1000"))
        }
    }

    @Test(arguments: fewerBrowsers) func elementsAreNamedAsTheirUserDoes(_ browser: TestBrowser) async throws {
        let html = """
            <nav><ul><li><a href="#a">Open</a></li><li><a href="#b">Open</a></li></ul></nav>
            <section id=one><h2>First</h2><button onclick="noted('tapped')(event)" id=b1>Delete</button></section>
            <section id=two><h2>Second</h2><button onclick="noted('tapped')(event)" id=b2>Delete</button></section>
            <shop-cart></shop-cart>
            <script>
            customElements.define("shop-cart", class extends HTMLElement {
              connectedCallback() {
                this.attachShadow({ mode: "open" }).innerHTML = "<button id=pay aria-label=Pay>€</button>"
                this.shadowRoot.firstChild.onclick = () => { document.title = "paid" }
              }
            })
            setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<p role=status class=flash>Saved it</p>"), 700)
            </script>
            """
        try await withPage(browser, html) { app in
            try await app.tap(.role("button", name: "Delete").within(.css("#two")))
            try await app.expect(.title("tapped b2"))
            try await app.tap(.role("button", name: "Delete").nth(0))
            try await app.expect(.title("tapped b1"))
            try await app.tap(.text("Open").within(.role("navigation")).nth(-1))
            try await app.expect(.url("*#b"))
            try await app.expect(.url("/*"), within: .milliseconds(300))
            try await app.tap(.role("button", name: "Pay"))
            try await app.expect(.title("paid"))
            try await app.expect(.init(.role("listitem"), count: 2))
            try await app.expect(.init(.role("heading", name: "Third"), visible: false))
            try await app.expect(.text("Saved it"))
            try await app.expect(.init(.css(".flash"), contains: "Saved"))
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.expect(.init(.role("listitem"), count: 3), within: .milliseconds(300))
            }
            #expect(failure?.found == "there are 2")
            let title = await #expect(throws: BridgedAppFailure.self) {
                try await app.expect(.title("Shop"), within: .milliseconds(100))
            }
            #expect(title?.found == #"the title is "paid""#)
        }
    }

    // MARK: As in Playwright

    private static let namedElements = """
        <style>.upper { text-transform: uppercase }</style>
        <header>Top</header><footer>Bottom</footer><section aria-label=News>It rains.</section>
        <button><i aria-hidden=true>delete_icon</i> Delete it</button>
        <button><span role=img aria-label=Close></span></button>
        <a href="#home"><img alt=Logo src="data:,"> Home</a> <img alt="" src="data:,"> <svg><title>Map</title></svg>
        <slot-button>Buy</slot-button>
        <div style="visibility: hidden"><button>Hide</button></div><button>Hide</button>
        <div aria-hidden=true><button>Twice</button></div><button>Twice</button>
        <details><summary>More</summary><button>Delete</button></details><button>Delete</button>
        <label>Name <abbr>*</abbr><span hidden> is required</span> <input></label>
        <label>Email<br>address <input type=email></label>
        <fieldset><legend>Shipping</legend>Street <input aria-label=Street></fieldset>
        <table><caption>Orders</caption><tr><th scope=row>One</th><td>2</td></tr></table>
        <p>Donau&shy;dampf</p> <p>10&nbsp;€</p> <a href="#inbox">Inbox <b>3</b></a>
        <h2 id=question class=upper>Delete post?</h2><div role=dialog aria-labelledby=question>No</div>
        <h2 id=heading>Cart</h2><section aria-labelledby=heading><button>Check out</button></section>
        <input type=submit> <input type=file aria-label=Photo>
        <select id=list><option>A</option><optgroup disabled label=Other><option>B</option></optgroup></select>
        <p class=upper>Saved</p>
        <script>
        customElements.define("slot-button", class extends HTMLElement {
          connectedCallback() {
            this.attachShadow({ mode: "open" }).innerHTML = "<button><slot></slot></button> <p>In the shadow</p>"
          }
        })
        </script>
        """

    @Test(arguments: fewerBrowsers) func namesAreThoseOfTheAccessibilityTree(_ browser: TestBrowser) async throws {
        let once: [ElementTarget] = [
            .role("banner"), .role("contentinfo"), .role("region", name: "News"), .role("button", name: "Delete it"),
            .role("button", name: "Close"), .role("link", name: "Logo Home"), .role("img", name: "Map"),
            .role("button", name: "Buy"), .role("button", name: "Buy").within(.css("slot-button")),
            .role("button", name: "Hide"), .role("button", name: "Twice"), .role("button", name: "Delete"),
            .text("Delete"), .role("textbox", name: "Name"), .role("textbox", name: "Email address"),
            .role("group", name: "Shipping"), .label("Street").within(.role("group", name: "Shipping")),
            .role("table", name: "Orders"), .role("rowheader", name: "One"), .text("Donaudampf"),
            .text("10\u{a0}€"), .text("10  €"), .text("Inbox"), .role("dialog", name: "Delete post?"),
            .role("button", name: "Check out").within(.label("Cart")), .role("button", name: "Submit"),
            .role("button", name: "Photo"),
        ]
        try await withPage(browser, Self.namedElements) { app in
            for target in once {
                await #expect(throws: Never.self, "\(target)") {
                    try await app.expect(.init(target, count: 1), within: .milliseconds(100))
                }
            }
            try await app.expect(.init(.role("option").within(.css("#list")), count: 2))
            // The one whose alt is empty is for decoration.
            try await app.expect(.init(.role("img"), count: 3))
            for text in ["In the shadow", "Saved", "SAVED", "Donaudampf"] {
                try await app.expect(.text(text), within: .seconds(1))
            }
            let refusal = await reason(app, .select(["B"], in: .css("#list")))
            #expect(refusal == #"no user can do that: its option "B" is disabled"#)
        }
    }

    @Test(arguments: fewerBrowsers) func statesAreThoseOfTheControl(_ browser: TestBrowser) async throws {
        let html = """
            <label><input type=radio> Other <input id=other></label>
            <label>Phone <select id=code><option>+49</option></select><input id=number></label>
            <label>Code <input disabled> <a id=why href="#why">Why?</a></label>
            <button disabled title=tip><span id=save>Save</span></button>
            <label>Terms <input type=checkbox checked></label> <label>City <input value=Bonn></label>
            <div role=checkbox onclick="ariaChecked = String(ariaChecked !== 'true')"><b>Wifi</b></div>
            <button aria-disabled=true>Pay</button>
            <div aria-disabled=true><button aria-disabled=false onclick="noted('tapped')(event)" id=on>Go on</button></div>
            <input id=short size=4 value=1234> <textarea id=long>one
            two</textarea> <select id=unseen style="display: none"><option>A</option></select>
            """
        try await withPage(browser, html) { app in
            try await app.fill(.css("#other"), with: "mine")
            try await app.fill(.css("#number"), with: "0228")
            #expect(try await app.evaluate("other.value + ' ' + number.value") == "mine 0228")
            try await app.tap(.css("#why"))
            #expect(try await app.evaluate("location.hash") == "#why")
            try await app.expect(.init(.text("Save"), enabled: false))
            try await app.expect(.init(.text("Terms"), checked: true))
            try await app.expect(.init(.text("City"), value: "Bonn"))
            try await app.expect(.init(.role("checkbox", name: "Wifi"), checked: false))
            try await app.check(.text("Wifi"))
            try await app.expect(.init(.text("Wifi"), checked: true))
            #expect(await reason(app, .tap(.text("Save"))) == "no user can do that: button is disabled")
            #expect(await reason(app, .tap(.text("Pay"))) == "no user can do that: it is disabled")
            try await app.tap(.text("Go on"))
            try await app.expect(.title("tapped on"))
            #expect(await reason(app, .select(["A"], in: .css("#unseen"))) == "no user can do that: it is hidden")
            try await app.type("5", into: .css("#short"))
            try await app.type("!", into: .css("#long"))
            #expect(try await app.evaluate("short.value + ' ' + long.value") == "12345 one\ntwo!")
            try await app.hover(over: .css("#save"))
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.expect(.init(.css("#short"), checked: false), within: .milliseconds(100))
            }
            #expect(failure?.found == "input#short is no check box, radio button or switch")
        }
    }

    @Test(arguments: fewerBrowsers) func keysAndPointersReachEverything(_ browser: TestBrowser) async throws {
        let html = """
            <form onsubmit="event.preventDefault(); document.title = 'sent by ' + event.submitter?.id">
              <input type=submit id=one value=One> <input type=submit id=two value=Two></form>
            <div id=outer><p id=menu>Menu</p></div> <shop-search></shop-search> <input id=faces>
            <script>
            outer.onmouseenter = ({ buttons }) => { document.title = `entered ${buttons}` }
            customElements.define("shop-search", class extends HTMLElement {
              connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<input aria-label=Search>" }
            })
            </script>
            """
        try await withPage(browser, html) { app in
            try await app.press(.character(" "), on: .css("#two"))
            try await app.expect(.title("sent by two"))
            try await app.press(.named(.enter), on: .css("#one"))
            try await app.expect(.title("sent by one"))
            try await app.hover(over: .css("#menu"))
            try await app.expect(.title("entered 0"))
            try await app.type("tea", into: .label("Search"))
            try await app.expect(.init(.label("Search"), value: "tea"))
            try await app.type("a🙂", into: .css("#faces"))
            try await app.press(.named(.backspace))
            #expect(try await app.evaluate("faces.value") == "a")
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func dragsScrollOnlyIfBothEndsCanBeSeen(_ engine: BrowserEngine) async throws {
        let html = """
            <body style="margin: 0"><div style="height: 300px"></div>
            <div id=knob style="height: 40px" onmousedown="down = true">Knob</div>
            <div id=gap></div><div id=list style="height: 60px" onmouseup="released = window.down">List</div>
            <div style="height: 3000px"></div><div id=far style="height: 60px">Far</div>
            <script>gap.style.height = `${innerHeight - 300}px`</script>
            """
        try await withPage(.driven(engine), html) { app in
            let far = await reason(app, .drag(.css("#knob"), to: .css("#far")))
            #expect(far == "no user can do that: the window cannot show it together with div#far")
            try await app.drag(.css("#knob"), to: .css("#list"))
            try await app.wait(until: "window.released")
        }
    }

    // MARK: The first flow that anyone writes

    /// The page's scripts are modules that arrive late, as with an import map in Rails. `BRIDGED_FLOWS=50` repeats the flow.
    @Test(arguments: BrowserEngine.allCases.tried)
    func firstFlowPasses_ifTheModulesAreLate(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite([
            "/": .init(
                html: """
                    <!doctype html><title>Late</title><script type=module src=/app.js></script>
                    <button id=new>New</button>
                    <form id=form hidden action=/sent><label>Title <input id=title name=title></label><button>Save</button></form>
                    """),
            "/app.js": .init(
                html: """
                    document.querySelector("#new").onclick = () => { document.querySelector("#form").hidden = false }
                    """, type: "text/javascript", delay: 2),
            "/sent?title=Tea": .init(html: "<!doctype html><title>Sent</title><p>Thank you</p>"),
        ])
        let text = """
            - open: \(site.url)/
            - tap: {role: button, name: New}
            - fill: {label: Title, with: Tea}
            - tap: {role: button, name: Save}
            - expect text: Thank you
            - expect url: /sent?title=*
            - expect title: Sent
            """
        let flow = try Flow(YAMLFile(name: "first.yml", text: text))
        let runner = FlowRunner { _, browser, _ in try await BridgedApp(browser, server: BridgeServer()) }
        let count = ProcessInfo.processInfo.environment["BRIDGED_FLOWS"].flatMap { Int($0) } ?? 1
        for _ in 1...count {
            let result = await runner.run(flow, in: .driven(engine))
            #expect(result.failure == nil, "\(result.failure.map { "\($0.expected): \($0.found)" } ?? "")")
        }
    }
}
