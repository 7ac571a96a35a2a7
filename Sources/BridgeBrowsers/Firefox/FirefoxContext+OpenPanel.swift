import BridgeProtocol

/// The open panels of `<input type="file">`.
extension FirefoxContext {
    /// Firefox shows a panel, or closes it at once; see `SessionCapabilities`. The user of a window sees Firefox's own.
    func openPanelOpened(_ params: JSON) {
        guard asksAboutDialogs, let element = params["element"]?["sharedId"]?.string else { return }
        panel.opened = FirefoxOpenPanel.Opened(element: element, allowsMultiple: params["multiple"]?.bool ?? false)
        askForFiles()
    }

    /// Firefox has closed the panel. Before that, it opens no other one.
    func openPanelClosed() {
        panel.isClosed = true
        askForFiles()
    }

    /// The document's script reports what the user has done, or that a panel has closed.
    func acted(_ text: String) {
        if text == "panelClosed" {
            openPanelClosed()
        } else if let action = PageAction(text) {
            note(action)
        }
    }

    private func askForFiles() {
        guard let opened = panel.take(), let page else { return }
        page.askForFiles(multiple: opened.allowsMultiple) { [weak self] files in
            if files.isEmpty {
                self?.dismissOpenPanel(of: opened.element)
            } else {
                self?.setFiles(files, of: opened.element)
            }
        }
    }

    private func setFiles(_ files: [String], of element: String) {
        browser.connection.send(
            "input.setFiles",
            { writer in
                writer.member("context", id)
                writer.member("element", SharedReference(id: element))
                writer.member("files", files)
            },
            completion: { [webView] result in
                guard case .failure(let error) = result else { return }
                webView?.report("The page did not get the files that native code chose: \(error)")
            })
    }

    /// Firefox has closed its panel before native code was asked; see `FirefoxScripts`.
    private func dismissOpenPanel(of element: String) {
        browser.connection.send("script.callFunction") { writer in
            writer.member(
                "functionDeclaration",
                "(input) => { input.dispatchEvent(new Event(\"cancel\", { bubbles: true })) }")
            writer.member("awaitPromise", false)
            writer.member("target", object: { $0.member("context", id) })
            writer.member("arguments", [SharedReference(id: element)])
        }
    }
}

/// An open panel that Firefox has opened and is closing. It tells both in any order.
struct FirefoxOpenPanel {
    struct Opened {
        /// Firefox's name for the `<input>`.
        let element: String
        let allowsMultiple: Bool
    }

    var opened: Opened?
    var isClosed = false

    /// Returns the panel once it is closed.
    mutating func take() -> Opened? {
        guard isClosed, let panel = opened else { return nil }
        self = FirefoxOpenPanel()
        return panel
    }
}

private struct SharedReference: JSONWritable {
    let id: String

    func write(to writer: inout JSONWriter) {
        writer.object { $0.member("sharedId", id) }
    }
}
