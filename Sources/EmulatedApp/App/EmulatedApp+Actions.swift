public import BridgeServer
import BridgeWebKit
import Foundation
import PathConfiguration

/// The actions of `app.perform`: what a user does to the app, and what happens to its phone.
extension EmulatedApp {
    public var actions: [Action] { handlers.map(\.action) }

    @discardableResult
    public func perform(_ name: String, _ arguments: Action.Arguments = [:]) throws -> ActionResult {
        guard let handler = handlers.first(where: { $0.action.name == name }) else {
            throw ActionError.unknownAction(name, among: actions.map(\.name))
        }
        try handler.action.validate(arguments)
        let result = ActionResult()
        try ActionResult.$current.withValue(result) { try handler.perform(self, nil, arguments) }
        onAction?(name, arguments)
        return result
    }

    private var handlers: [ActionHandler] { EmulatedApp.screenActions + EmulatedApp.phoneActions + componentActions }

    private static let screenActions: [ActionHandler] = [
        .init(
            "tapActionButton", "Taps the button of the screen.", optional: ["webView"],
            app: { try $0.tapActionButton($1) }),
        .init(
            "visit", "The app's own code routes to a URL.", required: ["url"], optional: ["visitAction"],
            app: { try $0.visit($1) }),
        .init(
            "tapTab", "Taps a tab, given by its title or by its number from 1.", required: ["tab"],
            app: { try $0.tapTab($1) }),
        .init(
            "back", "Taps the back button. On iOS, cancelled=true begins a swipe back and lets go.",
            optional: ["cancelled"], app: { try $0.goBack($1) }),
        .init("dismissModal", "Swipes the modal away.", app: { app, _ in try app.dismissModal() }),
        .init("clearAll", "Dismisses the modal, and returns main to its root.", app: { app, _ in try app.clearAll() }),
        .init(
            "pullToRefresh", "Pulls the screen down, which loads it again. On Android, element is what is touched.",
            optional: ["element"], app: { try $0.pullToRefresh($1) }),
        .init("retry", "Tries again on a screen that shows an error.", app: { app, _ in try app.retry() }),
        .init(
            "answerAlert", "Answers the topmost alert.", optional: ["button"], app: { try $0.answerAlert($1) }),
        .init(
            "answerAuthentication",
            "Types a user name and a password for the server that has asked (Basic, Digest), or gives up.",
            optional: ["user", "password", "cancelled"], app: { try $0.answerAuthentication($1) }),
        .init(
            "signIn", "Signs in natively, at the app's sign-in address.",
            optional: ["email", "username", "login", "password"], app: { try $0.performSignIn($1) }),
    ]

    private static let phoneActions: [ActionHandler] = [
        .init(
            "relaunch", "Ends the app and starts it again, at a link from outside if one is given.", optional: ["url"],
            app: { try $0.relaunch($1) }),
        .init(
            "pushToken",
            "The user allows or denies notifications. If allowed, the page gets the device's push token, or a new one.",
            optional: ["denied", "rotate"],
            app: { app, arguments in
                app.pushTokens.isDenied = arguments["denied"] == "true"
                guard arguments["rotate"] != "true" else { return app.rotatePushToken(to: nil) }
                guard app.givePushToken() || app.pushTokens.isDenied else {
                    throw ActionRefusal("no page is shown that could get the token. Open one first.")
                }
            }),
        .init("denyPush", "The user denies notifications.", app: { app, _ in app.allow(.notifications, false) }),
        .init("allowPush", "The user allows notifications.", app: { app, _ in app.allow(.notifications, true) }),
        .init(
            "rotatePushToken", "The device gets a new push token and gives it to the page.", optional: ["token"],
            app: { $0.rotatePushToken(to: $1["token"]) }),
        .init("background", "The app goes into the background.", app: { app, _ in try app.enterBackground() }),
        .init("foreground", "The app comes back to the foreground.", app: { app, _ in try app.enterForeground() }),
        .init(
            "killWebContent", "The web view's content process ends.", optional: ["webView"],
            app: { try $0.killWebContent($1) }),
    ]

    // MARK: Screens

    /// - Throws: `ActionRefusal` if the app has not started.
    @discardableResult func requireScreen() throws -> Screen {
        guard let screen = visibleScreen else {
            throw ActionRefusal("the app has not started: no page is attached to main. Open one first.")
        }
        return screen
    }

    /// How long a load may take before the page counts as lost.
    private static let patience = Duration.seconds(5)

    /// - Throws: `ActionRefusal` if the visible web view has no page that could load anything: the browser has left the
    ///   app's pages, or shows one without the script tag.
    func requirePage() throws {
        guard let session = session(of: navigation.visibleStack) else { return }
        let name = session.webView.bridgedName
        if page(of: name)?.isAttached == true { return }
        // A visit that has failed may have left its page for an error page, which attaches in some moments.
        let mayAttach = session.isVisiting || visibleScreen.flatMap { screens[$0.id]?.error } != nil
        let visit = mayAttach ? visitTimes[name] : nil
        let waited = visit.map { server.traffic.clock.timestamp.microseconds - $0.began.microseconds } ?? .max
        guard waited > Int64(EmulatedApp.patience / .microseconds(1)) else { return }
        let url =
            session.currentVisitable?.currentVisitableURL.absoluteString ?? visibleScreen?.url.absoluteString ?? ""
        throw ActionRefusal(
            """
            no page is attached to \(name), so nothing can be loaded: the browser is closed, or shows something without \
            the script tag. Open \(url) there.
            """)
    }

    /// Navigates for the user.
    /// - Throws: `ActionRefusal` if nothing changes, or if no page is attached.
    func perform(
        _ cause: String, _ options: VisitOptions = VisitOptions(),
        _ step: @escaping (inout Navigator) -> [NavigationEffect]
    ) throws {
        try requirePage()
        guard navigate(cause, options, step).isEmpty else { return }
        let properties = lastProposal.map(configuration.pathConfiguration.properties(for:))
        let isNone = properties.map(configuration.framework.interpret)?.presentation == Presentation.none
        let reasons = navigator?.reasons ?? []
        let why = (reasons.isEmpty && isNone ? [.notPresented] : reasons).map(\.text).joined(separator: ", and ")
        throw ActionRefusal("nothing changed\(why.isEmpty ? "" : ": \(why)").")
    }

    private func tapActionButton(_ arguments: Action.Arguments) throws {
        let webView = arguments["webView", default: session(of: navigation.visibleStack)?.webView.bridgedName ?? "main"]
        guard let button = actionButtons[webView], let url = URL(string: button.url) else {
            throw ActionRefusal(
                "the screen of '\(webView)' has no action button. Its page posts ActionButton to get one.")
        }
        lastProposal = url
        try perform("the user taps the action button") { $0.route(url) }
    }

    private func visit(_ arguments: Action.Arguments) throws {
        try requireScreen()
        let text = arguments["url", default: ""]
        guard let url = URL(string: text, relativeTo: baseURL)?.absoluteURL else {
            throw ActionRefusal("'\(text)' is not a URL.")
        }
        guard url.scheme != nil else {
            throw ActionRefusal(
                "'\(text)' cannot be resolved. Give the app's address with \(setting("root-url", "rootURL")).")
        }
        guard let action = VisitAction(rawValue: arguments["visitAction", default: "advance"]) else {
            throw ActionRefusal("visitAction must be advance, replace or restore.")
        }
        lastProposal = url
        try perform("the app goes to \(url)", VisitOptions(action: action)) { $0.route(url, action: action) }
    }

    private func goBack(_ arguments: Action.Arguments) throws {
        try requireScreen()
        let isCancelled = arguments["cancelled"] == "true"
        if isCancelled, configuration.framework.platform == .android {
            throw ActionRefusal("Android's frameworks learn nothing of a gesture that the user cancels.")
        }
        let leavesModal = navigation.isModalPresented && configuration.framework.platform == .android
        guard navigation[navigation.visibleStack].count > 1 || leavesModal else {
            let modal = navigation.isModalPresented ? " dismissModal dismisses the modal." : ""
            throw ActionRefusal("\(navigation.visibleStack.rawValue) shows its first screen.\(modal)")
        }
        guard !isCancelled else {
            return try perform("the user begins to swipe back, and lets go") { $0.cancelBack() }
        }
        try perform("the user goes back") { $0.back() }
    }

    private func dismissModal() throws {
        guard navigation.isModalPresented else { throw ActionRefusal("no modal is presented.") }
        guard navigation.isDismissible else {
            throw ActionRefusal(
                "the modal is full screen, or modal_dismiss_gesture_enabled is false for its top screen.")
        }
        navigate("the user dismisses the modal") { $0.dismissModal() }
    }

    private func clearAll() throws {
        try requireScreen()
        try perform("the app goes back to its root") { $0.clearAll() }
    }

    private func pullToRefresh(_ arguments: Action.Arguments) throws {
        let screen = try requireScreen()
        guard screen.isWeb else {
            throw ActionRefusal("the visible screen is native, and only a web screen can be pulled.")
        }
        let properties = configuration.pathConfiguration.properties(for: screen.url)
            .interpreted(as: configuration.framework.platform)
        guard properties.pullToRefreshEnabled else {
            throw ActionRefusal("pull_to_refresh_enabled is false for \(screen.url.path).")
        }
        try requirePage()
        guard let session = session(of: navigation.visibleStack) else { return }
        guard let element = arguments["element"] else { return try pullToRefresh(session) }
        guard configuration.framework.platform == .android else {
            throw ActionRefusal("on iOS the touched element does not matter. Leave out element.")
        }
        try pullToRefresh(session, touching: element)
    }

    /// - Throws: `ActionRefusal` if the user touches an element of Android's page that prevents it.
    func pullToRefresh(_ session: Session) throws {
        guard !session.touchPreventsPullToRefresh else {
            throw ActionRefusal(
                "the touched element scrolls by itself, or is in one with data-native-prevent-pull-to-refresh.")
        }
        chain.add("the user pulls to refresh")
        session.reload()
    }

    private func retry() throws {
        let screen = try requireScreen()
        guard let web = screens[screen.id], web.error != nil else {
            throw ActionRefusal("the screen shows no error.")
        }
        try requirePage()
        chain.add("the user tries again")
        session(of: navigation.visibleStack)?.visit(web, reload: true)
    }

    private func answerAlert(_ arguments: Action.Arguments) throws {
        guard let alert = alerts.popLast() else { throw ActionRefusal("no alert is shown.") }
        record(
            "alertAnswered",
            [.init("title", .string(alert.title)), .init("button", .string(arguments["button", default: "OK"]))])
    }

    // MARK: The phone

    /// Starts the app again, at its start location or at a link from outside. Cookies stay.
    private func relaunch(_ arguments: Action.Arguments) throws {
        try requireScreen()
        try requirePage()
        guard let start = configuration.tabs.first.map(url(of:)) ?? baseURL else {
            throw ActionRefusal(
                "the app does not know where it starts. Give its address with \(setting("root-url", "rootURL")).")
        }
        let text = arguments["url"]
        guard let link = text.map({ URL(string: $0, relativeTo: start)?.absoluteURL }) ?? start else {
            throw ActionRefusal("'\(text ?? "")' is not a URL.")
        }
        let url = startLocation(for: link, start)
        let instead = url == link ? "" : ", because the link to \(link.originText) leads to another host"
        makeNavigator(startingAt: url)
        navigate("the app starts at \(url)\(instead)") { $0.launch() }
    }

    private func enterBackground() throws {
        guard !isInBackground else { throw ActionRefusal("the app is in the background already.") }
        isInBackground = true
        device.lock.close()
    }

    private func enterForeground() throws {
        guard isInBackground else { throw ActionRefusal("the app is in the foreground already.") }
        isInBackground = false
        device.lock.recognize()
        inspectSessions()
    }

    private func killWebContent(_ arguments: Action.Arguments) throws {
        let name = arguments["webView", default: "main"]
        guard let session = allSessions.first(where: { $0.webView.bridgedName == name }), page(of: name) != nil else {
            throw ActionRefusal("the web view '\(name)' shows no page. Open one first.")
        }
        session.webView._killWebContentProcessAndResetState()
    }
}
