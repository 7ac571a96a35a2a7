import BridgeProtocol
import Foundation

/// Does to elements of the page that is shown what its user does, and waits for what a test expects of them.
///
/// If bridged drives the browser, pointers and keys are real input of the browser, and an element that the user cannot reach
/// is refused. A page with the script tag gets events from a script.
@MainActor package struct ElementActions {
    package enum Outcome: Sendable, Equatable {
        case done
        /// It was done, but the page has made something else of it. The text says what, as "the page changed the text".
        case changed(String)
        /// There is no such element.
        case missing
        /// It was impossible. The text says why, as "div.overlay covers it".
        case refused(String)
        /// The time was over in the middle of it. The text says how far it got, as the end of a sentence.
        case unfinished(String)

        /// Reads what `web/elements.js` and `web/tap.js` return.
        package init(_ value: ScriptValue) {
            let reason = (value.child("reason") ?? value.child("secretReason"))?.string ?? ""
            if !reason.isEmpty {
                self = .refused(reason)
            } else if value.child("isMissing")?.bool == true {
                self = .missing
            } else {
                self = (value.child("secretNote")?.string).map { .changed($0) } ?? .done
            }
        }
    }

    private let deadline: ContinuousClock.Instant
    private let server: WebViews
    private let shownPage: @MainActor () async throws -> Page
    private let throwIfEnded: @MainActor () throws -> Void
    private let turn = GestureTurn()

    /// How long one page may try. Then the screen may be another one, to which the user would turn.
    private static let slice = Duration.milliseconds(200)
    /// How many characters a script types in one call, between which the time is looked at.
    private static let charactersOfCall = 50
    /// How many keys the page may not have got yet: WebKit takes a key before the page has handled the last one.
    private static let keysAhead = 10
    private static let isBusy = Outcome.refused("another tool's action in its page has not ended")

    /// - Parameters:
    ///   - shownPage: returns the page that the user sees, or waits for it.
    ///   - throwIfEnded: throws if the actions must end, for example because a dialog is open.
    init(
        until deadline: ContinuousClock.Instant, _ server: WebViews,
        in shownPage: @escaping @MainActor () async throws -> Page,
        throwIfEnded: @escaping @MainActor () throws -> Void = {}
    ) {
        (self.deadline, self.server, self.shownPage) = (deadline, server, shownPage)
        self.throwIfEnded = throwIfEnded
    }

    /// Waits until an action is possible, and does it.
    package func perform(_ action: ElementAction) async throws -> Outcome {
        defer { turn.end() }
        return switch action {
        case .tap(let element): try await point(.tap, element).outcome
        case .hover(let element): try await point(.hover, element).outcome
        case .drag(let element, let to): try await drag(element, to)
        case .scrollTo(let element): try await callUntilDone("scrollTo(target, milliseconds)", element).outcome
        case .fill(let element, let text): try await fill(element, text)
        case .type(let text, let element): try await type(text, into: element)
        case .press(let key, let element): try await press(key, on: element)
        case .select(let options, let element):
            try await callUntilDone(
                "select(target, options, milliseconds)", element,
                [.init("options", .array(options.map { .string($0) }))]
            ).outcome
        case .check(let element, let isChecked): try await check(element, isChecked)
        case .chooseFiles(let paths, let element): try await chooseFiles(paths, for: element)
        }
    }

    // MARK: Repeating

    /// What an attempt came to, in which page, and what the script returned.
    private struct Attempt {
        var outcome = Outcome.missing
        var page: Page?
        var value = ScriptValue.undefined
    }

    /// Tries in the page that is shown, until it succeeds or the time is over. `body` waits by itself for the time that it
    /// gets, so that the attempts do not follow each other at once.
    /// - Parameter isAction: whether no other action may come in between while it tries and, once it has succeeded, until
    ///   this action ends. So an attempt that has failed ends the turn, and one that has succeeded keeps it.
    private func repeating(
        until end: ContinuousClock.Instant? = nil, isAction: Bool = true,
        _ body: (Page, Duration) async throws(ScriptError) -> ScriptValue
    ) async throws -> Attempt {
        let deadline = min(end ?? self.deadline, self.deadline)
        var attempt = Attempt()
        var wasThere = false
        repeat {
            do {
                let page = try await shownPage()
                if isAction, await !turn.begin(in: page, before: deadline) {
                    attempt.outcome = ElementActions.isBusy
                    break
                }
                let value = try await body(page, min(ElementActions.slice, max(.zero, deadline - .now)))
                attempt = Attempt(outcome: Outcome(value), page: page, value: value)
                if attempt.outcome == .done { break }
                if attempt.outcome == .missing, wasThere { attempt.outcome = .refused("it was there and has gone") }
                wasThere = wasThere || attempt.outcome != .missing
            } catch ScriptError.pageGone {
                attempt.outcome = .refused("its page has gone")
                try await Task.sleep(for: .milliseconds(20))
            } catch ScriptError.timedOut {
                attempt.outcome = .refused("a script in its page does not end")
            }
            turn.end()
            try throwIfEnded()
        } while ContinuousClock.now < deadline
        return attempt
    }

    /// Calls a method of `web/elements.js` that waits for an element, until it succeeds.
    private func callUntilDone(
        _ call: String, _ element: ElementTarget, _ arguments: [JSONValue.Member] = []
    ) async throws -> Attempt {
        try await repeating { page, slice throws(ScriptError) in
            try await ElementScript(page: page).call(
                call, [.init("target", element.json)] + arguments, within: slice)
        }
    }

    private func point(
        _ gesture: PointerGesture, _ element: ElementTarget, until end: ContinuousClock.Instant? = nil
    ) async throws -> Attempt {
        try await repeating(until: end) { page, slice throws(ScriptError) in
            try await page.point(gesture, element, within: slice)
        }
    }

    private func ifPageGoes(
        _ outcome: Outcome, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        do { return try await body() } catch ScriptError.pageGone { return outcome }
    }

    // MARK: Pointer

    /// Drags an element with the pointer, or, if it is draggable by itself, with the events of a drag, for which browsers
    /// without a window have no real input.
    private func drag(_ element: ElementTarget, _ to: ElementTarget) async throws -> Outcome {
        let isDraggable = try await callUntilDone("isDraggable(target, milliseconds)", element)
        guard isDraggable.outcome == .done, let page = isDraggable.page else { return isDraggable.outcome }
        if page.isDriven, isDraggable.value.child("isDraggable")?.bool != true {
            return try await point(.drag(to: to), element).outcome
        }
        return try await callUntilDone("drag(target, to, milliseconds)", element, [.init("to", to.json)]).outcome
    }

    private func check(_ element: ElementTarget, _ isChecked: Bool) async throws -> Outcome {
        let target = JSONValue.Member("target", element.json)
        let state = try await callUntilDone("checked(target, milliseconds)", element)
        guard state.outcome == .done else { return state.outcome }
        if state.value.child("isChecked")?.bool == isChecked { return .done }
        if !isChecked, state.value.child("isRadio")?.bool == true {
            return .refused("nobody can uncheck a radio button; check another one of its group")
        }
        let tap = try await point(.tap, element)
        guard tap.outcome == .done, let page = tap.page else { return tap.outcome }
        return try await ifPageGoes(.done) {
            let expected = JSONValue.Member("isExpected", .bool(isChecked))
            return Outcome(
                try await ElementScript(page: page).call(
                    "becomes(target, isExpected, milliseconds)", [target, expected], within: .seconds(1)))
        }
    }

    // MARK: Keyboard

    // What is typed may be a password. The log leaves out the members of scripts' arguments and results whose names say
    // that they are secret.

    private func fill(_ element: ElementTarget, _ text: String) async throws -> Outcome {
        let target = JSONValue.Member("target", element.json)
        let text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let isPossible = try await repeating { page, slice throws(ScriptError) in
            try await ElementScript(page: page).call(
                "fill(target, secretText, isTyped, milliseconds)",
                [target, .init("secretText", .string(text)), .init("isTyped", .bool(page.isDriven))], within: slice)
        }
        guard isPossible.outcome == .done else { return isPossible.outcome }
        if let kept = isPossible.value.child("kept"), kept.json.kind == .object { return Outcome(kept) }
        let tap = try await point(.tap, element)
        guard tap.outcome == .done, let page = tap.page else { return tap.outcome }
        return try await ifPageGoes(.refused("its page has gone while it was filled")) {
            try await replaceContents(of: element, in: page, by: text)
        }
    }

    /// Types a text in place of what a field contains, which the user has tapped on.
    private func replaceContents(of element: ElementTarget, in page: Page, by text: String) async throws -> Outcome {
        let target = JSONValue.Member("target", element.json)
        let script = ElementScript(page: page)
        let former = try await script.call("selectAll(target)", [target])
        guard former.child("isMissing")?.bool != true else { return .refused("it has gone after the tap") }
        let contents = former.child("secretText")?.string ?? ""
        if !text.isEmpty {
            _ = try await page.command(.input(.text(text)))
        } else if !contents.isEmpty {
            _ = try await page.command(.input(.key(.delete)))
        }
        let arguments: [JSONValue.Member] = [
            target, .init("secretText", .string(text)), .init("secretFormer", .string(contents)),
        ]
        return Outcome(
            try await script.call(
                "typed(target, secretText, secretFormer, milliseconds)", arguments, within: .seconds(2)))
    }

    private func type(_ text: String, into element: ElementTarget?) async throws -> Outcome {
        try await withFocus(on: element, isTyping: true) { page in
            guard page.isDriven else { return try await typeByScript(text, in: page) }
            return try await press(text.map { .character($0) }, in: page)
        }
    }

    private func press(_ key: ElementAction.PressedKey, on element: ElementTarget?) async throws -> Outcome {
        try await withFocus(on: element, isTyping: false) { page in
            guard !page.isDriven else { return try await press([key], in: page) }
            return Outcome(
                try await ElementScript(page: page).call(
                    "press(secretText)", [.init("secretText", .string(key.text))]))
        }
    }

    /// Gives an element the focus, or leaves it to what has it, and presses keys there.
    private func withFocus(
        on element: ElementTarget?, isTyping: Bool, _ body: (Page) async throws -> Outcome
    ) async throws -> Outcome {
        var page: Page?
        if let element {
            let focus = try await focus(element, isTyping: isTyping)
            guard focus.outcome == .done else { return focus.outcome }
            page = focus.page
        }
        let focused = if let page { page } else { try await shownPage() }
        guard await turn.begin(in: focused, before: deadline) else { return ElementActions.isBusy }
        // A key may lead to another page.
        return try await ifPageGoes(.done) { try await body(focused) }
    }

    /// Presses keys of the browser one after the other, until the time is over.
    private func press(_ keys: [ElementAction.PressedKey], in page: Page) async throws -> Outcome {
        let script = ElementScript(page: page)
        _ = try await script.call("watchKeys()", [])
        var pressed = 0
        // The document in a frame gets its keys itself, and this one counts none.
        var canCount = true
        while pressed < keys.count, pressed == 0 || .now < deadline {
            _ = try await page.command(.input(keys[pressed].input))
            pressed += 1
            guard canCount, pressed.isMultiple(of: ElementActions.keysAhead), pressed < keys.count else { continue }
            let count = JSONValue.Member("count", .number(Double(pressed)))
            let time = min(.seconds(2), max(.zero, deadline - .now))
            let arrived = try await script.call("countKeys(count, milliseconds)", [count], within: time)
            canCount = arrived.child("count")?.json.wholeNumber != 0
        }
        let count = JSONValue.Member("count", .number(Double(pressed)))
        let arrival = Outcome(try await script.call("keysArrived(count, milliseconds)", [count], within: .seconds(2)))
        return arrival == .done ? typed(pressed, of: keys.count) : arrival
    }

    private func typeByScript(_ text: String, in page: Page) async throws -> Outcome {
        var rest = text[...]
        while !rest.isEmpty, rest.startIndex == text.startIndex || .now < deadline {
            let part = JSONValue.string(String(rest.prefix(ElementActions.charactersOfCall)))
            _ = try await ElementScript(page: page).call("type(secretText)", [.init("secretText", part)])
            rest = rest.dropFirst(ElementActions.charactersOfCall)
        }
        return typed(text.count - rest.count, of: text.count)
    }

    private func typed(_ count: Int, of all: Int) -> Outcome {
        guard count < all else { return .done }
        return .unfinished(
            "\(count) of \(all) characters were typed; give it more time, or fill the field")
    }

    /// Gives an element the focus: a field by a tap, as a user does, and others by a script, because a tap would activate
    /// them.
    /// - Parameter isTyping: whether a text must be possible there.
    private func focus(_ element: ElementTarget, isTyping: Bool) async throws -> Attempt {
        let focus = try await callUntilDone(
            "focus(target, isTyping, milliseconds)", element, [.init("isTyping", .bool(isTyping))])
        guard focus.outcome == .done, focus.page?.isDriven == true, focus.value.child("isField")?.bool == true,
            focus.value.child("hadFocus")?.bool != true
        else { return focus }
        let tap = try await point(.tap, element)
        // The tap has put the caret into the middle of the text, and what is typed is added to it.
        if isTyping, tap.outcome == .done, let page = tap.page {
            _ = try? await ElementScript(page: page).call("moveCaretToEnd(target)", [.init("target", element.json)])
        }
        return tap
    }

    // MARK: Files

    /// Answers the open panel of an `<input type=file>` with files. If the user can't tap on the input, because the page
    /// hides or covers it, gives the files to it directly.
    private func chooseFiles(_ paths: [String], for element: ElementTarget) async throws -> Outcome {
        let files = paths.map { URL(fileURLWithPath: $0).standardizedFileURL }
        if let missing = files.first(where: { !FileManager.default.fileExists(atPath: $0.path) }) {
            let folder = FileManager.default.currentDirectoryPath
            return .refused("there is no file \(missing.path); a relative path belongs to \(folder)")
        }
        let target = JSONValue.Member("target", element.json)
        let input = try await callUntilDone("appears(target, milliseconds)", element)
        guard input.outcome == .done, let page = input.page else { return input.outcome }
        var whyNotTapped = ""
        if page.isDriven {
            let answer = StubReply.value(ScriptValue(.array(files.map { .string($0.path) })))
            // Files that it has already would look like those that are chosen now.
            _ = try await ElementScript(page: page).call("clearFiles(target)", [target])
            let stub = server.add(
                Stub(handler: Dialog.Kind.openPanel.handler, match: nil, reply: answer, delay: .zero),
                webView: page.webView)
            defer { _ = server.removeStub(stub) }
            let tap = try await point(.tap, element, until: .now + .seconds(1))
            if tap.outcome == .done {
                let count = JSONValue.Member("count", .number(Double(files.count)))
                return try await callUntilDone("hasFiles(target, count, milliseconds)", element, [count]).outcome
            }
            if case .refused(let reason) = tap.outcome { whyNotTapped = " (which was refused: \(reason))" }
        }
        let contents: [JSONValue]
        do { contents = try files.map { try ChosenFile($0).json } } catch { return .refused("\(error)\(whyNotTapped)") }
        return try await repeating { page, slice throws(ScriptError) in
            try await ElementScript(page: page).call(
                "setFiles(target, files, milliseconds)", [target, .init("files", .array(contents))], within: slice)
        }.outcome
    }

    /// The names of what a user can tap on or fill, for the failure of a test that looks for something else.
    package func names() async throws -> [String] {
        let names = try await ElementScript(page: try await shownPage()).call("usable()", [])
        return names.json.elements.compactMap(\.string)
    }

    // MARK: Expectations

    /// Waits until the page shows what is expected.
    /// - Returns: what was found instead, as the end of a sentence; nil if it is so.
    package func wait(for expectation: PageExpectation) async throws -> String? {
        switch expectation {
        case .element(let expected):
            return try await found(
                "expectElement(target, expected, milliseconds)",
                [.init("target", expected.element.json), .init("expected", expected.json)])
        case .text(let text): return try await found("expectText(text, milliseconds)", [.init("text", .string(text))])
        case .url(let text):
            let pattern = URLPattern(text)
            return try await poll { pattern.matches($0.frame.url) ? nil : "the URL is \($0.frame.url)" }
        case .title(let pattern):
            let glob = Glob(pattern)
            return try await poll { glob.matches($0.title) ? nil : "the title is \(JSONValue.string($0.title).text)" }
        }
    }

    private func found(_ call: String, _ arguments: [JSONValue.Member]) async throws -> String? {
        let attempt = try await repeating(isAction: false) { page, slice throws(ScriptError) in
            try await ElementScript(page: page).call(call, arguments, within: slice)
        }
        if case .refused(let reason) = attempt.outcome { return reason }
        return attempt.outcome == .done ? nil : "no page answers"
    }

    private func poll(_ objection: (Page) -> String?) async throws -> String? {
        while true {
            guard let found = objection(try await shownPage()) else { return nil }
            guard ContinuousClock.now < deadline else { return found }
            try throwIfEnded()
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension Page {
    /// Waits for an element and points at it: in a driven browser as a finger does, if it can reach the element.
    ///
    /// - Returns: `{reason?, isMissing?}`, which ``ElementActions/Outcome`` reads.
    /// - Throws: `ScriptError.pageGone` if the document leaves before the gesture, `ScriptError.timedOut` if it is busy.
    package func point(
        _ gesture: PointerGesture, _ element: ElementTarget, within timeout: Duration
    ) async throws(ScriptError) -> ScriptValue {
        if isDriven { return try await command(.point(gesture, element, within: timeout), within: timeout) }
        return try await ElementScript(page: self).call(
            gesture == .tap ? "click(target, milliseconds)" : "hover(target, milliseconds)",
            [.init("target", element.json)], within: timeout)
    }

    /// Sends a command to the page's driver, and waits for its result.
    fileprivate func command(
        _ command: DriverCommand, within timeout: Duration = .zero
    ) async throws(ScriptError) -> ScriptValue {
        // The driver keeps the time. A dialog that it opens may last longer.
        try await result(of: command, timeout: timeout + .seconds(30)).get()
    }
}

extension ElementAction.PressedKey {
    fileprivate var input: PageInput {
        switch self {
        case .named(let key): .key(key)
        case .character(let character): .text(String(character))
        }
    }
}

/// A file for an `<input type=file>`, as `web/elements.js` takes it.
private struct ChosenFile {
    private struct TooLarge: Error, CustomStringConvertible {
        let path: String
        let bytes: Int
        var description: String {
            "\(path) has \(bytes) bytes, and a script can give at most \(ChosenFile.limit) to an input. Use a smaller file, or "
                + "a driven browser and an input that its user can tap on"
        }
    }

    /// What fits into a message to a page.
    private static let limit = 500_000
    private static let types = [
        "csv": "text/csv", "gif": "image/gif", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "json": "application/json", "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png",
        "svg": "image/svg+xml", "txt": "text/plain", "webp": "image/webp", "zip": "application/zip",
    ]

    let json: JSONValue

    init(_ url: URL) throws {
        let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        guard size <= ChosenFile.limit else { throw TooLarge(path: url.path, bytes: size) }
        let data = try Data(contentsOf: url)
        json = [
            "name": .string(url.lastPathComponent), "data": .string(data.base64EncodedString()),
            "type": .string(ChosenFile.types[url.pathExtension.lowercased()] ?? "application/octet-stream"),
        ]
    }
}
