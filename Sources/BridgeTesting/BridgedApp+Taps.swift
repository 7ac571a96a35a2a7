public import BridgeProtocol
import BridgeServer

/// Taps on elements of the page.
extension BridgedApp {
    /// Waits for the first element that matches a CSS selector, and taps on it; see ``tap(_:within:)-(ElementTarget,_)``.
    public func tap(_ selector: String, within timeout: Duration? = nil) async throws {
        try await tap(.css(selector), within: timeout)
    }

    /// Taps on an element, once it exists. If it never does, the failure names what the page has to tap.
    ///
    /// A browser that bridged drives gets what a finger does: the element is scrolled into view, and the tap fails if the
    /// element is disabled, invisible or covered until the time is over. A page that loads `bridge.js` by its script tag
    /// only gets `element.click()`, which needs no finger.
    public func tap(_ target: ElementTarget, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        let expected = "an element \(target) to tap within \(timeout)"
        if !isDriven {
            do {
                try await wait(until: "\(target.expression) !== null", within: timeout)
            } catch let error as BridgedAppFailure {
                throw failure(expected, error.isTimeOut ? await tappable(insteadOf: target) : error.found)
            }
        }
        try await failingOnDialog(expected) {
            var outcome = Page.TapOutcome.missing
            var wasThere = false
            repeat {
                do {
                    outcome = try await page(before: deadline).tap(target, within: slice(before: deadline))
                } catch ScriptError.pageGone {
                    outcome = .refused("its page has gone")
                    try await Task.sleep(for: .milliseconds(20))
                    continue
                } catch ScriptError.timedOut {
                    outcome = .refused("a script in its page does not end")
                } catch let error as ScriptError {
                    throw failure(expected, "\(error)")
                }
                if outcome == .tapped { return }
                if outcome == .missing, wasThere { outcome = .refused("it was there and has gone") }
                wasThere = wasThere || outcome != .missing
                try failOnDialog(expected)
            } while ContinuousClock.now < deadline
            guard case .refused(let reason) = outcome else {
                throw failure(expected, await tappable(insteadOf: target), isTimeOut: true)
            }
            throw failure(expected, "no finger can tap on it: \(reason)", isTimeOut: true)
        }
    }

    /// How long one page may try. Then the screen may be another one, where the user would tap.
    private func slice(before deadline: ContinuousClock.Instant) -> Duration {
        min(.milliseconds(200), max(.zero, deadline - .now))
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
