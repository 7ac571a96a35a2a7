import BridgeServer

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

    /// Runs an action, and cancels it if there is a dialog that is not answered, or as soon as there is one.
    func cancelling<Value: Sendable>(_ body: @escaping @MainActor () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        count += 1
        let number = count
        if unanswered == nil { waiting[number] = task.cancel } else { task.cancel() }
        defer { waiting[number] = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
