import BridgeProtocol
import BridgeTraffic
import Foundation

/// Answers what the drivers of pages ask, and what a page with the script tag asks before it loads another one. On the
/// main actor.
@MainActor final class DriverMessages {
    private let webViews: WebViews
    private let delivery: Delivery
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let limits: BridgeServer.Configuration.Limits
    /// The passwords that the user of the app has typed for servers.
    let passwords = Passwords()
    /// The faults that WebKit has not applied to requests.
    private var missedFaults: Set<String> = []

    /// The problems that drivers report.
    private static let problems: [ProblemCode] = [
        .authenticationFailed, .authenticationUnanswered, .departureLost, .dialogUnanswered, .frameUnknown,
        .loadCancelled, .messageTooBig, .notOfDriver, .queueFull,
    ]

    init(_ webViews: WebViews, _ delivery: Delivery, _ limits: BridgeServer.Configuration.Limits) {
        (self.webViews, self.delivery, self.limits) = (webViews, delivery, limits)
        (traffic, deadlines) = (delivery.traffic, delivery.deadlines)
    }

    func receive(_ message: DriverMessage, id: RequestID?, from page: Page) {
        let reply = reply(to: message, id, of: page)
        switch message {
        case .dialog(let question): show(question, reply, page)
        case .problem(let problem):
            let code = Self.problems.first { $0.rawValue == problem.code } ?? ProblemCode(problem.code)
            if code == .authenticationFailed { passwords.refuse() }
            traffic.problem(
                code, problem.text,
                hint: "The driver of the browser reports this, not the page. docs/verdicts.md explains the code.",
                page: page)
        case .finished(let request):
            let visit = webViews.scope(of: page.webView).visitOfRequest?(request, page)
            traffic.append(.request(request, visit: visit), .toNative, page)
            if let fault = request.fault { webViews.countFault(fault) } else { reportMissedFault(request, page) }
        case .processTerminated:
            traffic.problem(
                .processTerminated, "The web process of the page has crashed, or something has killed it.",
                hint: "Native code can load the page again, as webViewWebContentProcessDidTerminate does on iOS.",
                page: page)
            webViews.scope(of: page.webView).driverHandler?(message, page, reply)
        default:
            guard let handler = webViews.scope(of: page.webView).driverHandler else {
                return reply.decide(isAllowed: true)
            }
            handler(message, page, reply)
        }
    }

    /// Records, once for a fault, that a request went out without it. WebKitGTK lets native code change documents alone, not
    /// what their scripts and elements ask for.
    private func reportMissedFault(_ request: FinishedRequest, _ page: Page) {
        guard page.engine == .webkit, request.type != "document",
            let fault = webViews.faults.newest(for: page.webView, where: { $0.url.matches(request.url) }),
            // Otherwise it was reported when the page attached.
            fault.rule.objection(of: page) == nil, missedFaults.insert(fault.id).inserted
        else { return }
        missedFaults.formIntersection(webViews.faults.all.map(\.id))
        traffic.problem(
            .faultIgnored,
            "The fault \(fault.id) did not change \(request.method) \(request.url.forText): in WebKit it changes documents, "
                + "and nothing that their scripts and elements ask for.",
            hint: "Show the page in chromium or firefox.", page: page)
    }

    private func reply(to message: DriverMessage, _ id: RequestID?, of page: Page) -> DriverReply {
        guard let id else { return DriverReply(refusal: DialogReply(isConfirmed: false)) { _ in } }
        return reply(to: message, of: page) { [channel = page.channel] answer in
            channel?.send { $0.result(id: id, answer) }
        }
    }

    private func reply(
        to message: DriverMessage, of page: Page, _ send: @escaping @MainActor (DriverReply.Answer) -> Void
    ) -> DriverReply {
        guard let subject = message.decided else { return DriverReply(refusal: DialogReply(isConfirmed: false), send) }
        return DriverReply(refusal: NavigationDecision.refused, send) { [traffic] in
            traffic.problem(
                .loadCancelled, "The \(subject) was cancelled, because native code has not decided about it.",
                hint: "Call the decision handler of each delegate method once, on every path.", page: page)
        }
    }

    // MARK: Loads of pages with the script tag

    /// Asks native code whether a load may begin. A page with the script tag asks by a synchronous call of
    /// `window.navigate`, in the way of an interface object (docs/protocol.md, "Interface calls"), and waits for the
    /// answer. The load is refused if there is no answer in time.
    /// - Parameter report: is called once, with whether the load may begin.
    /// - Returns: false if the call is not such a question.
    func decideLoad(
        _ call: CallInterface, from page: Page,
        _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        guard !page.isDriven, let question = call.load else { return false }
        guard let decide = webViews.scope(of: page.webView).driverHandler else {
            report(.success(ScriptValue(.bool(true))))
            return true
        }
        let message = DriverMessage.decide(question)
        let reply = reply(to: message, of: page) { answer in
            report(.success(ScriptValue(.bool(answer as? NavigationDecision == .allowed))))
        }
        if let time = limits.replyTimeout { deadlines.schedule(after: time) { [weak reply] in reply?.refuse() } }
        decide(message, page, reply)
        return true
    }

    // MARK: Dialogs

    /// Shows a dialog after all messages that are held back.
    private func show(_ question: DialogQuestion, _ reply: DriverReply, _ page: Page) {
        guard page.heldBack == nil else {
            page.heldBack?.calls.append { [self] in show(question, reply, $0) }
            return
        }
        let kind = question.type
        let message = PostMessage(
            seq: delivery.nextToolSeq(), handler: kind.handler, body: ScriptValue(question.arguments))
        if let answer = typedPassword(question, message, page) { return reply.answer(answer) }
        let isShown = delivery.showDialog(kind, message, from: page) { [self] result in
            // A failure means that the dialog was not answered in time. The reply then refuses by itself.
            guard case .success(let value) = result else { return }
            switch kind {
            case .alert: reply.answer(DialogReply(isConfirmed: true))
            case .confirm: reply.answer(DialogReply(isConfirmed: value.bool ?? false))
            case .prompt:
                // A stub that answers true accepts what the prompt suggests.
                let text = value.string ?? (value.bool == true ? question.default ?? "" : nil)
                reply.answer(DialogReply(isConfirmed: text != nil, text: text))
            case .openPanel: reply.answer(choose(value, page))
            case .mediaCapture: reply.answer(decide(value))
            case .geolocation: reply.answer(locate(value))
            case .authentication:
                let answer = authenticate(value)
                if !answer.isConfirmed { question.challenge.map(passwords.miss) }
                reply.answer(answer)
            }
        }
        if !isShown { reportUnanswered(kind, question, page) }
    }

    /// Reports a dialog of a browser without a window, where no user can answer it either.
    private func reportUnanswered(_ kind: Dialog.Kind, _ question: DialogQuestion, _ page: Page) {
        if let challenge = question.challenge {
            passwords.miss(challenge)
            return traffic.reportUnanswered(challenge, page: page)
        }
        traffic.problem(
            .dialogUnanswered,
            "The page opened \(kind.handler) \(question.arguments), which was not answered and therefore dismissed.",
            hint: kind.advice, page: page)
    }

    /// The user name and password that the user of the app has typed for the server; nil if there are none, or if a
    /// stub answers.
    private func typedPassword(
        _ question: DialogQuestion, _ message: PostMessage, _ page: Page
    ) -> DialogReply? {
        guard let challenge = question.challenge,
            !webViews.hasStub(of: message.handler, for: message.body, in: page.webView),
            let (user, password) = passwords.answer(to: challenge)
        else { return nil }
        return DialogReply(isConfirmed: true, user: user, password: password)
    }

    /// - Parameter value: the object `{user, password}`, or null.
    private func authenticate(_ value: ScriptValue) -> DialogReply {
        guard let user = value.child("user")?.string, let password = value.child("password")?.string else {
            return DialogReply(isConfirmed: false)
        }
        return DialogReply(isConfirmed: true, user: user, password: password)
    }

    /// - Parameter value: whether the page may use what it asks for; null leaves it to the browser's user.
    private func decide(_ value: ScriptValue) -> DialogReply {
        DialogReply(isConfirmed: value.bool ?? false, prompts: value.json.kind == .null ? true : nil)
    }

    /// - Parameter value: where the device is, or whether the page may know; null leaves it to the browser's user.
    private func locate(_ value: ScriptValue) -> DialogReply {
        let position = value.bool == true ? .standard : DevicePosition(value.json)
        return position.map { DialogReply(isConfirmed: true, position: $0) } ?? decide(value)
    }

    /// - Parameter value: the paths of files, or a path; a relative one belongs to the folder of the daemon.
    private func choose(_ value: ScriptValue, _ page: Page) -> DialogReply {
        let paths =
            value.json.kind == .array ? value.json.elements.compactMap(\.string) : [value.string].compactMap { $0 }
        guard !paths.isEmpty else { return DialogReply(isConfirmed: false) }
        let files = paths.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        if let missing = files.first(where: { !FileManager.default.fileExists(atPath: $0) }) {
            traffic.problem(
                .fileMissing, "The open panel was dismissed: there is no file \(missing).",
                hint:
                    "Name a file that exists; a relative path belongs to \(FileManager.default.currentDirectoryPath).",
                page: page)
            return DialogReply(isConfirmed: false)
        }
        return DialogReply(isConfirmed: true, files: files)
    }
}

extension TrafficLog {
    func reportUnanswered(_ challenge: AuthenticationChallenge, page: Page?) {
        problem(
            .authenticationUnanswered,
            "A server asks for a user name and a password, and got no answer: \(challenge). The page gets its refusal.",
            hint: """
                Answer it with a stub of window.authentication that replies {value: {user: …, password: …}}; or now, with \
                bridged app answerAuthentication user=… password=…
                """,
            page: page)
    }
}

extension DriverMessage {
    /// A description of the load or window that native code decides about; nil for other messages.
    fileprivate var decided: String? {
        switch self {
        case .decide(let question): "load of \(PageText.cut(question.url, to: 200))"
        case .openWindow(let url): "window for \(PageText.cut(url, to: 200))"
        default: nil
        }
    }
}

extension DialogQuestion {
    /// The arguments with which the page has called the method of `window`.
    fileprivate var arguments: JSONValue {
        switch type {
        case .openPanel: [.bool(multiple ?? false)]
        case .geolocation: []
        case .mediaCapture: .array((devices ?? []).map { .string($0.rawValue) })
        case .authentication: challenge?.json ?? [:]
        case .alert, .confirm, .prompt: .array(([text] + [self.default].compactMap { $0 }).map(JSONValue.string))
        }
    }
}

extension CallInterface {
    /// The load that a page asks about: `window.navigate(url, type, isPost)`.
    fileprivate var load: NavigationQuestion? {
        guard message.handler == "window", name == "navigate", let url = message.body.child(index: 0)?.string,
            let type = message.body.child(index: 1)?.string.flatMap(NavigationQuestion.Kind.init)
        else { return nil }
        return NavigationQuestion(
            PageText.cut(url, to: PageText.url), type, hasTargetFrame: true, isPost: message.body.child(index: 2)?.bool)
    }
}
