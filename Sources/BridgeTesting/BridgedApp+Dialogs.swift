public import BridgeServer

/// Answering the dialogs of pages.
extension BridgedApp {
    /// Answers each dialog that a page opens from now on with `alert`, `confirm` or `prompt`.
    ///
    /// ```swift
    /// app.onDialog { dialog in dialog.kind == .prompt ? .accept("Zoe") : .accept }
    /// ```
    ///
    /// Without this, a dialog is dismissed, and the action that waits then, or the next one, fails with the dialog's text.
    /// - Parameter answer: nil dismisses dialogs again.
    public func onDialog(_ answer: (@MainActor (Dialog) async -> DialogAnswer)?) { dialogs.answer = answer }

    /// Runs an action. If a page has opened a dialog that nobody answered, throws a failure that names it.
    func failingOnDialog<Value>(_ expected: String, _ body: () async throws -> Value) async throws -> Value {
        let outcome: Result<Value, any Error>
        let call = trace?.callBegins(expected)
        defer { call?.end() }
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        if let dialog = dialogs.takeUnanswered() {
            throw failure(
                expected,
                "the page opened \(dialog). It was dismissed; a test that expects it answers: app.onDialog { _ in .accept }"
            )
        }
        return try outcome.get()
    }

    /// Runs an action that waits. It is cancelled if a page opens a dialog that nobody answers, or has opened one.
    func endingOnDialog<Value: Sendable>(
        _ expected: String, _ body: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        try await failingOnDialog(expected) {
            let task = Task { try await body() }
            let number = dialogs.cancelOnDialog(task.cancel)
            defer { dialogs.forget(number) }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

/// The dialogs of an app's pages.
@MainActor final class DialogWatch {
    var answer: (@MainActor (Dialog) async -> DialogAnswer)?
    /// The first dialog that was dismissed since an action failed for one.
    private var unanswered: String?
    /// Cancels the actions that wait.
    private var waiting: [Int: () -> Void] = [:]
    private var count = 0

    func show(_ dialog: Dialog) {
        if let answer {
            Task { dialog.answer(await answer(dialog)) }
            return
        }
        unanswered = unanswered ?? dialog.description
        dialog.answer(.dismiss)
        for cancel in waiting.values { cancel() }
    }

    func takeUnanswered() -> String? { unanswered.take() }

    /// - Returns: a number for `forget`.
    func cancelOnDialog(_ cancel: @escaping () -> Void) -> Int {
        count += 1
        if unanswered == nil { waiting[count] = cancel } else { cancel() }
        return count
    }

    func forget(_ number: Int) { waiting[number] = nil }
}
