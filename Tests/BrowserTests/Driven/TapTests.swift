import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Taps on elements of driven pages: the browser gets what a finger does, and refuses what no finger can do.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)), .browserTurns) struct TapTests {
    nonisolated private static let engines = DrivenDocumentTests.engines

    /// - Parameter body: the page's elements. `seen` has the clicks, with their targets and whether they are a user's.
    private static func page(_ body: String, head: String = "") -> DrivenSite.Page {
        .init(
            html: """
                <!doctype html><meta name=viewport content="width=device-width"><title>Taps</title>\(head)
                <script>
                window.seen = []
                addEventListener("click", (event) => {
                  const [target] = event.composedPath()
                  seen.push(`${target.id || target.localName} ${event.isTrusted}`)
                }, true)
                </script>
                \(body)
                """)
    }

    /// Runs `body` with an app without handlers that shows the first page.
    private func withPages(
        _ engine: BrowserEngine, _ pages: [String: DrivenSite.Page],
        _ body: @MainActor (BridgedApp) async throws -> Void
    ) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(pages)
        try await withBridgedApp(driving: engine, app: .none) { app in
            try await app.open(site.url)
            try await body(app)
        }
    }

    /// Taps, and expects that this element alone gets it.
    private func expectTap(
        _ target: ElementTarget, on id: String, in app: BridgedApp, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await app.run("seen = []")
        try await app.tap(target)
        let seen: [String] = try await app.evaluate("seen")
        #expect(seen.first == "\(id) true", "\(target): \(seen)", sourceLocation: sourceLocation)
    }

    private func reason(
        _ target: ElementTarget, in app: BridgedApp, within time: Duration = .milliseconds(400)
    ) async -> String {
        do {
            try await app.tap(target, within: time)
            return "none"
        } catch {
            return (error as? BridgedAppFailure)?.found ?? "\(error)"
        }
    }

    // MARK: What a finger can do

    @Test(arguments: engines) func tapsAreTheUsers(_ engine: BrowserEngine) async throws {
        let body = """
            <style>#fixed { position: fixed; inset: 0 0 auto; height: 120px; background: gold } body { padding-top: 130px }</style>
            <div id=fixed>Header</div>
            <button id=first>First</button> <a id=inner href="#there"><span id=span>Text</span></a>
            <p style="width: 7em"><a id=lines href="#lines">a long link</a> <a id=several href="#several">that goes on over
            several lines, and whose box has its middle beside it</a></p>
            <div style="height: 3000px"></div>
            <button id=below>Below</button>
            <div id=scroller style="overflow: auto; height: 100px"><div style="height: 700px"></div><button id=nested>N</button>
            <div style="height: 700px"></div></div>
            <div style="height: 3000px"></div>
            <input type=checkbox id=plain> <label id=around>Around <input type=checkbox id=within></label>
            <input type=checkbox id=drawn style="position: absolute; width: 0; height: 0; opacity: 0"><label id=switch for=drawn>
            Drawn</label>
            <input type=checkbox id=over style="position: absolute; opacity: 0; z-index: -1"><label id=overlay for=over>Over it</label>
            <span style="display: contents" id=contents><b id=child>Child</b></span>
            <button id=through><i id=icon style="pointer-events: none">Icon</i></button>
            <my-card id=card><button id=slotted>Slotted</button></my-card>
            <form action="javascript:sent = true"><input id=field name=q><button id=send>Send</button></form>
            <script>
            card.attachShadow({ mode: "open" }).innerHTML = "<slot></slot><button id=shadow>In the shadow</button>"
            </script>
            """
        try await withPages(engine, ["/": Self.page(body)]) { app in
            try await expectTap("first", in: app)
            try await expectTap("inner", "span", in: app)
            #expect(try await app.evaluate("location.hash") == "#there")
            try await expectTap("several", in: app)
            #expect(try await app.evaluate("location.hash") == "#several")
            try await expectTap("below", in: app)
            try await expectTap("nested", in: app)
            // The way back ends under the header, unless the page is scrolled further.
            try await expectTap("first", in: app)
            for id in ["plain", "within"] {
                try await expectTap(id, in: app)
                #expect(try await app.evaluate("\(id).checked"), "\(id)")
            }
            try await expectTap("drawn", "switch", in: app)
            #expect(try await app.evaluate("drawn.checked"))
            try await expectTap("over", "overlay", in: app)
            #expect(try await app.evaluate("over.checked"))
            try await expectTap("contents", "child", in: app)
            try await expectTap("icon", "through", in: app)
            try await expectTap("slotted", in: app)
            try await app.tap("#card")
            try await expectTap("field", in: app)
            #expect(try await app.evaluate("document.activeElement.id") == "field")
            try await expectTap(.text("Send"), on: "send", in: app)
            try await expectTap(.label("Around"), on: "within", in: app)
        }
    }

    private func expectTap(
        _ id: String, _ hit: String? = nil, in app: BridgedApp, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectTap(.css("#\(id)"), on: hit ?? id, in: app, sourceLocation: sourceLocation)
    }

    /// Its handlers have run when the tap ends, also if they take long, open a dialog, or lead to another page.
    @Test(arguments: engines) func tapEndsWhenItIsHandled(_ engine: BrowserEngine) async throws {
        let body = """
            <button id=slow onclick="const end = Date.now() + 300; while (Date.now() < end); done = true">Slow</button>
            <button id=asks onclick="answer = confirm('Really?')">Ask</button>
            <a id=next href=/next>Next</a>
            """
        try await withPages(engine, ["/": Self.page(body), "/next": Self.page("<b id=there>There</b>")]) { app in
            try await app.tap("#slow")
            #expect(try await app.evaluate("window.done"))
            app.onDialog { _ in .accept }
            try await app.tap("#asks")
            #expect(try await app.evaluate("window.answer"))
            for _ in 1...5 {
                try await app.tap("#next")
                try await app.tap("#there")
                try await app.run("history.back()")
            }
        }
    }

    @Test(arguments: engines) func waitsUntilAFingerCanTap(_ engine: BrowserEngine) async throws {
        let body = """
            <style>
            @keyframes slide { from { transform: translateX(300px) } to { transform: none } }
            #moving { animation: slide 0.5s linear; position: absolute; top: 200px }
            @keyframes swing { from { transform: translateX(60px) } to { transform: none } }
            #swinging { animation: swing 0.4s linear infinite; position: absolute; top: 300px; width: 200px }
            #cover { position: fixed; inset: 0; background: silver }
            </style>
            <button id=save disabled>Save</button> <button id=moving>Moving</button>
            <button id=swinging>Swinging</button><div id=cover></div>
            <script>
            setTimeout(() => { save.disabled = false }, 150)
            setTimeout(() => { cover.remove() }, 300)
            setTimeout(() => { document.body.insertAdjacentHTML("beforeend", "<button id=late>Late</button>") }, 600)
            </script>
            """
        try await withPages(engine, ["/": Self.page(body)]) { app in
            try await expectTap("save", in: app)
            try await expectTap("moving", in: app)
            try await expectTap("late", in: app)
            try await expectTap("swinging", in: app)
        }
    }

    /// What comes between the look at the page and the tap does not get it.
    @Test(arguments: engines) func tapHitsNothingElse(_ engine: BrowserEngine) async throws {
        let body = """
            <button id=save>Save</button>
            <script>
            // A cover comes with each second frame, and would get many taps.
            const cover = document.createElement("div")
            cover.id = "cover"
            cover.style = "position: fixed; inset: 0; background: silver"
            for (const type of ["mousedown", "click"]) cover.addEventListener(type, () => seen.push(type))
            addEventListener("pointerdown", () => {}, true)
            let count = 0
            const flicker = () => {
              if (++count % 7 < 3) document.body.append(cover)
              else cover.remove()
              if (count < 300) requestAnimationFrame(flicker)
              else cover.remove()
            }
            flicker()
            </script>
            """
        try await withPages(engine, ["/": Self.page(body)]) { app in
            try await app.tap("#save", within: .seconds(20))
            let seen: [String] = try await app.evaluate("seen")
            // A listener of the window that the page has added before hears of it.
            #expect(!seen.contains("mousedown") && !seen.contains("click"), "\(seen)")
            #expect(seen.last == "save true")
        }
    }

    /// A watch that is left over would swallow the next tap, which would then be repeated.
    @Test(arguments: engines) func tapOnAFrameLeavesNoWatch(_ engine: BrowserEngine) async throws {
        let body = "<iframe id=frame srcdoc='<p>Inside</p>'></iframe><button id=b>B</button>"
        try await withPages(engine, ["/": Self.page(body)]) { app in
            try await app.tap("#frame")
            try await app.tap("#b")
            #expect(try await app.evaluate("seen") == ["b true"])
        }
    }

    @Test(arguments: engines) func tapsOfOneMomentComeInTurn(_ engine: BrowserEngine) async throws {
        let ids = (0..<6).map { "b\($0)" }
        let body = ids.map { "<button id=\($0)>\($0)</button>" }.joined()
        try await withDrivenWindow(engine, ["/": Self.page(body)]) { window in
            let page = try await window.page()
            let taps = ids.map { id in Task { try await page.taps(on: .css("#\(id)"), within: .seconds(20)) } }
            for tap in taps { #expect(try await tap.value == .done) }
            let seen = try await page.call("return seen.join()").string
            #expect(seen == ids.map { "\($0) true" }.joined(separator: ","))
        }
    }

    @Test(arguments: engines) func documentThatLeavesEndsAllTaps(_ engine: BrowserEngine) async throws {
        let pages = ["/": Self.page("<p>Empty</p>"), "/next": Self.page("<p>Next</p>")]
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            let taps = (0..<3).map { _ in Task { try await page.taps(on: .css("#never"), within: .seconds(60)) } }
            _ = try await page.call("return 1")
            page.navigate(to: window.site.url + "/next")
            for tap in taps { await #expect(throws: ScriptError.self) { try await tap.value } }
        }
    }

    @Test(arguments: engines) func elementAtRestCanBeTappedAtOnce(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": Self.page("<button id=b>B</button>")]) { window in
            let page = try await window.page()
            #expect(try await page.taps(on: .css("#b"), within: .zero) == .done)
        }
    }

    // MARK: What no finger can do

    @Test(arguments: engines) func busyPageEndsTheTapInTime(_ engine: BrowserEngine) async throws {
        try await withPages(engine, ["/": Self.page("<button id=b>B</button>")]) { app in
            // The answer comes before the timer.
            try await app.run("setTimeout(() => { const end = Date.now() + 8000; while (Date.now() < end); }, 50); 0")
            let start = ContinuousClock.now
            let error = await #expect(throws: BridgedAppFailure.self) {
                try await app.tap("#never", within: .milliseconds(300))
            }
            let isInTime = ContinuousClock.now - start < .seconds(5)
            #expect(isInTime && error?.found.contains("does not end") == true, "\(error?.found ?? "")")
        }
    }

    @Test(arguments: engines) func refusalsSayWhy(_ engine: BrowserEngine) async throws {
        let body = """
            <button id=covered>1</button><fieldset disabled><button id=grouped>2</button></fieldset>
            <button id=disabled disabled><b id=part>3</b></button> <label id=label>L <input id=off disabled></label>
            <button id=hidden style="visibility: hidden">4</button> <button id=none style="display: none">5</button>
            <div style="display: none" class="panel"><button id=inside>6</button></div>
            <b id=empty></b> <button id=through style="pointer-events: none">7</button>
            <div style="overflow: hidden; height: 0"><button id=cut>8</button></div>
            <button id=outside style="position: fixed; left: -900px">9</button>
            <div id=cover class="overlay open" style="position: fixed; inset: 0; height: 40px; background: gold"></div>
            <script>setTimeout(() => { document.body.insertAdjacentHTML("beforeend", "<p id=brief></p>") }, 0)</script>
            """
        try await withPages(engine, ["/": Self.page(body)]) { app in
            for (id, part) in [
                ("covered", "div#cover.overlay.open covers it"), ("grouped", "it is disabled"),
                ("disabled", "it is disabled"), ("part", "button#disabled is disabled"),
                ("label", "input#off is disabled"), ("hidden", "it is invisible: its visibility is hidden"),
                ("none", "it is invisible: the display of button#none is none"),
                ("inside", "it is invisible: the display of div.panel is none"), ("empty", "it has no size"),
                ("through", "its pointer-events are none"), ("outside", "it is outside the window"),
            ] {
                let found = await reason(.css("#\(id)"), in: app)
                #expect(found.contains(part), "\(id): \(found)")
            }
            let cut = await reason(.css("#cut"), in: app)
            #expect(cut != "none", "\(cut)")
            #expect(try await app.evaluate("seen") == [String]())
            try await app.run("setTimeout(() => { hidden.remove() }, 2000); 0")
            #expect(await reason(.css("#hidden"), in: app, within: .seconds(6)).contains("has gone"))
            #expect(await reason(.css("#never"), in: app).contains("the page has"))
            #expect(await reason(.css("<"), in: app).contains("SyntaxError"))
        }
    }

    /// A dialog in the top layer makes the rest of the page inert.
    @Test(arguments: engines) func modalDialogsCoverThePage(_ engine: BrowserEngine) async throws {
        let body = """
            <button id=below>Below</button><dialog id=dialog style="position: fixed; inset: 0"><button id=inside>OK</button></dialog>
            <script>dialog.showModal()</script>
            """
        try await withPages(engine, ["/": Self.page(body)]) { app in
            #expect(await reason(.css("#below"), in: app).contains("dialog#dialog"))
            try await expectTap("inside", in: app)
        }
    }

    // MARK: Windows and pages

    @Test(arguments: BrowserEngine.allCases.tried, ["iPhone SE", "Pixel 9"])
    func tapsLandOnImitatedDevices(_ engine: BrowserEngine, _ device: String) async throws {
        let heads = [
            "/": "", "/zoomed": "<style>html { zoom: 1.5 }</style>",
            "/pinched": "<meta name=viewport content='width=device-width, initial-scale=2'>",
        ]
        let body = """
            <div style="width: 1500px; height: 2500px"></div><button id=far style="margin-left: 900px; width: 30px">F</button>
            <div style="height: 2500px"></div>
            """
        var pages = heads.mapValues { Self.page(body, head: $0) }
        let wide = Self.page(body).html.replacing(/<meta name=viewport[^>]*>/, with: "")
        pages["/wide"] = .init(html: wide)
        try await withDrivenWindow(engine, pages, device: Device(named: device)) { window in
            var last = try await window.page()
            // WebKit counts the places of elements in another way if the style zooms the page.
            for path in pages.keys.sorted() where path != "/zoomed" || engine != .webkit {
                if path != "/" {
                    last.navigate(to: window.site.url + path)
                    last = try await window.page(path, besides: last)
                }
                let outcome = try await last.taps(on: .css("#far"), within: .seconds(5))
                #expect(outcome == .done, "\(path)")
                let seen = try await last.call("return seen.join()").string
                #expect(seen == "far true", "\(path)")
            }
        }
    }

    /// A page in a frame of its own origin knows its place in the window.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried) func tapsInFrames(_ engine: BrowserEngine) async throws {
        let frame = """
            <div style="height: 900px"></div>
            <iframe src=/child style="border: 7px solid; padding: 5px; width: 300px; height: 200px; transform: scale(0.5)"></iframe>
            <iframe src=FOREIGN/foreign></iframe>
            """
        let child = "<div style='height: 500px'></div><button id=inner style='width: 20px; height: 20px'></button>"
        let foreign = try DrivenSite(["/foreign": Self.page("<button id=inner>1</button>")])
        let pages = [
            "/": Self.page(frame.replacing("FOREIGN", with: foreign.url)), "/child": Self.page(child),
        ]
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page("/child")
            #expect(try await page.taps(on: .css("#inner"), within: .seconds(10)) == .done)
            #expect(try await page.call("return seen.join()").string == "inner true")
            let other = try await window.page(foreign.url + "/foreign")
            guard case .refused(let reason) = try await other.taps(on: .css("#inner"), within: .milliseconds(300))
            else {
                Issue.record("The tap was not refused.")
                return
            }
            #expect(reason.contains("frame of another origin"))
        }
    }

    /// With the script tag alone nobody can send input, so a script clicks, whatever covers the element.
    @Test func scriptTagClicks() async throws {
        try requireInstalled(.chromium)
        try await withBridgedApp(in: .chromium, app: .none) { app in
            let html = Self.page("<button id=b>B</button><div style='position: fixed; inset: 0'></div>").html
            try await app.open(app.serve(html))
            try await app.tap("#b")
            #expect(try await app.evaluate("seen") == ["b false"])
        }
    }

    // MARK: Tools

    @Test(arguments: engines) func controlMethodTaps(_ engine: BrowserEngine) async throws {
        let body = "<button id=b>B</button><button id=c disabled>C</button><a id=next href=/next>Next</a>"
        let pages = ["/": Self.page(body), "/next": Self.page("<button id=d>D</button>")]
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            let control = try ControlClient(try #require(window.server.address))
            _ = try await control.call("page.act", ##"{"element":"#b"}"##)
            #expect(try await page.call("return seen.join()").string == "b true")
            _ = try await control.call("page.act", #"{"element":{"text":"B"}}"#)
            for (element, part) in [("#c", "is disabled"), ("#never", "No element #never came")] {
                let error = await #expect(throws: RPCError.self) {
                    try await control.call("page.act", #"{"element":"\#(element)","timeoutMs":200}"#)
                }
                #expect(error?.message.contains(part) == true, "\(element): \(error?.message ?? "")")
            }
            _ = try await control.call("page.act", ##"{"element":"#next"}"##)
            // The page may still be the first one.
            _ = try await control.call("page.act", ##"{"element":"#d"}"##)
        }
    }
}

extension Page {
    fileprivate func taps(on element: ElementTarget, within timeout: Duration) async throws -> ElementActions.Outcome {
        ElementActions.Outcome(try await point(.tap, element, within: timeout))
    }
}
