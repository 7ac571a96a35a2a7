import BridgeProtocol
import Foundation

/// The questions of pages and servers in a target of Chromium: dialogs, open panels, and user names with passwords.
@MainActor final class ChromiumDialogs {
    private let session: ChromiumSession
    private let frames: ChromiumFrames
    /// Whether the browser has a window, and so a user.
    let hasUser: Bool
    private var challenges = PasswordChallenges()

    init(_ session: ChromiumSession, _ frames: ChromiumFrames, hasUser: Bool) {
        (self.session, self.frames, self.hasUser) = (session, frames, hasUser)
    }

    /// Whether native code answers dialogs, and not the user.
    var asksNativeCode: Bool { !hasUser || frames.webView?.settings.answersDialogs == true }

    // MARK: Dialogs

    /// Asks the daemon how to answer a dialog. Nothing else runs in the page meanwhile.
    func dialogOpened(_ params: JSON) {
        let (type, message) = (params["type"]?.string ?? "", params["message"]?.string ?? "")
        let (isOfDriver, frame) = (message == DrivenScript.secret, params["frameId"]?.string ?? "")
        guard asksNativeCode || type == "beforeunload" || isOfDriver else { return }
        // A call of an interface object may overtake the document's introduction.
        if isOfDriver, let document = frames[frame]?.document, document.page == nil, !document.hasLeft {
            return document.withPage { [weak self] _ in self?.dialogOpened(params) }
        }
        guard type != "beforeunload", let page = frames.page(of: frame) else {
            return answerDialog(accept: true, text: nil)
        }
        page.askAboutDialog(type, message, defaultText: params["defaultPrompt"]?.string) {
            [weak self] in self?.answerDialog(accept: $0, text: $1)
        }
    }

    private func answerDialog(accept: Bool, text: String?) {
        session.send("Page.handleJavaScriptDialog") { writer in
            writer.member("accept", accept)
            writer.member("promptText", ifPresent: text)
        }
    }

    // MARK: Open panels

    /// Lets native code choose files, if it answers dialogs. Otherwise Chromium shows a panel of its own.
    func interceptOpenPanels() {
        session.send("Page.setInterceptFileChooserDialog") { $0.member("enabled", asksNativeCode) }
    }

    func openPanelOpened(_ params: JSON) {
        guard let input = params["backendNodeId"]?.wholeNumber,
            let page = frames.page(of: params["frameId"]?.string ?? "")
        else { return }
        page.askForFiles(multiple: params["mode"]?.string == "selectMultiple") { [weak self, session] files in
            guard !files.isEmpty else { return self?.dismissOpenPanel(of: input) ?? () }
            session.send("DOM.setFileInputFiles") { writer in
                writer.member("files", files)
                writer.member("backendNodeId", input)
            }
        }
    }

    /// Chromium shows no panel, so it does not tell the page that the user has closed one.
    private func dismissOpenPanel(of input: Int) {
        session.send("DOM.resolveNode", { $0.member("backendNodeId", input) }) { [session] result in
            guard case .success(let json) = result, let id = json["object"]?["objectId"]?.string else { return }
            session.send("Runtime.callFunctionOn") { writer in
                writer.member("objectId", id)
                writer.member(
                    "functionDeclaration",
                    "function () { this.dispatchEvent(new Event(\"cancel\", { bubbles: true })) }")
            }
            session.send("Runtime.releaseObject") { $0.member("objectId", id) }
        }
    }

    // MARK: Passwords

    /// A server asks for a user name and a password. Chromium says so for the requests that it pauses, and sends the
    /// credentials of a document with the later requests to its server.
    func challenged(_ params: JSON) {
        guard let id = params["requestId"]?.string else { return }
        guard asksNativeCode, let webView = frames.webView else { return answerChallenge(id, "Default") }
        let origin = params["authChallenge"]?["origin"]?.string.flatMap { URLComponents(string: $0) }
        let challenge = AuthenticationChallenge(
            host: origin?.host ?? "", port: origin?.port, scheme: params["authChallenge"]?["scheme"]?.string ?? "",
            realm: params["authChallenge"]?["realm"]?.string ?? "")
        let page = frames.pageToAsk(about: params["frameId"]?.string ?? "")
        challenges.ask(challenge, of: id, page, in: webView) { [weak self] credentials in
            self?.answerChallenge(id, credentials == nil ? "CancelAuth" : "ProvideCredentials", credentials)
        }
    }

    private func answerChallenge(
        _ request: String, _ response: String, _ credentials: (user: String, password: String)? = nil
    ) {
        session.send("Fetch.continueWithAuth") { writer in
            writer.member("requestId", request)
            writer.member(
                "authChallengeResponse",
                object: { writer in
                    writer.member("response", response)
                    writer.member("username", ifPresent: credentials?.user)
                    writer.member("password", ifPresent: credentials?.password)
                })
        }
    }
}
