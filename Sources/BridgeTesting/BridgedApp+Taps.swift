import BridgeProtocol

/// Taps on elements of the page.
extension BridgedApp {
    /// Waits for the first element that matches a CSS selector, and clicks on it.
    public func tap(_ selector: String, within timeout: Duration? = nil) async throws {
        try await tap(.css(selector), within: timeout)
    }

    /// Clicks an element, once it exists. If it never does, the failure names what the page has to tap.
    public func tap(_ target: ElementTarget, within timeout: Duration? = nil) async throws {
        let find = target.expression
        do {
            try await wait(until: "\(find) !== null", within: timeout)
        } catch let error as BridgedAppFailure {
            let expected = "an element \(target) to tap within \(timeout ?? self.timeout)"
            throw failure(expected, error.isTimeOut ? await tappable(insteadOf: target) : error.found)
        }
        try await run("\(find).click()", within: timeout)
    }

    /// A sentence with what a user could tap.
    private func tappable(insteadOf target: ElementTarget) async -> String {
        let script = """
            [...document.querySelectorAll("a[href], button, input[type=submit], summary, [role=button]")]
              .filter((element) => element.getClientRects().length > 0)
              .map((element) => (element.innerText || element.value || element.getAttribute("aria-label") || "").trim())
            """
        guard let texts = try? await evaluate(script, as: [String].self) else { return "the page does not answer" }
        guard !texts.isEmpty else { return "the page shows no link and no button" }
        if case .css(let selector) = target, texts.contains(selector) {
            return "\(selector) is the text of one, and a step with a text alone means a CSS selector; "
                + "write {text: \(selector)}"
        }
        let shown = texts.prefix(20).map { "'\($0.replacing("\n", with: " "))'" }.joined(separator: ", ")
        return "the page has \(shown)" + (texts.count > 20 ? " and \(texts.count - 20) more" : "")
    }
}
