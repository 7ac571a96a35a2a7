import BridgeProtocol
import Foundation
import WebFiles

/// A window's main frame or a child frame in Chromium.
@MainActor final class ChromiumFrame: BrowserFrame {
    let id: String
    /// The target forgets its frames when it ends.
    private let target: ChromiumTarget
    private var session: ChromiumSession { target.session }
    var document: DrivenDocument?
    var url = ""
    /// The id of the frame around this frame.
    var parent: String?
    var parentFrame: (any BrowserFrame)? { parent.flatMap { target.frames[$0] } }
    var isMainFrame: Bool { target.frames.isWindow && target.frames.isMain(id) }

    init(_ id: String, in target: ChromiumTarget) {
        self.id = id
        self.target = target
    }

    // MARK: Scripts

    func install(_ settings: WebViewSettings) { target.install(settings) }

    func makeWorld(_ name: String, _ settings: WebViewSettings, failed: @escaping () -> Void) {
        session.send("Page.createIsolatedWorld") { writer in
            writer.member("frameId", id)
            writer.member("worldName", name)
        } completion: { [weak scripts = target.scripts] result in
            guard let scripts, case .success(let json) = result, let id = json["executionContextId"]?.wholeNumber else {
                return failed()
            }
            scripts.start(inWorld: name, settings, context: id)
        }
    }

    var functionName: String? { nil }

    func run(
        _ program: String, name: String?, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        session.send(
            "Runtime.evaluate",
            { writer in
                writer.member("expression", name.map { "\(program)\n//# sourceURL=\($0)" } ?? program)
                writer.member("uniqueContextId", world.id)
                writer.member("userGesture", true)
                writer.member("silent", true)
                writer.member("allowUnsafeEvalBlockedByCSP", false)
            }, completion: completion)
    }

    func runUserScript(_ source: String, name: String, in world: ScriptWorld) {
        session.send("Runtime.evaluate") { writer in
            writer.member("expression", "\(source)\n//# sourceURL=\(name)")
            writer.member("uniqueContextId", world.id)
        }
    }

    func place(_ details: JSON, of script: (source: String, name: String?), in document: DrivenDocument) -> ScriptPlace
    {
        // A script that names itself is named only in the stack.
        let top = details["stackTrace"]?["callFrames"]?.elements.first
        let urls = [top?["url"]?.string, details["url"]?.string, script.name, document.page?.url]
        let lines = script.source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        // In WebKit, code that `eval` or `Function` has made is named so.
        let isMade = top?["url"]?.string == ""
        return ScriptPlace(
            url: isMade ? "undefined" : urls.compactMap(\.self).first { !$0.isEmpty } ?? "",
            line: min(top == nil ? lines : .max, 1 + (details["lineNumber"]?.wholeNumber ?? 0)),
            column: 1 + (details["columnNumber"]?.wholeNumber ?? -1))
    }

    /// Chromium lets a function that DevTools calls use `eval` under any policy, but not one that a script calls. A page can
    /// find the name of that script's function while it waits, and has no other use for it.
    func callAsync(
        _ function: JSON, _ arguments: ScriptValue, of bridge: String, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        let name = ChromiumScripts.randomName()
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            arguments.write(to: &writer, key: "value")
        }
        call("prepare", of: bridge, [.remote(function), .text(writer.text)], in: world, awaits: false, completion: nil)
        target.asyncCalls.begin { [session] in session.send("HeapProfiler.collectGarbage") }
        session.send(
            "Runtime.evaluate",
            { writer in
                writer.member("expression", "globalThis.\(name)()\n\(ChromiumScripts.ownName)")
                writer.member("uniqueContextId", world.id)
                writer.member("userGesture", true)
                writer.member("silent", true)
                writer.member("awaitPromise", true)
                writer.member("returnByValue", true)
                writer.member("allowUnsafeEvalBlockedByCSP", false)
            },
            completion: { [asyncCalls = target.asyncCalls] result in
                asyncCalls.end()
                completion(result)
            })
    }

    func call(
        _ method: StaticString, of bridge: String, _ arguments: [BridgeArgument], in world: ScriptWorld, awaits: Bool,
        completion: ((Result<JSON, BrowserError>) -> Void)?
    ) {
        let arguments = arguments.map(CallArgument.init)
        session.send(
            "Runtime.callFunctionOn",
            { writer in
                writer.member("functionDeclaration", "function(a,b){return this.\(method)(a,b)}")
                writer.member("objectId", bridge)
                writer.member("arguments", arguments)
                writer.member("returnByValue", true)
                writer.member("silent", true)
                writer.member("userGesture", completion != nil)
                writer.member("awaitPromise", awaits)
            }, completion: completion)
        for argument in arguments {
            guard let id = argument.objectID else { continue }
            session.send("Runtime.releaseObject") { $0.member("objectId", id) }
        }
    }

    // MARK: Navigations

    func navigate(_ navigation: PageNavigation) {
        switch navigation {
        case .url(let url): target.loads.navigate(self, to: url)
        case .reload:
            document?.expectLeaving(by: "reload")
            // After a load that may wait for the scripts, as the other navigations here.
            target.scripts.whenInstalled { [session] in session.send("Page.reload") }
        case .delta(let steps):
            document?.expectLeaving(by: "traverse")
            target.scripts.whenInstalled { [weak self] in
                self?.session.send("Page.getNavigationHistory", completion: { self?.move(by: steps, $0) })
            }
        }
    }

    private func move(by steps: Int, _ history: Result<JSON, BrowserError>) {
        guard case .success(let json) = history, let current = json["currentIndex"]?.wholeNumber,
            let entries = json["entries"]?.elements
        else { return }
        let (index, overflows) = current.addingReportingOverflow(steps)
        guard !overflows, entries.indices.contains(index), let id = entries[index]["id"]?.wholeNumber else { return }
        session.send("Page.navigateToHistoryEntry") { $0.member("entryId", id) }
    }

    // MARK: Commands

    /// Loads HTML as the document of its base URL, so that it has that URL's origin. Without one it is about:blank.
    func loadHTML(_ html: String, baseURL: String?) async throws {
        let isWeb = baseURL?.hasPrefix("http") == true
        try await target.loads.load(html, as: isWeb ? baseURL : nil, id)
    }

    func stopLoading() async throws {
        await withCheckedContinuation { continuation in target.scripts.whenInstalled { continuation.resume() } }
        try await session.call("Page.stopLoading")
    }

    func pdf() async throws -> String {
        let result = try await session.call("Page.printToPDF") { $0.member("printBackground", true) }
        return result["data"]?.string ?? ""
    }

    func snapshot(rect: [Double]?, width: Double?, scale: Double?) async throws -> String {
        try await target.turns.take { [self] in
            // On a desktop the whole picture includes the scroll bars, which are no part of the visual viewport. It has one
            // pixel a point there, or as many as the user's screen.
            let isUsual = scale == nil || target.browser.screen.device == nil
            let isWhole = rect == nil && width == nil && isUsual
            return try await takePicture(isWhole ? nil : clip(rect, width, scale))
        }
    }

    private func takePicture(_ clip: [String: JSONValue]?) async throws -> String {
        let result = try await session.call("Page.captureScreenshot") { writer in
            writer.member("format", "png")
            writer.member("clip", ifPresent: clip.map(JSONValue.init))
        }
        return result["data"]?.string ?? ""
    }

    /// Makes a viewport of DevTools, which has CSS pixels of the document, from points of the window: the page may be
    /// scrolled and zoomed.
    private func clip(_ rect: [Double]?, _ width: Double?, _ scale: Double?) async throws -> [String: JSONValue] {
        let viewport = try await session.call("Page.getLayoutMetrics")["cssVisualViewport"]
        func number(_ key: String, or usual: Double) -> Double { viewport?[key]?.number ?? usual }
        let zoom = max(0.01, number("scale", or: 1))
        let part = rect ?? [0, 0, number("clientWidth", or: 0) * zoom, number("clientHeight", or: 0) * zoom]
        let screenScale = Double(target.browser.screen.device?.scale ?? 1)
        let size = (width ?? part[2]) / max(1, part[2]) * zoom
        let (x, y) = (number("pageX", or: 0) + part[0] / zoom, number("pageY", or: 0) + part[1] / zoom)
        return [
            "x": .number(x), "y": .number(y),
            "width": .number(part[2] / zoom), "height": .number(part[3] / zoom),
            "scale": .number(size * (scale ?? screenScale) / screenScale),
        ]
    }

    func cookies() async throws -> [BrowserCookie] {
        // DevTools names the members as the protocol does. A cookie of the session expires at -1.
        try await ofContext("Storage.getCookies")["cookies"]?.elements.map { json in
            var cookie = BrowserCookie(json)
            if let expires = cookie.expires, expires <= 0 { cookie.expires = nil }
            return cookie
        } ?? []
    }

    /// Sends a command that is about the cookies of all windows. To a window's session, Chromium would answer for its usual
    /// context, whichever has the window.
    @discardableResult private func ofContext(_ method: String) async throws -> JSON {
        let browser = target.browser
        return try await browser.pipe.call(method) { $0.member("browserContextId", ifPresent: browser.browserContext) }
    }

    func setCookie(_ cookie: BrowserCookie) async throws {
        _ = try await session.call("Network.setCookie", cookie.writeMembers)
    }

    func deleteCookie(_ cookie: BrowserCookie) async throws {
        _ = try await session.call("Network.deleteCookies") { writer in
            writer.member("name", cookie.name)
            writer.member("domain", cookie.domain)
            writer.member("path", cookie.path)
        }
    }

    func clearStorage(of origins: [String]) async throws -> [String] {
        try await ofContext("Storage.clearCookies")
        for origin in origins {
            _ = try await session.call("Storage.clearDataForOrigin") { writer in
                writer.member("origin", origin)
                writer.member("storageTypes", "all")
            }
        }
        return []
    }

    /// What the page is told about its screen, with the domain `Emulation` of DevTools.
    func emulate(_ emulation: PageEmulation) async throws { try await target.browser.emulate(emulation) }

    // MARK: Questions

    var asksAboutDialogs: Bool { target.dialogs.asksNativeCode }
    var hasUser: Bool { target.dialogs.hasUser }

    /// Chromium keeps a permission for the origin of the window.
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void) {
        for (index, device) in devices.enumerated() {
            target.browser.pipe.send("Browser.setPermission") { writer in
                writer.member("permission", object: { $0.member("name", device.rawValue) })
                writer.member("setting", "granted")
                writer.member("origin", Origin.of(target.frames.mainFrame?.url ?? ""))
                writer.member("browserContextId", ifPresent: target.browser.browserContext)
            } completion: { _ in
                if index == devices.count - 1 { done() }
            }
        }
    }

    // MARK: The user's input, which DevTools send as the browser's own

    func perform(_ input: PageInput) async throws {
        switch input {
        case .tap(let place):
            try await target.turns.take { [self] in try await click(try await point(place)) }
        case .scroll(let place, let deltaX, let deltaY):
            try await target.turns.take { [self] in
                try await mouse("mouseWheel", try await point(place)) { writer in
                    writer.member("deltaX", deltaX)
                    writer.member("deltaY", deltaY)
                }
            }
        case .text(let text):
            guard let character = text.first, text.count == 1 else {
                try await session.call("Input.insertText") { $0.member("text", text) }
                return
            }
            if let key = PageInput.Key(typing: character) { return try await press(key) }
            try await key(text, text: text)
        case .key(let key): try await press(key)
        case .steps(let steps): try await target.turns.take { [self] in try await perform(steps) }
        }
    }

    /// Chromium takes the steps in their order, so only the last one before a pause is waited for.
    private func perform(_ steps: [InputStep]) async throws {
        var state = InputState()
        let steps = InputStep.withKeys(steps)
        for (index, step) in steps.enumerated() {
            if case .pause(let duration) = step {
                try await Task.sleep(for: duration)
                continue
            }
            let former = state
            state.note(step)
            let write = ChromiumStep(step, former, state)
            let isAwaited: Bool
            if case .pause? = steps.indices.contains(index + 1) ? steps[index + 1] : nil {
                isAwaited = true
            } else {
                isAwaited = index == steps.count - 1
            }
            if isAwaited {
                try await session.call(write.method, write.params)
            } else {
                session.send(write.method, write.params)
            }
        }
    }

    func perform(_ motion: PointerMotion) async throws {
        try await target.turns.take { [self] in try await move(motion) }
    }

    private func move(_ motion: PointerMotion) async throws {
        switch motion {
        case .tap(let point): try await click((point.visualX, point.visualY))
        case .hover(let point): try await mouse("mouseMoved", (point.visualX, point.visualY))
        case .drag(let start, let end):
            let start = (x: start.visualX, y: start.visualY)
            let end = (x: end.visualX, y: end.visualY)
            try await mouse("mouseMoved", start)
            try await mouse("mousePressed", start) { $0.member("clickCount", 1) }
            for point in PointerMotion.steps(from: start, to: end) {
                try await mouse("mouseMoved", point) { $0.member("buttons", 1) }
            }
            try await mouse("mouseReleased", end) { $0.member("clickCount", 1) }
        }
    }

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
        let world = try await session.call("Page.createIsolatedWorld") { writer in
            writer.member("frameId", id)
            writer.member("worldName", WebFiles.elementsWorld)
        }
        // The scroll bars of a phone are over the page.
        let sizes =
            target.browser.options.device == nil
            ? "[innerWidth / visualViewport.scale, innerHeight / visualViewport.scale]"
            : "[visualViewport.width, visualViewport.height]"
        let result = try await session.call("Runtime.evaluate") { writer in
            writer.member("expression", sizes)
            writer.member("contextId", world["executionContextId"]?.wholeNumber ?? 0)
            writer.member("returnByValue", true)
        }
        let size = result["result"]?["value"]?.elements.compactMap(\.number) ?? []
        guard size.count == 2 else { throw RPCError(.documentGone, "The document has left.") }
        return place.point(inWidth: size[0], height: size[1])
    }

    private func mouse(
        _ type: String, _ point: (x: Double, y: Double), _ others: (inout JSONWriter) -> Void = { _ in }
    ) async throws {
        try await session.call("Input.dispatchMouseEvent") { writer in
            writer.member("type", type)
            writer.member("x", point.x)
            writer.member("y", point.y)
            writer.member("button", ["mousePressed", "mouseReleased"].contains(type) ? "left" : "none")
            others(&writer)
        }
    }

    /// Presses a key and lets it go. A key with a text types it.
    private func key(_ name: String, text: String?, code: Int? = nil) async throws {
        for type in [text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            try await session.call("Input.dispatchKeyEvent") { writer in
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

/// A value for a function in the page (`Runtime.CallArgument`).
private struct CallArgument: JSONWritable {
    private let argument: BridgeArgument

    init(_ argument: BridgeArgument) { self.argument = argument }

    /// Chromium's name of the object, which it keeps until the name is released.
    var objectID: String? { if case .remote(let object) = argument { object["objectId"]?.string } else { nil } }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch argument {
            case .text(let text): writer.member("value", text)
            case .remote(let object):
                if object["type"]?.string == "undefined" { return }
                if let objectID {
                    writer.member("objectId", objectID)
                } else if let text = object["unserializableValue"]?.string {
                    writer.member("unserializableValue", text)
                } else {
                    writer.member("value", object["value"] ?? .null)
                }
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
        case .insert: 45
        case .shift: 16
        case .control: 17
        case .alt: 18
        case .meta: 91
        case .f1, .f2, .f3, .f4, .f5, .f6, .f7, .f8, .f9, .f10, .f11, .f12:
            111 + (Int(rawValue.dropFirst()) ?? 1)
        }
    }
}

/// A step of a mouse or a keyboard as a command of DevTools.
private struct ChromiumStep {
    private let step: InputStep
    private let former: InputState
    private let state: InputState

    /// - Parameters:
    ///   - former: what was held down before the step.
    ///   - state: what is held down after it.
    init(_ step: InputStep, _ former: InputState, _ state: InputState) {
        (self.step, self.former, self.state) = (step, former, state)
    }

    var method: String {
        switch step {
        case .keyDown, .keyUp: "Input.dispatchKeyEvent"
        default: "Input.dispatchMouseEvent"
        }
    }

    private var modifiers: Int {
        let bits: [PageInput.Key: Int] = [.alt: 1, .control: 2, .meta: 4, .shift: 8]
        return state.modifiers.reduce(0) { $0 + (bits[$1] ?? 0) }
    }

    func params(_ writer: inout JSONWriter) {
        switch step {
        case .move: writeMouse("mouseMoved", state.button, clicks: 0, &writer)
        case .press(let button, let clicks): writeMouse("mousePressed", button, clicks: clicks, &writer)
        case .release(let button, let clicks): writeMouse("mouseReleased", button, clicks: clicks, &writer)
        case .keyDown(let key): writeKey(key, isDown: true, &writer)
        case .keyUp(let key): writeKey(key, isDown: false, &writer)
        case .text, .pause: break
        }
        writer.member("modifiers", modifiers)
    }

    private func writeMouse(_ type: String, _ button: InputStep.Button?, clicks: Int, _ writer: inout JSONWriter) {
        let bits: [InputStep.Button: Int] = [.left: 1, .right: 2, .middle: 4]
        writer.member("type", type)
        writer.member("x", state.x)
        writer.member("y", state.y)
        writer.member("button", button?.rawValue ?? "none")
        writer.member("buttons", state.button.flatMap { bits[$0] } ?? 0)
        writer.member("clickCount", clicks)
    }

    private func writeKey(_ key: ElementAction.PressedKey, isDown: Bool, _ writer: inout JSONWriter) {
        let types = state.modifiers.isDisjoint(with: [.control, .alt, .meta])
        var text: String?
        var code = ""
        var number = 0
        switch key {
        case .named(let key):
            text = key == .enter ? "\r" : nil
            code = key.isModifier ? "\(key.rawValue)Left" : key.rawValue
            number = key.windowsCode
        case .character(let character):
            text = String(character)
            if character == " " {
                (code, number) = ("Space", 32)
            } else if let ascii = character.uppercased().first?.asciiValue, character.isASCII {
                if character.isLetter { (code, number) = ("Key\(character.uppercased())", Int(ascii)) }
                if character.isNumber { (code, number) = ("Digit\(character)", Int(ascii)) }
            }
        }
        if !types || !isDown { text = nil }
        writer.member("type", isDown ? (text == nil ? "rawKeyDown" : "keyDown") : "keyUp")
        writer.member("key", key.text)
        writer.member("code", code)
        writer.member("windowsVirtualKeyCode", number)
        writer.member("text", ifPresent: text)
    }
}
