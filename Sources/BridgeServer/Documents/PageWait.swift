import BridgeProtocol

/// Waiting in a page.
package enum PageWait {
    /// A JavaScript function that calls an async function until its value is true, and then returns `[true]`.
    ///
    /// It calls it whenever the document changes, and every 20 ms, because a variable may change as well. When the time is
    /// over, it returns `[false]` with the last value, or without one if there was none. A name lets ``end(of:)`` end it.
    package static let function = """
        (async (condition, milliseconds, name) => {
          let [changed, isOver, last] = [() => {}, false, []]
          // The page may have replaced its timers by ones that only its test moves on.
          const after = (time, next) => { AbortSignal.timeout(time).onabort = next }
          // A condition that changes the document itself must not keep the page from everything else.
          const observer = new MutationObserver(() => after(0, changed))
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
          const ask = async () => {
            while (!isOver) {
              const value = await condition()
              if (value) return [true]
              last = [typeof value === "bigint" ? 0 : value]
              await new Promise((next) => {
                changed = next
                after(20, next)
              })
            }
          }
          const end = new Promise((end) => {
            const giveUp = () => end([false, ...last])
            after(milliseconds, giveUp)
            if (name) globalThis[Symbol.for(name)] = giveUp
          })
          try {
            return await Promise.race([ask(), end])
          } finally {
            isOver = true
            observer.disconnect()
            if (name) delete globalThis[Symbol.for(name)]
          }
        })
        """

    /// A script that ends a wait before its time is over.
    package static func end(of name: String) -> String { "globalThis[Symbol.for('\(name)')]?.()" }
}

/// Waits until an expression is true in the page that is shown, as `if` takes it. The value of a promise counts, and so do
/// statements, whose last value it is.
@MainActor package struct ConditionWait {
    private let text: String
    private let deadline: ContinuousClock.Instant
    private let shownPage: @MainActor () -> Page?

    package init(
        _ text: String, until deadline: ContinuousClock.Instant, in shownPage: @escaping @MainActor () -> Page?
    ) {
        (self.text, self.deadline, self.shownPage) = (text, deadline, shownPage)
    }

    /// - Returns: what was found instead, if the time is over, as the end of a sentence; nil if the expression is true.
    /// - Throws: `ScriptError` if the expression has no value.
    package func run() async throws -> String? {
        var form = Condition.Form.expression
        var found = "no page is there"
        repeat {
            guard let page = shownPage() else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            let condition = Condition(text: text, form: form, limit: max(.zero, deadline - .now))
            do {
                switch try await outcome(of: condition, in: page) {
                case nil: continue
                case .isTrue: return nil
                case .isForbidden: form = .forbidden
                case .isFalse(let last):
                    let last = last?.summary ?? "a promise that is not settled"
                    found = "the last time it was \(last), in \(page.url)"
                    if form == .forbidden { try await Task.sleep(for: .milliseconds(20)) }
                }
            } catch ScriptError.pageGone {
                found = "its page has gone"
                try await Task.sleep(for: .milliseconds(20))
            } catch ScriptError.timedOut {
                found = "a script in \(page.url) does not end"
            } catch ScriptError.exception(let exception)
                // WebKit has the class in the message.
                where exception.description.hasPrefix("SyntaxError") && form == .expression
            {
                form = .statements
            }
        } while ContinuousClock.now < deadline
        return found
    }

    /// Waits in a page for a condition.
    /// - Returns: nil if another page has taken the place of the page.
    private func outcome(of condition: Condition, in page: Page) async throws -> Condition.Outcome? {
        if condition.form == .forbidden { return try await look(at: condition, in: page) }
        let (results, result) = AsyncStream.makeStream(of: Result<ScriptValue, ScriptError>?.self)
        ToolScripts.$areRunning.withValue(true) {
            // The page keeps the time itself, unless a script keeps it from that.
            page.callAsync(condition.body, timeout: condition.limit + .seconds(1)) { result.yield($0) }
        }
        let watch = Task {
            while !Task.isCancelled, shownPage() == nil || shownPage() === page {
                try await Task.sleep(for: .milliseconds(20))
            }
            result.yield(nil)
        }
        var goesOn = true
        defer {
            watch.cancel()
            if goesOn {
                ToolScripts.$areRunning.withValue(true) {
                    page.evaluate(PageWait.end(of: condition.name), completion: nil)
                }
            }
        }
        for await first in results {
            guard let first else { return nil }
            // A page that does not keep the time may wait for ever.
            if case .failure(.timedOut) = first { goesOn = true } else { goesOn = false }
            return Condition.Outcome(try first.get())
        }
        throw CancellationError()
    }

    /// Evaluates a condition once.
    private func look(at condition: Condition, in page: Page) async throws -> Condition.Outcome {
        do {
            let value: ScriptValue = try await ToolScripts.$areRunning.withValue(true) {
                try await page.evaluate(condition.text, timeout: condition.limit + .seconds(1))
            }
            return value.isTruthy ? .isTrue : .isFalse(last: value)
        } catch ScriptError.resultTypeUnsupported(let type) where type.lowercased() != "promise" {
            // No such value is false.
            return .isTrue
        }
    }
}

/// A condition that is evaluated in a page.
private struct Condition {
    /// What the text of the condition is.
    enum Form {
        case expression, statements
        /// Statements that the page's policy lets no script evaluate, but the browser does.
        case forbidden
    }

    enum Outcome {
        case isTrue
        /// The last value; nil if there was none.
        case isFalse(last: ScriptValue?)
        case isForbidden

        /// - Parameter value: what ``PageWait`` returns, or an empty array.
        init(_ value: ScriptValue) {
            switch value.child(index: 0)?.bool {
            case true: self = .isTrue
            case false: self = .isFalse(last: value.child(index: 1))
            default: self = .isForbidden
            }
        }
    }

    @MainActor private static var count = 0

    let text: String
    let form: Form
    /// How long the page waits.
    let limit: Duration
    /// What ends the wait early.
    let name: String

    @MainActor init(text: String, form: Form, limit: Duration) {
        (self.text, self.form, self.limit) = (text, form, limit)
        Condition.count += 1
        name = "bridged.wait.\(Condition.count)"
    }

    /// The body of an async function that waits. The text sees none of its other names.
    var body: String {
        let function =
            switch form {
            case .expression: "async () => (\(text)\n)"
            case .statements, .forbidden: "async () => \(JavaScriptCall("(0, eval)", text).source)"
            }
        let milliseconds = Int((limit / .milliseconds(1)).rounded())
        let probe = form == .statements ? "try { (0, eval)('') } catch { return [] }\n" : ""
        return """
            \(probe)const bridgedCondition = \(function)
            return \(PageWait.function)(bridgedCondition, \(milliseconds), "\(name)")
            """
    }
}

extension ScriptValue {
    /// Whether JavaScript converts the value to true (ECMAScript, ToBoolean).
    fileprivate var isTruthy: Bool {
        switch kind {
        case .undefined, .null: false
        case .bool: bool ?? false
        case .number: number.map { $0 != 0 && !$0.isNaN } ?? false
        case .string: string?.isEmpty == false
        default: true
        }
    }
}
