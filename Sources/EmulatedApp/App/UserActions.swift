import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import PathConfiguration

/// The actions of `app.perform` that do not depend on the screen's components: what a user does to the app, and what
/// happens to its phone.
@MainActor struct UserActions {
    private let app: EmulatedApp

    static let handlers: [ActionHandler] = [
        // The screen.
        action("tapActionButton", "Taps the button of the screen.", optional: ["webView"]) {
            try $0.tapActionButton($1)
        },
        action(
            "visit", "The app's own code routes to a URL.", required: ["url"], optional: ["visitAction"],
            leavesScreen: true
        ) { try $0.visit($1) },
        action(
            "tapTab", "Taps a tab, given by its title or by its number from 1.", required: ["tab"], leavesScreen: true
        ) { try $0.tapTab($1) },
        action(
            "back", "Taps the back button. On iOS, cancelled=true begins a swipe back and lets go.",
            optional: ["cancelled"], leavesScreen: true
        ) { try $0.goBack($1) },
        action("dismissModal", "Swipes the modal away.", leavesScreen: true) { actions, _ in
            try actions.dismissModal()
        },
        action("clearAll", "Dismisses the modal, and returns main to its root.", leavesScreen: true) { actions, _ in
            try actions.clearAll()
        },
        action(
            "pullToRefresh", "Pulls the screen down, which loads it again. On Android, element is what is touched.",
            optional: ["element"], leavesScreen: true
        ) { try $0.pullToRefresh($1) },
        action("retry", "Tries again on a screen that shows an error.") { actions, _ in try actions.retry() },
        action("answerAlert", "Answers the topmost alert.", optional: ["button"]) { try $0.answerAlert($1) },
        action(
            "answerAuthentication",
            "Types a user name and a password for the server that has asked (Basic, Digest), or gives up.",
            optional: ["user", "password", "cancelled"]
        ) { try $0.answerAuthentication($1) },
        action(
            "signIn", "Signs in natively, at the app's sign-in address.",
            optional: ["email", "username", "login", "password"]
        ) { try $0.app.signInForm.perform($1) },
        action(
            "reply", "The app's own code replies to a component's last message; data is the JSON text of an object.",
            required: ["component", "event"], optional: ["data"]
        ) { try $0.reply($1) },
        // The phone.
        action(
            "relaunch", "Ends the app and starts it again, at a link from outside if one is given.", optional: ["url"]
        ) { try $0.relaunch($1) },
        action(
            "pushToken",
            "The user allows or denies notifications. If allowed, the page gets the device's push token, or a new one.",
            optional: ["denied", "rotate"]
        ) { try $0.givePushToken($1) },
        action("denyPush", "The user denies notifications.") { actions, _ in
            actions.app.allow(.notifications, false)
        },
        action("allowPush", "The user allows notifications.") { actions, _ in
            actions.app.allow(.notifications, true)
        },
        action(
            "rotatePushToken", "The device gets a new push token and gives it to the page.", optional: ["token"]
        ) { $0.app.pushNotifications.rotate(to: $1["token"]) },
        action("background", "The app goes into the background.") { actions, _ in try actions.app.enterBackground() },
        action("foreground", "The app comes back to the foreground.") { actions, _ in
            try actions.app.enterForeground()
        },
        action("killWebContent", "The web view's content process ends.", optional: ["webView"]) {
            try $0.killWebContent($1)
        },
    ]

    private static func action(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        leavesScreen: Bool = false,
        perform: @escaping @MainActor @Sendable (UserActions, Action.Arguments) throws -> Void
    ) -> ActionHandler {
        ActionHandler(
            name, summary, required: required, optional: optional, leavesScreen: leavesScreen
        ) { app, arguments in try perform(UserActions(app: app), arguments) }
    }

    private var tabs: Tabs { app.tabs }
    private var configuration: EmulatedApp.Configuration { app.configuration }
    private var platform: Platform { configuration.framework.platform }
    private var navigation: NavigationState { app.navigation }

    // MARK: Screens

    /// - Throws: `ActionRefusal` if the app has not started.
    @discardableResult private func requireScreen() throws -> Screen {
        guard let screen = app.visibleScreen else {
            throw ActionRefusal("the app has not started: no page is attached to main. Open one first.")
        }
        return screen
    }

    /// How long a load may take before the page counts as lost.
    private static let patience = Duration.seconds(5)

    /// - Throws: `ActionRefusal` if the visible web view has no page that could load anything: the browser has left the
    ///   app's pages, or shows one without the script tag.
    private func requirePage() throws {
        guard let session = app.visibleSession else { return }
        let name = session.webView.bridgedName
        if app.page(of: name)?.isAttached == true { return }
        // A visit that has failed may have left its page for an error page, which attaches in some moments.
        let mayAttach = session.isVisiting || app.screens.visible?.error != nil
        if mayAttach, let time = app.visits.timeSinceVisit(in: name), time <= UserActions.patience { return }
        let url =
            session.currentVisitable?.currentVisitableURL.absoluteString ?? app.visibleScreen?.url.absoluteString ?? ""
        throw ActionRefusal(
            """
            no page is attached to \(name), so nothing can be loaded: the browser is closed, or shows something without \
            the script tag. Open \(url) there.
            """)
    }

    /// Navigates for the user.
    /// - Throws: `ActionRefusal` if nothing changes, or if no page is attached.
    private func perform(
        _ cause: String, _ options: VisitOptions = VisitOptions(),
        _ step: @escaping (inout Navigator) -> [NavigationEffect]
    ) throws {
        try requirePage()
        guard app.navigate(cause, options, step).isEmpty else { return }
        let properties = app.lastProposal.map(configuration.pathConfiguration.properties(for:))
        let isNone = properties.map(configuration.framework.interpret)?.presentation == Presentation.none
        let reasons = tabs.navigator?.reasons ?? []
        let why = (reasons.isEmpty && isNone ? [.notPresented] : reasons).map(\.text).joined(separator: ", and ")
        throw ActionRefusal("nothing changed\(why.isEmpty ? "" : ": \(why)").")
    }

    private func tapActionButton(_ arguments: Action.Arguments) throws {
        let webView = arguments["webView", default: app.visibleSession?.webView.bridgedName ?? "main"]
        guard let button = app.actionButtons[webView], let url = URL(string: button.url) else {
            throw ActionRefusal(
                "the screen of '\(webView)' has no action button. Its page posts ActionButton to get one.")
        }
        app.lastProposal = url
        try perform("the user taps the action button") { $0.route(url) }
    }

    private func tapTab(_ arguments: Action.Arguments) throws {
        let index = try tab(named: arguments["tab", default: ""])
        try requireScreen()
        guard !navigation.isModalPresented else {
            throw ActionRefusal("a modal covers the tabs. dismissModal dismisses it.")
        }
        guard tabs.isBarVisible else {
            throw ActionRefusal("the tab bar is hidden\(platform == .ios ? " above a tab's first screen" : "").")
        }
        let title = configuration.tabs[index].title
        let cause = "the user taps the tab \(title)"
        // UIKit pops to the root if the selected tab is tapped.
        guard index != tabs.selected else {
            guard navigation.main.count > 1 else {
                throw ActionRefusal("the tab \(title) is selected, and shows its first screen.")
            }
            let isAndroid = platform == .android
            return try perform(cause) { isAndroid ? $0.clearAll() : $0.popToRoot() }
        }
        try requirePage()
        tabs.select(index)
        app.navigate(cause) { $0.launch() }
    }

    /// - Parameter name: a title, or a number from 1.
    private func tab(named name: String) throws -> Int {
        let shown = configuration.tabs.filter(tabs.isVisible)
        guard !shown.isEmpty else {
            throw ActionRefusal("the app has no tabs. Add some, such as \(setting("tab", "tabs", "Home=/")).")
        }
        let tab = shown.first { $0.title == name } ?? shown.indices.first { Int(name) == $0 + 1 }.map { shown[$0] }
        if let index = configuration.tabs.firstIndex(where: { $0 == tab }) { return index }
        throw ActionRefusal("there is no tab '\(name)'. The tabs are: \(shown.map(\.title).joined(separator: ", ")).")
    }

    private func visit(_ arguments: Action.Arguments) throws {
        try requireScreen()
        let text = arguments["url", default: ""]
        guard let url = URL(string: text, relativeTo: tabs.baseURL)?.absoluteURL else {
            throw ActionRefusal("'\(text)' is not a URL.")
        }
        guard url.scheme != nil else {
            throw ActionRefusal(
                "'\(text)' cannot be resolved. Give the app's address with \(setting("root-url", "rootURL")).")
        }
        guard let action = VisitAction(rawValue: arguments["visitAction", default: "advance"]) else {
            throw ActionRefusal("visitAction must be advance, replace or restore.")
        }
        app.lastProposal = url
        try perform("the app goes to \(url)", VisitOptions(action: action)) { $0.route(url, action: action) }
    }

    private func goBack(_ arguments: Action.Arguments) throws {
        try requireScreen()
        let isCancelled = arguments["cancelled"] == "true"
        if isCancelled, platform == .android {
            throw ActionRefusal("Android's frameworks learn nothing of a gesture that the user cancels.")
        }
        let leavesModal = navigation.isModalPresented && platform == .android
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
        app.navigate("the user dismisses the modal") { $0.dismissModal() }
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
            .interpreted(as: platform)
        guard properties.pullToRefreshEnabled else {
            throw ActionRefusal("pull_to_refresh_enabled is false for \(screen.url.path).")
        }
        try requirePage()
        guard let session = app.visibleSession else { return }
        guard let element = arguments["element"] else { return try pullToRefresh(session) }
        guard platform == .android else {
            throw ActionRefusal("on iOS the touched element does not matter. Leave out element.")
        }
        try pullToRefresh(session, touching: element)
    }

    /// - Throws: `ActionRefusal` if the user touches an element of Android's page that prevents it.
    private func pullToRefresh(_ session: Session) throws {
        guard !session.touchPreventsPullToRefresh else {
            throw ActionRefusal(
                "the touched element scrolls by itself, or is in one with data-native-prevent-pull-to-refresh.")
        }
        app.visits.beginChain("the user pulls to refresh")
        session.reload()
    }

    /// Pulls the screen down, as a finger on an element of the page does; see `HotwireSwipeRefreshLayout.kt`.
    private func pullToRefresh(_ session: Session, touching element: String) throws {
        guard let page = app.page(of: session) else { return }
        let touch = """
            ((selector, type) => {
              const element = document.querySelector(selector)
              element?.dispatchEvent(new Event(type, { bubbles: true }))
              return Boolean(element)
            })
            """
        let action = ActionResult.current
        action?.begin()
        page.evaluate(JavaScriptCall(touch, element, "touchstart").source) { result in
            guard case .success(let found) = result, found.bool == true else {
                action?.end("no element of the page matches \(quoted(element)).")
                return
            }
            do {
                try pullToRefresh(session)
                action?.end()
            } catch {
                page.evaluate(JavaScriptCall(touch, element, "touchend").source) { _ in action?.end("\(error)") }
            }
        }
    }

    private func retry() throws {
        let screen = try requireScreen()
        guard let web = app.screens[screen.id], web.error != nil else {
            throw ActionRefusal("the screen shows no error.")
        }
        try requirePage()
        app.visits.beginChain("the user tries again")
        app.visibleSession?.visit(web, reload: true)
    }

    private func answerAlert(_ arguments: Action.Arguments) throws {
        guard let alert = app.popAlert() else { throw ActionRefusal("no alert is shown.") }
        app.record(
            "alertAnswered",
            [.init("title", .string(alert.title)), .init("button", .string(arguments["button", default: "OK"]))])
    }

    /// Types a user name and a password for the server that has asked last. The request has ended by then, so the screens load
    /// again; the app knows the answer from now on, as it does on a phone.
    private func answerAuthentication(_ arguments: Action.Arguments) throws {
        let passwords = app.server.passwords
        guard arguments["cancelled"] != "true" else {
            guard passwords.cancel() else { throw ActionRefusal("no server asks for a password.") }
            return
        }
        guard let user = arguments["user"], let password = arguments["password"] else {
            throw ActionRefusal("give the user and the password, or cancelled=true.")
        }
        guard passwords.answer(user: user, password: password) else {
            throw ActionRefusal("no server has asked for a password.")
        }
        for session in tabs.allSessions { session.reload() }
    }

    /// Replies for a component of the visible screen, built-in or not.
    private func reply(_ arguments: Action.Arguments) throws {
        let (name, event) = (arguments["component", default: ""], arguments["event", default: ""])
        guard let component = app.screens.visible?.bridgeDelegate.component(named: name) else {
            throw ActionHandler.refusal(ofMissing: name)
        }
        guard component.receivedMessage(for: event) != nil else {
            let events = component.receivedEvents.joined(separator: ", ")
            throw ActionRefusal("the page has sent no '\(event)' to \(name). It has sent: \(events).")
        }
        guard let data = arguments["data"] else { return component.reply(to: event, completion: nil) }
        guard let json = try? JSON.parse(data), json.kind == .object else {
            throw ActionRefusal("data must be the JSON text of an object, such as {\"code\": \"42\"}.")
        }
        component.reply(to: event, with: data, completion: nil)
    }

    // MARK: The phone

    /// Starts the app again, at its start location or at a link from outside. Cookies stay.
    private func relaunch(_ arguments: Action.Arguments) throws {
        try requireScreen()
        try requirePage()
        guard let start = configuration.tabs.first.map(tabs.url(of:)) ?? tabs.baseURL else {
            throw ActionRefusal(
                "the app does not know where it starts. Give its address with \(setting("root-url", "rootURL")).")
        }
        let text = arguments["url"]
        guard let link = text.map({ URL(string: $0, relativeTo: start)?.absoluteURL }) ?? start else {
            throw ActionRefusal("'\(text ?? "")' is not a URL.")
        }
        let url = startLocation(for: link, start)
        let instead = url == link ? "" : ", because the link to \(link.originText) leads to another host"
        app.start(at: url)
        app.navigate("the app starts at \(url)\(instead)") { $0.launch() }
    }

    /// The location at which the app starts after a link from outside; see `NavigatorHost.kt`,
    /// `ensureDeeplinkStartLocationValid`.
    /// - Parameter start: the app's own start location.
    private func startLocation(for link: URL, _ start: URL) -> URL {
        platform == .ios || link.host == start.host ? link : start
    }

    private func killWebContent(_ arguments: Action.Arguments) throws {
        let name = arguments["webView", default: "main"]
        guard let session = tabs.session(in: name), app.page(of: name) != nil else {
            throw ActionRefusal("the web view '\(name)' shows no page. Open one first.")
        }
        session.webView._killWebContentProcessAndResetState()
    }

    private func givePushToken(_ arguments: Action.Arguments) throws {
        let notifications = app.pushNotifications
        notifications.isDenied = arguments["denied"] == "true"
        guard arguments["rotate"] != "true" else { return notifications.rotate(to: nil) }
        guard notifications.give() || notifications.isDenied else {
            throw ActionRefusal("no page is shown that could get the token. Open one first.")
        }
    }
}
