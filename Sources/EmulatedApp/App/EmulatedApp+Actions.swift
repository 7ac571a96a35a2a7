public import BridgeServer
import BridgeWebKit
import Foundation

/// What a finger can do, and what can happen to a phone.
extension EmulatedApp {
    public var actions: [AppAction] { screenActions + deviceActions + componentActions }

    private var screenActions: [AppAction] {
        [
            action("tapActionButton", "Taps the screen's button.", optional: ["webView"]) {
                try $0.tapActionButton($1)
            },
            action("visit", "Native code routes to a URL.", required: ["url"], optional: ["action"]) {
                try $0.visit($1)
            },
            action("tapTab", "Taps a tab, by its title or its number from 1.", required: ["tab"]) { try $0.tapTab($1) },
            action("back", "Taps the back button.") { try $0.goBack($1) },
            action("dismissModal", "Swipes the modal away.") { try $0.dismissModal($1) },
            action("clearAll", "The modal goes, and main goes back to its root.") { app, _ in
                try app.needsScreen()
                app.navigate("the app goes back to its root") { $0.clearAll() }
            },
            action("pullToRefresh", "Pulls the screen down: it is loaded again.") { try $0.pullToRefresh($1) },
            action("retry", "Tries again what the screen could not show.") { try $0.retry($1) },
            action("answerAlert", "Answers the alert on top.", optional: ["button"]) { try $0.answerAlert($1) },
            action(
                "signIn", "Signs in natively, where --sign-in-url says.",
                optional: ["email", "username", "login", "password"]
            ) { try $0.performSignIn($1) },
        ]
    }

    private var deviceActions: [AppAction] {
        [
            action("relaunch", "Ends the app and starts it, at a link from outside if there is one.", optional: ["url"])
            {
                try $0.relaunch($1)
            },
            action(
                "pushToken",
                "The user allows notifications, or denies them; the page gets the device's push token, or a new one.",
                optional: ["denied", "rotate"]
            ) { app, arguments in
                app.pushTokens.isDenied = arguments["denied"] == "true"
                if arguments["rotate"] == "true" { app.rotatePushToken(to: nil) } else { app.givePushToken() }
            },
            action("denyPush", "The user does not allow notifications.") { app, _ in
                app.allow(.notifications, false)
            },
            action("allowPush", "The user allows notifications.") { app, _ in app.allow(.notifications, true) },
            action(
                "rotatePushToken", "The device gets a new push token, and the page hears of it.", optional: ["token"]
            ) {
                $0.rotatePushToken(to: $1["token"])
            },
            action("background", "The app goes into the background.") { app, _ in
                app.isInBackground = true
                app.device.lock.close()
            },
            action("foreground", "The app comes back.") { app, _ in app.comeBack() },
            action("killWebContent", "The web view's process ends.", optional: ["webView"]) {
                try $0.killWebContent($1)
            },
        ]
    }

    private func action(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        _ perform: @escaping @MainActor @Sendable (EmulatedApp, AppAction.Arguments) throws -> Void
    ) -> AppAction {
        AppAction(name, summary, required: required, optional: optional) { [weak self] arguments in
            if let self { try perform(self, arguments) }
        }
    }

    // MARK: Screens

    @discardableResult func needsScreen() throws -> Screen {
        guard let screen = visibleScreen else {
            throw ActionRefusal("the app has not started: no page is attached to main. Open one first.")
        }
        return screen
    }

    private func tapActionButton(_ arguments: AppAction.Arguments) throws {
        let webView = arguments["webView", default: session(of: navigation.visibleStack)?.webView.bridgedName ?? "main"]
        guard let button = actionButtons[webView], let url = URL(string: button.url) else {
            throw ActionRefusal(
                "the screen of '\(webView)' has no action button. Its page posts ActionButton to get one.")
        }
        lastProposal = url
        navigate("the user taps the action button") { $0.route(url) }
    }

    private func visit(_ arguments: AppAction.Arguments) throws {
        try needsScreen()
        let text = arguments["url", default: ""]
        guard let url = URL(string: text, relativeTo: baseURL)?.absoluteURL else {
            throw ActionRefusal("'\(text)' is no URL.")
        }
        guard let action = VisitAction(rawValue: arguments["action", default: "advance"]) else {
            throw ActionRefusal("the action is advance, replace or restore.")
        }
        lastProposal = url
        route(url, action: action)
    }

    private func goBack(_ arguments: AppAction.Arguments) throws {
        try needsScreen()
        guard navigation[navigation.visibleStack].count > 1 else {
            let modal = navigation.isModalPresented ? " dismissModal takes the modal away." : ""
            throw ActionRefusal("\(navigation.visibleStack.rawValue) shows its first screen.\(modal)")
        }
        navigate("the user goes back") { $0.back() }
    }

    private func dismissModal(_ arguments: AppAction.Arguments) throws {
        guard navigation.isModalPresented else { throw ActionRefusal("no modal is up.") }
        guard navigation.isDismissible else {
            throw ActionRefusal("the modal is full screen, or its top screen has modal_dismiss_gesture_enabled off.")
        }
        navigate("the user dismisses the modal") { $0.dismissModal() }
    }

    private func pullToRefresh(_ arguments: AppAction.Arguments) throws {
        let screen = try needsScreen()
        guard screen.isWeb else { throw ActionRefusal("a native screen has nothing to pull.") }
        let properties = configuration.pathConfiguration.properties(for: screen.url)
            .interpreted(as: configuration.platform)
        guard properties.pullToRefreshEnabled else {
            throw ActionRefusal("pull_to_refresh_enabled is false for \(screen.url.path).")
        }
        chain.add("the user pulls to refresh")
        session(of: navigation.visibleStack)?.reload()
    }

    private func retry(_ arguments: AppAction.Arguments) throws {
        let screen = try needsScreen()
        guard let web = screens[screen.id], web.error != nil else {
            throw ActionRefusal("the screen shows no error.")
        }
        chain.add("the user tries again")
        session(of: navigation.visibleStack)?.visit(web, reload: true)
    }

    private func answerAlert(_ arguments: AppAction.Arguments) throws {
        guard let alert = alerts.popLast() else { throw ActionRefusal("no alert is up.") }
        record(
            "alertAnswered",
            [.init("title", .string(alert.title)), .init("button", .string(arguments["button", default: "OK"]))])
    }

    // MARK: The phone

    /// The app is ended and started again, at its start location or where a link from outside leads. Cookies stay.
    private func relaunch(_ arguments: AppAction.Arguments) throws {
        try needsScreen()
        guard let start = configuration.tabs.first.map(url(of:)) ?? baseURL else { return }
        let text = arguments["url"]
        guard let url = text.map({ URL(string: $0, relativeTo: start)?.absoluteURL }) ?? start else {
            throw ActionRefusal("'\(text ?? "")' is no URL.")
        }
        makeNavigator(startingAt: url)
        navigate("the app starts at \(url)") { $0.start() }
    }

    private func comeBack() {
        isInBackground = false
        device.lock.look()
        // A page whose process ended meanwhile is loaded again.
        guard let screen = visibleScreen, screen.isWeb, let session = session(of: navigation.visibleStack),
            !session.isInitialized, !session.isVisiting, hasSeenTurbo
        else { return }
        session.reload()
    }

    private func killWebContent(_ arguments: AppAction.Arguments) throws {
        let name = arguments["webView", default: "main"]
        guard let session = NavigationStack(rawValue: name).flatMap({ sessions[$0] }), page(of: name) != nil else {
            throw ActionRefusal("the web view '\(name)' shows no page. Open one first.")
        }
        session.webView._killWebContentProcessAndResetState()
    }
}
