import BridgeProtocol
import CWebKitGTK

/// The dialogs that pages open with `alert`, `confirm` and `prompt`.
extension HostedWebView {
    func connectDialogs(_ data: UnsafeMutableRawPointer) {
        bridged_connect_dialog(
            view.pointer, "script-dialog",
            { _, dialog, data in
                guard let data, let dialog else { return 0 }
                return HostedWebView.of(data).show(dialog) ? 1 : 0
            }, data)
    }

    /// - Returns: whether native code answers; otherwise WebKitGTK shows a dialog of its own.
    private func show(_ dialog: OpaquePointer) -> Bool {
        let type = webkit_script_dialog_get_dialog_type(dialog)
        guard let name = Self.name(of: type) else {
            // The document may leave, as in Apple's WebKit, which does not ask.
            webkit_script_dialog_confirm_set_confirmed(dialog, 1)
            return true
        }
        guard options.isHeadless || webView.settings.answersDialogs else { return false }
        let kept = KeptDialog(dialog)
        ask("dialog.show") { writer in
            writer.member("type", name)
            writer.member("text", webkit_script_dialog_get_message(kept.dialog).map { String(cString: $0) } ?? "")
            if type == WEBKIT_SCRIPT_DIALOG_PROMPT {
                let text = webkit_script_dialog_prompt_get_default_text(kept.dialog)
                writer.member("default", text.map { String(cString: $0) } ?? "")
            }
        } completion: { answer in
            let isConfirmed = answer?["confirmed"]?.bool ?? false
            if type == WEBKIT_SCRIPT_DIALOG_CONFIRM {
                webkit_script_dialog_confirm_set_confirmed(kept.dialog, isConfirmed ? 1 : 0)
            } else if type == WEBKIT_SCRIPT_DIALOG_PROMPT, isConfirmed {
                webkit_script_dialog_prompt_set_text(kept.dialog, answer?["text"]?.string ?? "")
            }
            kept.close()
        }
        return true
    }

    private static func name(of type: WebKitScriptDialogType) -> String? {
        switch type {
        case WEBKIT_SCRIPT_DIALOG_ALERT: "alert"
        case WEBKIT_SCRIPT_DIALOG_CONFIRM: "confirm"
        case WEBKIT_SCRIPT_DIALOG_PROMPT: "prompt"
        default: nil
        }
    }
}

/// A dialog that waits for its answer. The page does nothing meanwhile.
@MainActor private final class KeptDialog {
    let dialog: OpaquePointer

    init(_ dialog: OpaquePointer) { self.dialog = webkit_script_dialog_ref(dialog) }

    func close() { webkit_script_dialog_close(dialog) }

    isolated deinit { webkit_script_dialog_unref(dialog) }
}
