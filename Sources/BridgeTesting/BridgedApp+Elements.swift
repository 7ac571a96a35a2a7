public import BridgeProtocol
import BridgeServer

/// What a user does with elements of the page, and what a test expects of them.
///
/// Each call waits until the action is possible: until the element exists, is visible, rests, is enabled, and nothing covers
/// it. A browser that bridged drives gets real input. A page that loads `bridge.js` by its script tag gets the events of a
/// script, which needs no finger.
extension BridgedApp {
    /// Taps on the first element that matches a CSS selector; see the same method with an `ElementTarget`.
    public func tap(_ selector: String, within timeout: Duration? = nil) async throws {
        try await tap(.css(selector), within: timeout)
    }

    /// Taps on an element. If it never exists, the failure names what the page has to tap.
    public func tap(_ target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.tap(target), within: timeout)
    }

    /// Replaces what a field contains. A date or colour is set, because nobody can type it.
    public func fill(_ target: ElementTarget, with text: String, within timeout: Duration? = nil) async throws {
        try await perform(.fill(target, with: text), within: timeout)
    }

    /// Types with one key for each character.
    /// - Parameter target: nil for what has the focus.
    public func type(_ text: String, into target: ElementTarget? = nil, within timeout: Duration? = nil) async throws {
        try await perform(.type(text, into: target), within: timeout)
    }

    /// Presses a key.
    /// - Parameter target: gets the focus first; nil for what has it.
    public func press(
        _ key: ElementAction.PressedKey, on target: ElementTarget? = nil, within timeout: Duration? = nil
    ) async throws {
        try await perform(.press(key, on: target), within: timeout)
    }

    /// Selects the options of a `<select>` with these labels or values, and no others.
    public func select(_ options: [String], in target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.select(options, in: target), within: timeout)
    }

    /// Checks a check box, radio button or switch, unless it is checked already.
    public func check(_ target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.check(target, isChecked: true), within: timeout)
    }

    public func uncheck(_ target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.check(target, isChecked: false), within: timeout)
    }

    /// Chooses files for an `<input type=file>`.
    /// - Parameter paths: a relative one belongs to the folder of this process.
    public func chooseFiles(
        _ paths: [String], for target: ElementTarget, within timeout: Duration? = nil
    ) async throws {
        try await perform(.chooseFiles(paths, for: target), within: timeout)
    }

    /// Scrolls until an element is in the middle of the window.
    public func scroll(to target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.scrollTo(target), within: timeout)
    }

    public func hover(over target: ElementTarget, within timeout: Duration? = nil) async throws {
        try await perform(.hover(target), within: timeout)
    }

    public func drag(
        _ target: ElementTarget, to destination: ElementTarget, within timeout: Duration? = nil
    ) async throws {
        try await perform(.drag(target, to: destination), within: timeout)
    }

    /// Does what a user does to an element.
    public func perform(_ action: ElementAction, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let element = action.element.map { "an element \($0)" } ?? "the element with the focus"
        let expected = "\(element) to \(action.verb) within \(timeout)"
        let outcome = try await doing(expected, within: timeout) { try await $0.perform(action) }
        switch outcome {
        case .done: return
        case .changed(let note): onNote?(note)
        case .missing:
            throw latestRecords.failure(expected, await instead(of: action.element), isTimeOut: true)
        case .unfinished(let progress): throw latestRecords.failure(expected, progress, isTimeOut: true)
        case .refused(let reason):
            throw latestRecords.failure(expected, "no user can do that: \(reason)", isTimeOut: true)
        }
    }

    // MARK: Expectations

    /// Waits until an element is as expected; see `ElementExpectation`. Without any expectation it must be visible.
    public func expect(_ element: ElementExpectation, within timeout: Duration? = nil) async throws {
        try await expect(.element(element), within: timeout)
    }

    /// Waits until the page shows what is expected.
    public func expect(_ expectation: PageExpectation, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let expected = "the page to show \(expectation) within \(timeout)"
        let found = try await doing(expected, within: timeout) { try await $0.wait(for: expectation) }
        guard let found else { return }
        throw latestRecords.failure(expected, found, isTimeOut: true)
    }

    private func doing<Value>(
        _ expected: String, within timeout: Duration, _ body: (ElementActions) async throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + timeout
        let actions = server.elementActions(until: deadline) { [self] in
            try await page(before: deadline)
        } throwIfEnded: { [self] in
            try failOnDialog(expected)
        }
        return try await failingOnDialog(expected) {
            do { return try await body(actions) } catch let error as ScriptError {
                throw failure(expected, "\(error)")
            }
        }
    }

    /// A sentence with what the page has instead of an element.
    private func instead(of target: ElementTarget?) async -> String {
        guard let texts = try? await doing("names", within: .seconds(2), { try await $0.names() }) else {
            return "the page does not answer"
        }
        guard !texts.isEmpty else { return "the page shows no link, button or field" }
        if let selector = target?.selector, texts.contains(selector) {
            return "\(selector) is the text of one, and a step with a text alone means a CSS selector; "
                + "write {text: \(selector)}"
        }
        let shown = texts.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
        return "the page has \(shown)" + (texts.count > 20 ? " and \(texts.count - 20) more" : "")
    }
}

extension ElementAction {
    /// What is done, after "an element to".
    fileprivate var verb: String {
        switch self {
        case .tap: "tap"
        case .hover: "hover over"
        case .drag(_, let to): "drag to \(to)"
        case .scrollTo: "scroll to"
        case .fill: "fill"
        case .type: "type into"
        case .press(let key, _): "press \(key.text) on"
        case .select: "select from"
        case .check(_, let isChecked): isChecked ? "check" : "uncheck"
        case .chooseFiles: "choose files for"
        }
    }
}
