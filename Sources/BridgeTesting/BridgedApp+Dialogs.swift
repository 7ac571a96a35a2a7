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

    /// Runs an action. Throws a failure that names the dialog if a page has opened one that was not answered.
    func failingOnDialog<Value>(_ expected: String, _ body: () async throws -> Value) async throws -> Value {
        let outcome: Result<Value, any Error>
        let call = trace?.callBegins(expected)
        defer { call?.end() }
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try failOnDialog(expected)
        return try outcome.get()
    }

    /// Throws a failure if a page has opened a dialog that was not answered.
    func failOnDialog(_ expected: String) throws {
        guard let (dialog, kind) = dialogs.takeUnanswered() else { return }
        throw failure(
            expected,
            "the page opened \(dialog). It was dismissed; a test that expects it answers: \(form.answer(to: kind))")
    }

    /// Runs an action that waits. It is cancelled if a page opens a dialog that is not answered, or has opened one.
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
    private var unanswered: (text: String, kind: Dialog.Kind)?
    /// Cancels the actions that wait.
    private var waiting: [Int: () -> Void] = [:]
    private var count = 0

    func show(_ dialog: Dialog) {
        if let answer {
            Task { dialog.answer(await answer(dialog)) }
            return
        }
        dialog.answer(.dismiss)
        dismissed(dialog.description, dialog.kind)
    }

    /// Fails the actions that wait, or the next one.
    func dismissed(_ text: String, _ kind: Dialog.Kind) {
        unanswered = unanswered ?? (text, kind)
        for cancel in waiting.values { cancel() }
    }

    func takeUnanswered() -> (text: String, kind: Dialog.Kind)? { unanswered.take() }

    /// - Returns: a number for `forget`.
    func cancelOnDialog(_ cancel: @escaping () -> Void) -> Int {
        count += 1
        if unanswered == nil { waiting[count] = cancel } else { cancel() }
        return count
    }

    func forget(_ number: Int) { waiting[number] = nil }
}
