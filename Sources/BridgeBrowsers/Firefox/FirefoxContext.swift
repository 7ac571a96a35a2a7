import BridgeProtocol
import Foundation
import WebFiles

/// A window or a frame of Firefox (a "browsing context"), and the documents that it shows.
@MainActor final class FirefoxContext: BrowserFrame {
    let id: String
    /// The frame or window around this frame; nil for a window.
    let parent: FirefoxContext?
    /// The web view of a window. It is nil for one that the user has opened, and for one about which native code was not
    /// asked yet.
    private var ownWebView: DrivenWebView?
    var webView: DrivenWebView? {
        get { window.ownWebView }
        set { window.ownWebView = newValue }
    }
    /// The browser forgets its contexts when they are closed.
    let browser: FirefoxBrowser
    /// The document that is shown, or the last one. It stays attached if Firefox shows an error in its place.
    var document: DrivenDocument?
    /// The document that replaces it as soon as it is shown.
    private(set) var coming: DrivenDocument?
    /// Whether the document's global object is gone, and no other document is shown yet.
    private var hasLostDocument = false
    /// The load that has begun last.
    var lastLoad = FirefoxLoad()
    /// A load of the driver, about which it does not ask native code.
    var own: OwnLoad?
    /// What the user has done since the last load began.
    var actions = PageActions()
    /// How the driver begins the next load: `reload` or `backForward`.
    var nextType: String?
    var panel = FirefoxOpenPanel()
    /// Whether the window shows a page of Firefox itself.
    var showsBrowserPage = false
    let nextPage = NextPage()
    /// Set while native code decides whether the window may open.
    var opening: FirefoxOpening?
    var isMainFrame: Bool { isWindow }
    var parentFrame: (any BrowserFrame)? { parent }
    var url: String { lastLoad.shownURL ?? lastLoad.url }

    init(id: String, parent: FirefoxContext?, webView: DrivenWebView?, browser: FirefoxBrowser) {
        self.id = id
        self.parent = parent
        self.browser = browser
        ownWebView = parent == nil ? webView : nil
    }

    var window: FirefoxContext { parent?.window ?? self }
    var isWindow: Bool { parent == nil }
    /// The page that asks the daemon and tells it about loads.
    var page: DrivenPage? { document?.page ?? window.document?.page }
    var connection: BiDiConnection { browser.connection }

    // MARK: Documents

    /// Adds a global object: that of a new document if it is the page's own.
    /// - Parameter origin: that of the realm; nil if Firefox names none.
    func add(realm id: String, world: String?, origin: String?) -> ScriptWorld? {
        guard let webView else { return nil }
        if world == nil {
            coming?.leave()
            coming = DrivenDocument(in: self, webView, after: document)
        }
        return (coming ?? document).map { ScriptWorld(id: id, name: world, origin: origin, document: $0) }
    }

    /// A global object of the page's own world is gone.
    func lost(_ realm: ScriptWorld) {
        if realm.document === coming {
            coming?.leave()
            coming = nil
        } else if realm.document === document {
            hasLostDocument = true
        }
    }

    /// The next document is shown.
    func show(_ next: DrivenDocument?) {
        guard let next, next === coming else { return }
        document?.leave()
        document = next
        coming = nil
        hasLostDocument = false
        next.withPage { [weak self] page in if let page { self?.nextPage.shown(page) } }
    }

    /// Firefox shows an error in place of the next document.
    func forgetComing() {
        coming?.leave()
        coming = nil
    }

    /// Whether the document is gone and no other one comes: the process that ran it has ended.
    var isTerminated: Bool { hasLostDocument && coming == nil }

    func receive(_ lines: [DrivenLine], from realm: ScriptWorld) {
        let lines = lines.map { line in
            guard case .document(var introduction) = line else { return line }
            show(realm.document)
            introduction.url = lastLoad.shownURL ?? introduction.url
            introduction.isMainFrame = isWindow
            return .document(introduction)
        }
        realm.document.receive(lines, from: realm)
    }

    /// The window or frame was closed. Lets go of what refers to it.
    func end() {
        forgetComing()
        document?.leave()
        document = nil
        opening?.contextEnded()
        opening = nil
    }
}

extension FirefoxContext {
    /// Loads HTML as the document of its base URL, so that it has that URL's origin. Without one its origin is opaque, and
    /// native code sees about:blank.
    func loadHTML(_ html: String, baseURL: String?) {
        if let baseURL, baseURL.hasPrefix("http") {
            return window.load(OwnLoad(url: baseURL, html: html))
        }
        let allowed = window.webView?.settings.allowsContentScripts != false
        let html = allowed ? html : FirefoxContext.withoutScripts(html)
        let url = "data:text/html;charset=utf-8;base64,\(Data(html.utf8).base64EncodedString())"
        window.load(OwnLoad(url: url, shownURL: "about:blank"))
    }

    /// Forbids a document its scripts. It has no response whose header could do so. The element stands behind the
    /// document type, so that the page is laid out as before.
    static func withoutScripts(_ html: String) -> String {
        let policy = ResponseHeader.withoutScripts
        let element = "<meta http-equiv=\"\(policy.name)\" content=\"\(policy.value)\">"
        let type = html.prefixMatch(of: /(?i:\s*<!doctype[^>]*>)/)?.range.upperBound ?? html.startIndex
        return "\(html[..<type])\(element)\(html[type...])"
    }

    func pdf() async throws -> String {
        let result = try await connection.call("browsingContext.print") { writer in
            writer.member("context", window.id)
            writer.member("background", true)
        }
        return result["data"]?.string ?? ""
    }

    /// Of a part, or for a width, the picture keeps its size, because BiDi cannot change it.
    func snapshot(rect: [Double]?, width: Double?, scale: Double?) async throws -> String {
        if rect == nil, width == nil, let scale, let picture = await browser.picture(of: window, scale: scale) {
            return picture
        }
        let result = try await connection.call("browsingContext.captureScreenshot") { writer in
            writer.member("context", window.id)
            guard let rect else { return }
            writer.member(
                "clip",
                object: { writer in
                    writer.member("type", "box")
                    writer.member("x", rect[0])
                    writer.member("y", rect[1])
                    writer.member("width", rect[2])
                    writer.member("height", rect[3])
                })
        }
        return result["data"]?.string ?? ""
    }

    // MARK: Cookies

    func cookies() async throws -> [BrowserCookie] {
        // BiDi names the other members as the protocol does.
        try await connection.call("storage.getCookies")["cookies"]?.elements.map { json in
            var cookie = BrowserCookie(json)
            let value = json["value"]?["value"]?.string ?? ""
            let isText = json["value"]?["type"]?.string == "string"
            cookie.value = isText ? value : FirefoxContext.decoded(value)
            cookie.expires = json["expiry"]?.number
            return cookie
        } ?? []
    }

    /// The text of a value that is not UTF-8, which Firefox writes in base64.
    private static func decoded(_ base64: String) -> String {
        String(decoding: Data(base64Encoded: base64) ?? Data(), as: UTF8.self)
    }

    func setCookie(_ cookie: BrowserCookie) async throws {
        try await connection.call("storage.setCookie") { writer in
            writer.member(
                "cookie",
                object: { writer in
                    writer.member("name", cookie.name)
                    writer.member("domain", cookie.domain)
                    writer.member("path", cookie.path)
                    writer.member("secure", cookie.isSecure)
                    writer.member("httpOnly", cookie.isHTTPOnly)
                    writer.member("value", LocalValue.text(cookie.value))
                    if let expires = cookie.expires, abs(expires) < 1e12 { writer.member("expiry", Int(expires)) }
                })
        }
    }

    func deleteCookie(_ cookie: BrowserCookie) async throws {
        try await connection.call("storage.deleteCookies") { writer in
            writer.member(
                "filter",
                object: { writer in
                    writer.member("name", cookie.name)
                    writer.member("domain", cookie.domain)
                    writer.member("path", cookie.path)
                })
        }
    }

    /// WebDriver BiDi has a command for cookies alone.
    func clearStorage(of origins: [String]) async throws -> [String] {
        _ = try await connection.call("storage.deleteCookies")
        return origins
    }
}

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
        case .steps(let steps): try await perform(steps)
        }
    }

    /// The mouse and the keyboard are two devices of WebDriver, whose actions of the same number happen at the same time. So
    /// one pauses while the other acts.
    private func perform(_ steps: [InputStep]) async throws {
        let pause: JSONValue = ["type": "pause", "duration": 0]
        var (mouse, keys): ([JSONValue], [JSONValue]) = ([], [])
        for step in InputStep.withKeys(steps) {
            let action = action(step)
            switch step {
            case .keyDown, .keyUp: (mouse, keys) = (mouse + [pause], keys + [action])
            default: (mouse, keys) = (mouse + [action], keys + [pause])
            }
        }
        let devices: JSONValue = [
            ["type": "pointer", "id": "pointer", "actions": .array(mouse)],
            ["type": "key", "id": "key", "actions": .array(keys)],
        ]
        _ = try await connection.call("input.performActions") { writer in
            writer.member("context", window.id)
            writer.member("actions", devices)
        }
    }

    private func action(_ step: InputStep) -> JSONValue {
        switch step {
        case .move(let x, let y): move((x, y))
        case .press(let button, _): ["type": "pointerDown", "button": .number(Double(button.number))]
        case .release(let button, _): ["type": "pointerUp", "button": .number(Double(button.number))]
        case .keyDown(let key): ["type": "keyDown", "value": .string(key.webDriverValue)]
        case .keyUp(let key): ["type": "keyUp", "value": .string(key.webDriverValue)]
        case .pause(let duration): ["type": "pause", "duration": .number((duration / .milliseconds(1)).rounded())]
        case .text: ["type": "pause", "duration": 0]
        }
    }

    func perform(_ motion: PointerMotion) async throws {
        switch motion {
        case .tap(let point): try await click((point.x, point.y))
        case .hover(let point): try await act("pointer", [move((point.x, point.y))])
        case .drag(let start, let end):
            let (start, end) = ((x: start.x, y: start.y), (x: end.x, y: end.y))
            let way = PointerMotion.steps(from: start, to: end).map(move)
            try await act("pointer", [move(start), FirefoxContext.press] + way + [FirefoxContext.release])
        }
    }

    private func click(_ point: (x: Double, y: Double)) async throws {
        try await act("pointer", [move(point), FirefoxContext.press, FirefoxContext.release])
    }

    private static let press: JSONValue = ["type": "pointerDown", "button": 0]
    private static let release: JSONValue = ["type": "pointerUp", "button": 0]

    func tapMissed(_ point: ElementPoint) async { if point.scale < 1 { await browser.correctZoom(in: window.id) } }

    /// Firefox takes whole pixels only.
    private func move(_ point: (x: Double, y: Double)) -> JSONValue {
        ["type": "pointerMove", "x": .number(point.x.rounded(.down)), "y": .number(point.y.rounded(.down))]
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
                    writer.member("sandbox", WebFiles.elementsWorld)
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
        case .insert: "\u{E016}"
        case .shift: "\u{E008}"
        case .control: "\u{E009}"
        case .alt: "\u{E00A}"
        case .meta: "\u{E03D}"
        case .f1: "\u{E031}"
        case .f2: "\u{E032}"
        case .f3: "\u{E033}"
        case .f4: "\u{E034}"
        case .f5: "\u{E035}"
        case .f6: "\u{E036}"
        case .f7: "\u{E037}"
        case .f8: "\u{E038}"
        case .f9: "\u{E039}"
        case .f10: "\u{E03A}"
        case .f11: "\u{E03B}"
        case .f12: "\u{E03C}"
        }
    }
}

extension ElementAction.PressedKey {
    fileprivate var webDriverValue: String {
        switch self {
        case .named(let key): key.webDriverValue
        case .character(let character): String(character)
        }
    }
}

extension FirefoxContext {
    /// Changes the size of the screen. WebDriver BiDi has no command for the colours that its user prefers.
    func emulate(_ emulation: PageEmulation) async throws {
        guard emulation.colorScheme == nil else {
            throw RPCError(
                .invalidParams,
                "The driver of Firefox cannot change prefers-color-scheme. Use --in chromium or webkit, or change the theme of your desktop."
            )
        }
        browser.emulate(emulation)
    }
}

extension FirefoxContext {
    /// Asks the daemon how to answer a dialog. Nothing else runs in the page meanwhile.
    func dialogOpened(_ params: JSON) {
        let (type, message) = (params["type"]?.string ?? "", params["message"]?.string ?? "")
        let isOfDriver = message == DrivenScript.secret
        guard asksAboutDialogs || type == "beforeunload" || isOfDriver else { return }
        // A call of an interface object may overtake the document's introduction.
        if isOfDriver, let document = coming ?? document, document.page == nil, !document.hasLeft {
            return document.withPage { [weak self] page in
                if page != nil { self?.dialogOpened(params) } else { self?.answerDialog(accept: false, text: nil) }
            }
        }
        guard type != "beforeunload", let page else {
            return answerDialog(accept: true, text: nil)
        }
        if isOfDriver { page.calls.holdBackScripts() }
        page.askAboutDialog(type, message, defaultText: params["defaultValue"]?.string) { [weak self] in
            self?.answerDialog(accept: $0, text: $1) { if isOfDriver { page.calls.releaseScripts() } }
        }
    }

    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { browser.options.isHeadless || webView?.settings.answersDialogs == true }

    var hasUser: Bool { !browser.options.isHeadless }

    /// A Firefox without a window grants what native code allows; see `FirefoxPreferences`. One with a window asks its
    /// user as well.
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void) { done() }

    private func answerDialog(accept: Bool, text: String?, closed: (@MainActor () -> Void)? = nil) {
        browser.connection.send(
            "browsingContext.handleUserPrompt",
            { writer in
                writer.member("context", id)
                writer.member("accept", accept)
                if let text { writer.member("userText", text) }
            }, completion: { _ in closed?() })
    }
}

/// The open panels of `<input type="file">`.
extension FirefoxContext {
    /// Firefox shows a panel, or closes it at once; see `FirefoxBrowser.capabilities`. The user of a window sees Firefox's own.
    func openPanelOpened(_ params: JSON) {
        guard asksAboutDialogs, let element = params["element"]?["sharedId"]?.string else { return }
        panel.opened = FirefoxOpenPanel.Opened(element: element, allowsMultiple: params["multiple"]?.bool ?? false)
        askForFiles()
    }

    /// Firefox has closed the panel. Before that, it opens no other one.
    private func openPanelClosed() {
        panel.isClosed = true
        askForFiles()
    }

    /// The document's script reports what the user has done, or that a panel has closed.
    func acted(_ text: String) {
        if text == "panelClosed" {
            openPanelClosed()
        } else if let action = PageAction(text) {
            actions.note(action, webView?.limits ?? DriverLimits())
        }
    }

    private func askForFiles() {
        guard let opened = panel.take(), let page else { return }
        page.askForFiles(multiple: opened.allowsMultiple) { [weak self] files in
            if files.isEmpty {
                self?.dismissOpenPanel(of: opened.element)
            } else {
                self?.setFiles(files, of: opened.element)
            }
        }
    }

    private func setFiles(_ files: [String], of element: String) {
        browser.connection.send(
            "input.setFiles",
            { writer in
                writer.member("context", id)
                writer.member("element", ["sharedId": .string(element)] as JSONValue)
                writer.member("files", files)
            },
            completion: { [webView] result in
                guard case .failure(let error) = result else { return }
                webView?.report("The page did not get the files that native code chose: \(error)")
            })
    }

    /// Firefox has closed its panel before native code was asked; see `FirefoxScripts`.
    private func dismissOpenPanel(of element: String) {
        browser.connection.send("script.callFunction") { writer in
            writer.member(
                "functionDeclaration",
                "(input) => { input.dispatchEvent(new Event(\"cancel\", { bubbles: true })) }")
            writer.member("awaitPromise", false)
            writer.member("target", object: { $0.member("context", id) })
            writer.member("arguments", [["sharedId": .string(element)] as JSONValue])
        }
    }
}

/// An open panel that Firefox has opened and is closing. It tells both in any order.
struct FirefoxOpenPanel {
    struct Opened {
        /// Firefox's name for the `<input>`.
        let element: String
        let allowsMultiple: Bool
    }

    var opened: Opened?
    var isClosed = false

    /// Returns the panel once it is closed.
    mutating func take() -> Opened? {
        guard isClosed, let panel = opened else { return nil }
        self = FirefoxOpenPanel()
        return panel
    }
}
