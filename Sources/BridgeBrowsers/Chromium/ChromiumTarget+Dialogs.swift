import BridgeProtocol

extension ChromiumFrame {
    var asksAboutDialogs: Bool { target.asksAboutDialogs }
    var hasUser: Bool { !target.browser.options.isHeadless }

    /// Chromium keeps a permission for the origin of the window.
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void) {
        for (index, device) in devices.enumerated() {
            target.browser.pipe.send("Browser.setPermission") { writer in
                writer.member("permission", object: { $0.member("name", device.rawValue) })
                writer.member("setting", "granted")
                writer.member("origin", Origin.of(target.mainURL))
            } completion: { _ in
                if index == devices.count - 1 { done() }
            }
        }
    }
}

extension ChromiumTarget {
    /// Asks the daemon how to answer a dialog. Nothing else runs in the page meanwhile.
    func dialogOpening(_ params: JSON) {
        let type = params["type"]?.string ?? ""
        guard asksAboutDialogs || type == "beforeunload" || params["message"]?.string == DrivenScript.secret else {
            return
        }
        // A call of an interface object may overtake the document's introduction.
        if params["message"]?.string == DrivenScript.secret, let frame = frames[params["frameId"]?.string ?? ""],
            let document = frame.document, document.page == nil, !document.hasLeft
        {
            return document.withPage { [weak self] _ in self?.dialogOpening(params) }
        }
        guard type != "beforeunload", let page = frames[params["frameId"]?.string ?? ""]?.document?.page ?? mainPage
        else {
            return answerDialog(accept: true, text: nil)
        }
        page.askAboutDialog(type, params["message"]?.string ?? "", defaultText: params["defaultPrompt"]?.string) {
            [weak self] in self?.answerDialog(accept: $0, text: $1)
        }
    }

    private func answerDialog(accept: Bool, text: String?) {
        send("Page.handleJavaScriptDialog") { writer in
            writer.member("accept", accept)
            if let text { writer.member("promptText", text) }
        }
    }
}
