package import BridgeProtocol

/// What native code decides about a window that a page opens.
package enum WindowDecision: Sendable {
    case refused
    /// The window is one of the page's own web view: its popup.
    case allowed
    /// The window stands for the web view of this name.
    case webView(String)
}

/// What native code decides about the camera and the microphone.
package enum MediaDecision: String, Sendable {
    /// The browser asks its user.
    case prompt
    case grant
    case deny
}

/// What native code decides about the place of the device.
package enum LocationDecision: Sendable {
    /// The browser asks its user.
    case prompt
    case grant(DevicePosition)
    case deny
}

/// What a document asks native code: whether loads and windows may begin, and how to answer dialogs.
extension DrivenPage {
    // MARK: Loads and windows. If native code cannot be asked, the driver refuses.

    /// Asks native code whether a load may begin, or whether its response may be shown.
    /// - Parameter write: writes the members beside `url`.
    package func decide(
        _ url: String, _ write: (inout JSONWriter) -> Void, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        guard let shown = askable(url, "load") else { return decided(false) }
        request("navigation.decide", isRepeated: true) { writer in
            writer.member("url", shown)
            write(&writer)
        } completion: { [self] result in
            decided(answer(result, "load of \(shown)")?["policy"]?.string == "allow")
        }
    }

    /// Asks native code about a window that a script opens. It does not ask again if the connection breaks, because native
    /// code makes a web view for each question.
    package func askForWindow(_ url: String, decided: @escaping @MainActor (WindowDecision) -> Void) {
        guard let shown = askable(url, "window") else { return decided(.refused) }
        request("window.open") {
            $0.member("url", shown)
        } completion: { [self] result in
            let answer = answer(result, "window for \(shown)")
            if let name = answer?["webView"]?.string { return decided(.webView(name)) }
            decided(answer?["policy"]?.string == "allow" ? .allowed : .refused)
        }
    }

    /// The URL as native code gets it. Native code sees the beginning of a long URL that is a document itself, such as
    /// one of `data:`. It cannot decide about the beginning of any other one.
    private func askable(_ url: String, _ subject: String) -> String? {
        guard url.utf8.count > PageText.url, url.hasPrefix("http") else { return PageText.cut(url, to: PageText.url) }
        report(
            "loadCancelled",
            "A \(subject) was cancelled: its URL has \(url.utf8.count) bytes, and native code gets at most "
                + "\(PageText.url): \(PageText.cut(url, to: 100))")
        return nil
    }

    private func answer(_ result: Result<JSON, RPCError>, _ subject: String) -> JSON? {
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            // The loads and windows of a document that has left do not matter any more.
            if !hasLeft {
                let subject = PageText.cut(subject, to: 200)
                report(
                    "loadCancelled", "The \(subject) was cancelled, because native code was not asked: \(error.message)"
                )
            }
            return nil
        }
    }

    // MARK: Dialogs

    /// Asks the daemon for the files of an open panel.
    /// - Parameter choose: gets their paths once; none if the panel is dismissed.
    package func askForFiles(multiple: Bool, choose: @escaping @MainActor ([String]) -> Void) {
        request("dialog.show") { writer in
            writer.member("type", "openPanel")
            writer.member("text", "")
            writer.member("multiple", multiple)
        } completion: { [webView] result in
            switch result {
            case .success(let reply): choose(reply["files"]?.elements.compactMap(\.string) ?? [])
            case .failure(let error):
                webView.report("An open panel was dismissed, because the daemon did not answer: \(error)")
                choose([])
            }
        }
    }

    /// Asks the daemon for the user name and the password that a server asks for.
    /// - Parameters:
    ///   - failed: whether the server has refused those that it got before. Then native code is not asked again.
    ///   - decided: gets nil if the page shall get the server's refusal.
    package func askForCredentials(
        _ challenge: AuthenticationChallenge, failed: Bool,
        decided: @escaping @MainActor ((user: String, password: String)?) -> Void
    ) {
        guard !failed else {
            report(
                "authenticationFailed",
                "The server has refused the user name and the password that it got: \(challenge)")
            return decided(nil)
        }
        request("dialog.show") { writer in
            writer.member("type", "authentication")
            writer.member("text", challenge.realm)
            writer.member("challenge", challenge.json)
        } completion: { [self] result in
            switch result {
            case .success(let reply):
                guard let user = reply["user"]?.string, let password = reply["password"]?.string else {
                    return decided(nil)
                }
                decided((user, password))
            case .failure(let error):
                report(
                    "authenticationUnanswered",
                    "A server's question for a password was not answered: \(challenge) (\(error.message))")
                decided(nil)
            }
        }
    }

    /// Asks the daemon whether the page may use the camera or the microphone.
    /// - Parameter hasUser: whether the browser can ask its user. If not, what native code leaves to the user is denied.
    package func decideMediaCapture(
        _ devices: [CaptureDevice], hasUser: Bool, decided: @escaping @MainActor (MediaDecision) -> Void
    ) {
        let names = devices.map(\.rawValue)
        askForPermission("mediaCapture", names.joined(separator: " and the "), hasUser: hasUser) { writer in
            writer.member("devices", names)
        } decided: { permission in
            switch permission {
            case .prompt: decided(.prompt)
            case .denied: decided(.deny)
            case .answered(let reply): decided(reply["confirmed"]?.bool == true ? .grant : .deny)
            }
        }
    }

    /// Asks the daemon where the device is, if the page may know it.
    /// - Parameter hasUser: whether the browser can ask its user. If not, what native code leaves to the user is denied.
    package func decideLocation(hasUser: Bool, decided: @escaping @MainActor (LocationDecision) -> Void) {
        askForPermission("geolocation", "place of the device", hasUser: hasUser) { permission in
            switch permission {
            case .prompt: decided(.prompt)
            case .denied: decided(.deny)
            case .answered(let reply):
                decided(reply["position"].flatMap { DevicePosition($0) }.map { .grant($0) } ?? .deny)
            }
        }
    }

    /// What came of asking whether a page may have something of the device.
    private enum Permission {
        /// The browser asks its user.
        case prompt
        case denied
        /// What native code has said.
        case answered(JSON)
    }

    /// Asks the daemon whether the page may have something of the device.
    /// - Parameters:
    ///   - what: its name in the problem if there is no decision, such as "camera".
    ///   - write: writes the params that only this question has.
    private func askForPermission(
        _ type: String, _ what: String, hasUser: Bool, _ write: (inout JSONWriter) -> Void = { _ in },
        decided: @escaping @MainActor (Permission) -> Void
    ) {
        request("dialog.show") { writer in
            writer.member("type", type)
            writer.member("text", "")
            write(&writer)
        } completion: { [self] result in
            switch result {
            case .success(let reply) where reply["prompts"]?.bool == true && hasUser: decided(.prompt)
            case .success(let reply) where reply["prompts"]?.bool == true:
                report(
                    "dialogUnanswered",
                    "The page did not get the \(what): native code leaves the question to the user, and this browser has "
                        + "none.")
                decided(.denied)
            case .success(let reply): decided(.answered(reply))
            case .failure(let error):
                report("dialogUnanswered", "The page did not get the \(what): \(error.message)")
                decided(.denied)
            }
        }
    }

    /// Asks the daemon how to answer a dialog of the page. If the daemon does not answer, an alert is accepted, and any
    /// other dialog is dismissed.
    /// - Parameters:
    ///   - type: `alert`, `confirm` or `prompt`.
    ///   - defaultText: the text that a prompt offers.
    ///   - answer: is called once. The text is that of a prompt.
    package func askAboutDialog(
        _ type: String, _ message: String, defaultText: String?,
        answer: @escaping @MainActor (_ accept: Bool, _ text: String?) -> Void
    ) {
        if type == "prompt", message == DrivenScript.secret {
            return callInterface(defaultText ?? "") { answer(true, $0) }
        }
        request("dialog.show") { writer in
            writer.member("type", type)
            writer.member("text", message)
            writer.member("default", ifPresent: defaultText)
        } completion: { [self] result in
            switch result {
            case .success(let reply): answer(reply["confirmed"]?.bool ?? false, reply["text"]?.string)
            case .failure(let error):
                let text = "\(type) \(PageText.cut(message, to: 200))"
                report("dialogUnanswered", "The page showed a dialog, which was dismissed: \(text) (\(error.message))")
                answer(type == "alert", nil)
            }
        }
    }

    /// Calls a method of an interface object of native code. The page waits meanwhile, even if it is not attached yet.
    /// - Parameter completion: gets the text of an object with `result` or `error`.
    private func callInterface(_ params: String, completion: @escaping @MainActor (String) -> Void) {
        guard let params = try? JSON.parse(params) else { return completion("") }
        let seq = reserveNumber()
        request("interface.call") { writer in
            writer.member("seq", seq)
            for key in ["handler", "method", "body", "types"] {
                if let value = params[key] { writer.member(named: key, value) }
            }
        } completion: { result in
            var writer = JSONWriter()
            writer.object { writer in
                switch result {
                case .success(let value): writer.member("result", value)
                case .failure(let error): writer.member("error", error)
                }
            }
            completion(writer.text)
        }
    }
}
