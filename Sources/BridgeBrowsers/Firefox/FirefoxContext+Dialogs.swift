import BridgeProtocol

extension FirefoxContext {
    /// Asks the daemon how to answer a dialog. Nothing else runs in the page meanwhile.
    func dialogOpened(_ params: JSON) {
        let type = params["type"]?.string ?? ""
        guard asksAboutDialogs || type == "beforeunload" else { return }
        guard type != "beforeunload", let page else {
            return answerDialog(accept: true, text: nil)
        }
        page.askAboutDialog(type, params["message"]?.string ?? "", defaultText: params["defaultValue"]?.string) {
            [weak self] in self?.answerDialog(accept: $0, text: $1)
        }
    }

    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { browser.options.isHeadless || webView?.settings.answersDialogs == true }

    private func answerDialog(accept: Bool, text: String?) {
        browser.connection.send("browsingContext.handleUserPrompt") { writer in
            writer.member("context", id)
            writer.member("accept", accept)
            if let text { writer.member("userText", text) }
        }
    }
}
