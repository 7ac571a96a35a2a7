package import BridgeProtocol

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
    package func decide(
        _ question: NavigationQuestion, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        guard let shown = askable(question.url, "load") else { return decided(false) }
        var question = question
        question.url = shown
        request(DriverMessage.decide(question), isRepeated: true) { [self] result in
            decided(decision(result, "load of \(shown)") == .allowed)
        }
    }

    /// Asks native code about a window that a script opens. It does not ask again if the connection breaks, because native
    /// code makes a web view for each question.
    package func askForWindow(_ url: String, decided: @escaping @MainActor (NavigationDecision) -> Void) {
        guard let shown = askable(url, "window") else { return decided(.refused) }
        request(DriverMessage.openWindow(url: shown)) { [self] result in
            decided(decision(result, "window for \(shown)"))
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

    private func decision(_ result: Result<JSON, RPCError>, _ subject: String) -> NavigationDecision {
        switch result {
        case .success(let answer): return NavigationDecision(answer)
        case .failure(let error):
            // The loads and windows of a document that has left do not matter any more.
            if !hasLeft {
                let subject = PageText.cut(subject, to: 200)
                report(
                    "loadCancelled", "The \(subject) was cancelled, because native code was not asked: \(error.message)"
                )
            }
            return .refused
        }
    }

    // MARK: Dialogs

    /// Asks the daemon for the files of an open panel.
    /// - Parameter choose: gets their paths once; none if the panel is dismissed.
    package func askForFiles(multiple: Bool, choose: @escaping @MainActor ([String]) -> Void) {
        show(DialogQuestion(.openPanel, multiple: multiple)) { [webView] result in
            switch result {
            case .success(let reply): choose(reply.files ?? [])
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
        show(DialogQuestion(.authentication, text: challenge.realm, challenge: challenge)) { [self] result in
            switch result {
            case .success(let reply):
                guard let user = reply.user, let password = reply.password else { return decided(nil) }
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
        let names = devices.map(\.rawValue).joined(separator: " and the ")
        askForPermission(DialogQuestion(.mediaCapture, devices: devices), names, hasUser: hasUser) { permission in
            switch permission {
            case .prompt: decided(.prompt)
            case .denied: decided(.deny)
            case .answered(let reply): decided(reply.isConfirmed ? .grant : .deny)
            }
        }
    }

    /// Asks the daemon where the device is, if the page may know it.
    /// - Parameter hasUser: whether the browser can ask its user. If not, what native code leaves to the user is denied.
    package func decideLocation(hasUser: Bool, decided: @escaping @MainActor (LocationDecision) -> Void) {
        askForPermission(DialogQuestion(.geolocation), "place of the device", hasUser: hasUser) { permission in
            switch permission {
            case .prompt: decided(.prompt)
            case .denied: decided(.deny)
            case .answered(let reply): decided(reply.position.map { .grant($0) } ?? .deny)
            }
        }
    }

    /// What came of asking whether a page may have something of the device.
    private enum Permission {
        /// The browser asks its user.
        case prompt
        case denied
        /// What native code has said.
        case answered(DialogReply)
    }

    /// Asks the daemon whether the page may have something of the device.
    /// - Parameter what: its name in the problem if there is no decision, such as "camera".
    private func askForPermission(
        _ question: DialogQuestion, _ what: String, hasUser: Bool, decided: @escaping @MainActor (Permission) -> Void
    ) {
        show(question) { [self] result in
            switch result {
            case .success(let reply) where reply.prompts == true && hasUser: decided(.prompt)
            case .success(let reply) where reply.prompts == true:
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
        guard let kind = DialogQuestion.Kind(rawValue: type) else {
            report("dialogUnanswered", "The page showed a dialog of the unknown kind \(type), which was dismissed.")
            return answer(false, nil)
        }
        show(DialogQuestion(kind, text: message, default: defaultText)) { [self] result in
            switch result {
            case .success(let reply): answer(reply.isConfirmed, reply.text)
            case .failure(let error):
                let text = "\(type) \(PageText.cut(message, to: 200))"
                report("dialogUnanswered", "The page showed a dialog, which was dismissed: \(text) (\(error.message))")
                answer(type == "alert", nil)
            }
        }
    }

    private func show(
        _ question: DialogQuestion, completion: @escaping @MainActor (Result<DialogReply, RPCError>) -> Void
    ) {
        request(DriverMessage.dialog(question)) { completion($0.map { DialogReply($0) }) }
    }

    /// Calls a method of an interface object of native code. The page waits meanwhile, even if it is not attached yet.
    /// - Parameter completion: gets the text of an object with `result` or `error`.
    private func callInterface(_ params: String, completion: @escaping @MainActor (String) -> Void) {
        guard let params = try? JSON.parse(params) else { return completion("") }
        let finish = { @MainActor (result: Result<JSON, RPCError>) -> Void in
            var writer = JSONWriter()
            writer.object { writer in
                switch result {
                case .success(let value): writer.member("result", value)
                case .failure(let error): writer.member("error", error)
                }
            }
            completion(writer.text)
        }
        do throws(RPCError) {
            request(try CallInterface(seq: reserveNumber(), params: params), completion: finish)
        } catch {
            finish(.failure(error))
        }
    }
}
