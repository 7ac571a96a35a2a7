import BridgeProtocol

extension FirefoxContext {
    /// Asks the daemon how to answer a dialog. Nothing else runs in the page meanwhile.
    func dialogOpened(_ params: JSON) {
        let (type, message) = (params["type"]?.string ?? "", params["message"]?.string ?? "")
        let isOfDriver = message == DrivenScript.secret
        guard asksAboutDialogs || type == "beforeunload" || isOfDriver else { return }
        // A call of an interface object may overtake the document's introduction.
        if isOfDriver, let document = coming ?? document, document.page == nil, !document.hasLeft {
            return document.withPage { [weak self] page in
                if page != nil { self?.dialogOpened(params) } else { self?.answerDialog(accept: false, text: nil) }
            }
        }
        guard type != "beforeunload", let page else {
            return answerDialog(accept: true, text: nil)
        }
        page.askAboutDialog(type, message, defaultText: params["defaultValue"]?.string) {
            [weak self] in self?.answerDialog(accept: $0, text: $1)
        }
    }

    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { browser.options.isHeadless || webView?.settings.answersDialogs == true }

    var hasUser: Bool { !browser.options.isHeadless }

    /// A Firefox without a window grants what native code allows; see `FirefoxPreferences`. One with a window asks its
    /// user as well.
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void) { done() }

    private func answerDialog(accept: Bool, text: String?) {
        browser.connection.send("browsingContext.handleUserPrompt") { writer in
            writer.member("context", id)
            writer.member("accept", accept)
            if let text { writer.member("userText", text) }
        }
    }
}
