package import BridgeProtocol

/// Taps on elements.
extension Page {
    package enum TapOutcome: Sendable, Equatable {
        case tapped
        /// There is no such element.
        case missing
        /// A finger could not tap on it. The text says why, as "div.overlay covers it".
        case refused(String)
    }

    /// Waits for an element and taps on it: in a driven browser as a finger does, if it can reach the element, and in a
    /// page with the script tag by `element.click()`.
    ///
    /// - Throws: `ScriptError.pageGone` if the document leaves before the tap, `ScriptError.timedOut` if it is busy.
    package func tap(_ element: ElementTarget, within timeout: Duration) async throws(ScriptError) -> TapOutcome {
        let milliseconds = JSONValue.number((timeout / .milliseconds(1)).rounded())
        // Whoever carries it out keeps the time himself. A dialog that the tap opens may last longer.
        let patience = timeout + .seconds(30)
        let result: Result<ScriptValue, ScriptError>
        if isDriven {
            result = await withCheckedContinuation { continuation in
                command(
                    "page.tap", [.init("element", element.json), .init("timeoutMs", milliseconds)], timeout: patience
                ) { continuation.resume(returning: $0) }
            }
        } else {
            let arguments: JSONValue = ["element": element.json, "milliseconds": milliseconds]
            result = await withCheckedContinuation { continuation in
                callAsync(Page.clicks, arguments: ScriptValue(arguments), timeout: patience) {
                    continuation.resume(returning: $0)
                }
            }
        }
        let value = try result.get()
        if let reason = value.child("reason")?.string, !reason.isEmpty { return .refused(reason) }
        return value.child("isMissing")?.bool == true ? .missing : .tapped
    }

    /// Clicks on the element `element`, for which it waits.
    private static let clicks = """
        const outcome = await \(PageWait.function)(() => {
          const found = \(ElementTarget.finder)(element)
          found?.click()
          return found !== null
        }, milliseconds)
        return { isMissing: !outcome[0] }
        """
}
