import BridgeProtocol

/// The open panels of `<input type="file">`.
extension ChromiumTarget {
    /// Lets native code choose files. Otherwise Chromium shows a panel of its own.
    func interceptOpenPanels(_ isIntercepted: Bool) {
        send("Page.setInterceptFileChooserDialog") { $0.member("enabled", isIntercepted) }
    }

    func openPanelOpened(_ params: JSON) {
        guard let input = params["backendNodeId"]?.wholeNumber,
            let page = frames[params["frameId"]?.string ?? ""]?.document?.page ?? mainPage
        else { return }
        page.askForFiles(multiple: params["mode"]?.string == "selectMultiple") { [weak self] files in
            guard !files.isEmpty else {
                self?.dismissOpenPanel(of: input)
                return
            }
            self?.send("DOM.setFileInputFiles") { writer in
                writer.member("files", files)
                writer.member("backendNodeId", input)
            }
        }
    }

    /// Chromium shows no panel, so it does not tell the page that the user has closed one.
    private func dismissOpenPanel(of input: Int) {
        send("DOM.resolveNode", { $0.member("backendNodeId", input) }) { [weak self] result in
            guard case .success(let json) = result, let id = json["object"]?["objectId"]?.string else { return }
            self?.send("Runtime.callFunctionOn") { writer in
                writer.member("objectId", id)
                writer.member(
                    "functionDeclaration",
                    "function () { this.dispatchEvent(new Event(\"cancel\", { bubbles: true })) }")
            }
            self?.send("Runtime.releaseObject") { $0.member("objectId", id) }
        }
    }
}
