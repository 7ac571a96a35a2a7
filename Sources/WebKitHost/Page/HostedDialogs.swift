import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// What WebKitGTK would ask the user of a web view: dialogs, open panels, permissions and passwords.
@MainActor final class HostedDialogs {
    private weak var host: HostedWebView?
    let passwordQuestions = PasswordQuestions()

    init(for host: HostedWebView) { self.host = host }

    func connect(_ view: GObject<WebKitWebView>, _ data: UnsafeMutableRawPointer) {
        bridged_connect_dialog(
            view.pointer, "script-dialog",
            { _, dialog, data in
                guard let data, let dialog else { return 0 }
                return HostedWebView.of(data).dialogs.show(dialog) ? 1 : 0
            }, data)
        bridged_connect_file_chooser(
            view.pointer, "run-file-chooser",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).dialogs.runOpenPanel(request) ? 1 : 0
            }, data)
        bridged_connect_permission(
            view.pointer, "permission-request",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).dialogs.decide(request) ? 1 : 0
            }, data)
        bridged_connect_authenticate(
            view.pointer, "authenticate",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).dialogs.authenticate(request) ? 1 : 0
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
        guard let host, host.asksAboutDialogs else { return false }
        let kept = KeptDialog(dialog)
        let message = webkit_script_dialog_get_message(dialog).map { String(cString: $0) } ?? ""
        let isPrompt = type == WEBKIT_SCRIPT_DIALOG_PROMPT
        let text = isPrompt ? webkit_script_dialog_prompt_get_default_text(dialog) : nil
        guard let page = host.document?.page else {
            host.webView.report("The \(name) of a window without a document was dismissed.")
            kept.close()
            return true
        }
        page.askAboutDialog(name, message, defaultText: text.map { String(cString: $0) }) {
            isConfirmed, text in
            if type == WEBKIT_SCRIPT_DIALOG_CONFIRM {
                webkit_script_dialog_confirm_set_confirmed(kept.dialog, isConfirmed ? 1 : 0)
            } else if isPrompt, isConfirmed {
                webkit_script_dialog_prompt_set_text(kept.dialog, text ?? "")
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

    // MARK: Open panels

    /// - Returns: whether native code answers; otherwise WebKitGTK shows a panel of its own.
    private func runOpenPanel(_ request: UnsafeMutablePointer<WebKitFileChooserRequest>) -> Bool {
        guard let host, host.asksAboutDialogs else { return false }
        let request = GObject(request)
        let allowsMultiple = webkit_file_chooser_request_get_select_multiple(request.pointer) != 0
        host.current.page?.askForFiles(multiple: allowsMultiple) { files in
            guard !files.isEmpty else { return webkit_file_chooser_request_cancel(request.pointer) }
            // The array ends with nil, as GTK expects it. WebKit copies the paths.
            var paths: [UnsafePointer<CChar>?] = files.map { UnsafePointer(g_strdup($0)) } + [nil]
            webkit_file_chooser_request_select_files(request.pointer, &paths)
            for path in paths { g_free(UnsafeMutableRawPointer(mutating: path)) }
        }
        return true
    }

    // MARK: Pages that ask for the camera or the microphone, or where the device is

    /// - Returns: whether native code decides; otherwise WebKitGTK, which shows no question of its own, refuses.
    private func decide(_ request: OpaquePointer) -> Bool {
        let devices = CaptureDevice.allCases.filter { bridged_asks_for(request, $0 == .camera ? 1 : 0) != 0 }
        let asksForLocation = bridged_asks_for_location(request) != 0
        guard !devices.isEmpty || asksForLocation, let host, host.asksAboutDialogs else { return false }
        let kept = KeptRequest(request)
        guard !asksForLocation else {
            decideLocation(kept, host)
            return true
        }
        host.current.page?.decideMediaCapture(devices, hasUser: host.hasUser) { decision in
            if decision == .grant {
                webkit_permission_request_allow(kept.request)
            } else {
                webkit_permission_request_deny(kept.request)
            }
        }
        return true
    }

    private func decideLocation(_ kept: KeptRequest, _ host: HostedWebView) {
        host.current.page?.decideLocation(hasUser: host.hasUser) { [context = host.context] decision in
            guard case .grant(let position) = decision else {
                return webkit_permission_request_deny(kept.request)
            }
            context.locate(at: position)
            webkit_permission_request_allow(kept.request)
        }
    }

    // MARK: Servers that ask for a user name and a password

    /// - Returns: whether native code answers; otherwise WebKitGTK asks its user.
    private func authenticate(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) -> Bool {
        guard let host, host.asksAboutDialogs else { return false }
        let kept = KeptAuthenticationRequest(request)
        passwordQuestions.take(kept.challenge, send: kept.send) { answer in
            host.current.page?.askForCredentials(
                kept.challenge, failed: webkit_authentication_request_is_retry(request) != 0, decided: answer)
        }
        return true
    }
}

/// A dialog that waits for its answer. The page does nothing meanwhile.
@MainActor private final class KeptDialog {
    let dialog: OpaquePointer

    init(_ dialog: OpaquePointer) { self.dialog = webkit_script_dialog_ref(dialog) }

    func close() { webkit_script_dialog_close(dialog) }

    isolated deinit { webkit_script_dialog_unref(dialog) }
}

/// A request that waits for its answer.
@MainActor private final class KeptRequest {
    let request: OpaquePointer

    init(_ request: OpaquePointer) {
        g_object_ref(UnsafeMutableRawPointer(request))
        self.request = request
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(request)) }
}

/// WebKitGTK's request for a password, retained as long as somebody may answer it.
@MainActor private final class KeptAuthenticationRequest {
    private let request: GObject<WebKitAuthenticationRequest>

    init(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) { self.request = GObject(request) }

    /// Answers the request. WebKitGTK ignores the answer if the request has been cancelled.
    func send(_ credentials: PasswordQuestions.Credentials?) {
        guard let (user, password) = credentials else {
            return webkit_authentication_request_authenticate(request.pointer, nil)
        }
        let credential = webkit_credential_new(user, password, WEBKIT_CREDENTIAL_PERSISTENCE_FOR_SESSION)
        webkit_authentication_request_authenticate(request.pointer, credential)
        webkit_credential_free(credential)
    }

    var challenge: AuthenticationChallenge {
        let scheme =
            switch webkit_authentication_request_get_scheme(request.pointer) {
            case WEBKIT_AUTHENTICATION_SCHEME_HTTP_BASIC: "basic"
            case WEBKIT_AUTHENTICATION_SCHEME_HTTP_DIGEST: "digest"
            default: "other"
            }
        let realm = webkit_authentication_request_get_realm(request.pointer).map { String(cString: $0) } ?? ""
        let host = webkit_authentication_request_get_host(request.pointer).map { String(cString: $0) } ?? ""
        return AuthenticationChallenge(
            host: host, port: Int(webkit_authentication_request_get_port(request.pointer)), scheme: scheme, realm: realm
        )
    }
}
