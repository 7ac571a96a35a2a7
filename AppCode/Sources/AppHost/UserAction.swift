import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import HeadlessUIKit

/// Something that the app's user does, by the name that `app.perform` and flows use.
@MainActor struct UserAction {
    let action: Action
    private let body: (Action.Arguments) throws -> Void

    private init(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        leavesScreen: Bool = false, _ body: @escaping (Action.Arguments) throws -> Void
    ) {
        action = Action(name, summary, required: required, optional: optional, leavesScreen: leavesScreen)
        self.body = body
    }

    func perform(_ arguments: Action.Arguments) throws { try body(arguments) }

    static let all: [UserAction] = [
        .init(
            "tap", "Taps a bar button, an entry of a menu, a button, a switch or a row, by the text that it shows.",
            required: ["text"]
        ) { try tap($0["text"] ?? "") },
        .init(
            "tapTab", "Taps a tab, given by its title or by its number from 1.", required: ["tab"], leavesScreen: true
        ) { try tapTab($0["tab"] ?? "") },
        .init(
            "visit", "Visits a URL, as a link on the screen's page does.", required: ["url"],
            optional: ["visitAction"], leavesScreen: true
        ) { try visit($0["url"] ?? "", $0["visitAction"] ?? "advance") },
        .init("back", "Taps the back button.", leavesScreen: true) { _ in
            guard let stack = ScreenState.current.front?.navigationController, stack.tapBack() else {
                throw ActionRefusal("there is no back button: the stack has one screen, or hides it.")
            }
        },
        .init("dismissModal", "Swipes the modal away.", leavesScreen: true) { _ in
            guard let top = ScreenState.current.presented.dropFirst().last, top.swipeDown() else {
                throw ActionRefusal("nothing is presented that the user could swipe away.")
            }
        },
        .init("answerAlert", "Answers the topmost alert.", required: ["button"]) {
            try answerAlert($0["button"] ?? "")
        },
        .init("pullToRefresh", "Pulls the screen down.", leavesScreen: true) { _ in
            let views = ViewTree.all(ScreenState.current.front?.viewIfLoaded)
            guard let control = views.lazy.compactMap({ $0 as? UIRefreshControl }).first, control.pull() else {
                throw ActionRefusal("the screen has no refresh control, or refreshes already.")
            }
        },
        .init(
            "fill", "Types into a field, given by its placeholder or its label. return=true presses the return key.",
            required: ["field", "text"], optional: ["return"]
        ) { try fill($0["field"] ?? "", $0["text"] ?? "", pressesReturn: $0["return"] == "true") },
        .init("search", "Types into the search bar.", required: ["text"]) {
            guard let search = ScreenState.current.front?.navigationItem.searchController else {
                throw ActionRefusal("the screen has no search bar.")
            }
            search.type($0["text"] ?? "")
        },
        .init("openLink", "Opens a link of the app from outside it.", required: ["url"]) {
            guard let url = URL(string: $0["url"] ?? ""), UIApplication.shared.receive(url) else {
                throw ActionRefusal("'\($0["url"] ?? "")' is no URL, or the app has no scene that takes it.")
            }
        },
        .init(
            "notify", "Delivers a notification, as a push service does. userInfo is an object of JSON.",
            optional: ["title", "body", "userInfo"]
        ) { try notify($0) },
        .init(
            "tapNotification", "Taps a notification, given by its title or body; without a text the newest.",
            optional: ["text"], leavesScreen: true
        ) { try tapNotification($0["text"]) },
        .init(
            "location.move", "Moves the phone to a place, in degrees.", required: ["latitude", "longitude"]
        ) { try move($0["latitude"] ?? "", $0["longitude"] ?? "") },
        .init(
            "biometry.enroll", "Enrols the user's face or finger. type is faceID (default) or touchID.",
            optional: ["type"]
        ) { try enroll($0["type"] ?? "faceID") },
        .init("background", "The app goes into the background.") { _ in UIApplication.shared.enterBackground() },
        .init("foreground", "The app comes back to the foreground.") { _ in UIApplication.shared.enterForeground() },
    ]

    private static func visit(_ url: String, _ action: String) throws {
        guard let webView = ScreenState.current.frontWebView else {
            throw ActionRefusal("the screen has no web view, so that no link on it can lead to '\(url)'.")
        }
        let script = "(url, action) => window.Turbo ? Turbo.visit(url, { action }) : location.assign(url)"
        webView.evaluateJavaScript(JavaScriptCall("(\(script))", url, action).source, completionHandler: nil)
    }

    // MARK: From outside the app

    private static func notify(_ arguments: Action.Arguments) throws {
        let content = UNMutableNotificationContent()
        (content.title, content.body) = (arguments["title"] ?? "", arguments["body"] ?? "")
        if let text = arguments["userInfo"] {
            guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
                throw ActionRefusal(#"userInfo is no object of JSON: '\#(text)'. Write it as in {"path": "/posts/1"}."#)
            }
            content.userInfo = object
        }
        UNUserNotificationCenter.current().deliver(
            UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: UNPushNotificationTrigger())
        )
    }

    private static func tapNotification(_ text: String?) throws {
        let center = UNUserNotificationCenter.current()
        let shown = center.deliveredNotifications
        let found = shown.last { notification in
            let content = notification.request.content
            return text == nil || content.title == text || content.body == text
        }
        guard let found else {
            let titles = shown.map { "'\($0.request.content.title)'" }.joined(separator: ", ")
            throw ActionRefusal(
                shown.isEmpty
                    ? "no notification is shown. notify delivers one."
                    : "no notification has the title or body '\(text ?? "")'. There are: \(titles)")
        }
        guard center.delegate != nil else {
            throw ActionRefusal("the app has no delegate of UNUserNotificationCenter, which would learn of the tap.")
        }
        center.tap(found)
    }

    private static func move(_ latitude: String, _ longitude: String) throws {
        guard let latitude = Double(latitude), let longitude = Double(longitude), (-90...90).contains(latitude),
            (-180...180).contains(longitude)
        else {
            throw ActionRefusal(
                "'\(latitude)' and '\(longitude)' are no place: a latitude from -90 to 90, and a longitude from -180 to 180."
            )
        }
        CLLocationManager.movePhone(to: CLLocation(latitude: latitude, longitude: longitude))
    }

    private static func enroll(_ type: String) throws {
        let types: [String: LABiometryType] = ["faceID": .faceID, "touchID": .touchID]
        guard let type = types[type] else { throw ActionRefusal("'\(type)' is not faceID or touchID.") }
        UserRecognition.shared.enroll(type)
    }

    // MARK: Taps

    private static func tap(_ text: String) throws {
        let screen = ScreenState.current
        guard let front = screen.front else { throw ActionRefusal("the app shows no screen.") }
        if let alert = front as? UIAlertController, alert.tap(text) { return }
        let found = tapBar(front, text) || tapControl(front, text) || tapRow(front, text) || tapGesture(front, text)
        guard found else {
            throw ActionRefusal(
                "nothing on the screen that can be tapped shows '\(text)'. It shows: \(choices(front).joined(separator: ", "))"
            )
        }
    }

    private static func tapBar(_ controller: UIViewController, _ text: String) -> Bool {
        let buttons = ScreenState.barButtons(controller)
        let button = buttons.first { $0.shownTitle == text } ?? buttons.first { $0.otherNames.contains(text) }
        if button?.tap() == true { return true }
        return buttons.lazy.compactMap(\.menu).flatMap(\.actions).first { $0.title == text }?.perform() ?? false
    }

    private static func tapControl(_ controller: UIViewController, _ text: String) -> Bool {
        for case let control as UIControl in ViewTree.all(controller.viewIfLoaded) where control.isEnabled {
            let isNamed = control.accessibilityLabel == text || control.accessibilityIdentifier == text
            switch control {
            case let button as UIButton where isNamed || button.currentTitle == text:
                button.sendActions(for: [.touchUpInside, .primaryActionTriggered])
                return true
            case let control as UISwitch where isNamed:
                control.tap()
                return true
            case let segments as UISegmentedControl:
                let titles = (0..<segments.numberOfSegments).map { segments.titleForSegment(at: $0) }
                if let index = titles.firstIndex(of: text) { return segments.tapSegment(at: index) }
            default: break
            }
        }
        return tapMenu(controller, text)
    }

    /// Taps an entry of a button's menu.
    private static func tapMenu(_ controller: UIViewController, _ text: String) -> Bool {
        let buttons = ViewTree.all(controller.viewIfLoaded).compactMap { $0 as? UIButton }.filter(\.isEnabled)
        return buttons.lazy.compactMap(\.menu).flatMap(\.actions).first { $0.title == text }?.perform() ?? false
    }

    /// Taps what shows the text, or what is around it, if it has a recogniser of taps.
    private static func tapGesture(_ controller: UIViewController, _ text: String) -> Bool {
        let views = ViewTree.all(controller.viewIfLoaded).filter { view in
            (view as? UILabel)?.text == text || view.accessibilityLabel == text || view.accessibilityIdentifier == text
        }
        for view in views {
            var touched: UIView? = view
            while let candidate = touched {
                for case let tap as UITapGestureRecognizer in candidate.gestureRecognizers ?? [] where tap.recognize() {
                    return true
                }
                touched = candidate.superview
            }
        }
        return false
    }

    private static func fill(_ name: String, _ text: String, pressesReturn: Bool) throws {
        let front = ScreenState.current.front
        let fields = (front as? UIAlertController)?.textFields ?? ViewTree.fields(front?.viewIfLoaded)
        let field = fields.first { $0.shownName == name || $0.accessibilityIdentifier == name }
        guard let field, field.isEnabled else {
            throw ActionRefusal(
                "there is no field '\(name)' that can be typed into. The fields: \(fields.map(\.shownName).joined(separator: ", "))"
            )
        }
        field.type(text)
        if pressesReturn { field.pressReturn() }
    }

    private static func tapRow(_ controller: UIViewController, _ text: String) -> Bool {
        for case let table as UITableView in ViewTree.all(controller.viewIfLoaded) {
            if let row = table.allCells.first(where: { $0.cell.shownTexts.contains(text) }) {
                return table.tapRow(at: row.indexPath)
            }
        }
        return false
    }

    private static func choices(_ controller: UIViewController) -> [String] {
        let bar = ScreenState.barButtons(controller)
        let alert = (controller as? UIAlertController)?.actions.compactMap(\.title) ?? []
        let menus = bar.compactMap(\.menu).flatMap(\.actions).map(\.title)
        let texts = bar.map(\.shownTitle) + menus + alert + ViewTree.texts(controller.viewIfLoaded)
        return texts.count > 20 ? texts.prefix(20) + ["and \(texts.count - 20) more"] : texts
    }

    // MARK: Tabs and alerts

    private static func tapTab(_ name: String) throws {
        let root = UIApplication.shared.keyWindow?.rootViewController
        guard let tabs = ScreenState.tabBarController(in: root) else {
            throw ActionRefusal("the app has no tabs.")
        }
        let titles = (tabs.viewControllers ?? []).enumerated().map { index, child in
            tabs.tabs.indices.contains(index) ? tabs.tabs[index].title : child.tabBarItem.title ?? ""
        }
        let index = titles.firstIndex(of: name) ?? Int(name).flatMap { $0 > 0 ? $0 - 1 : nil }
        guard let index, tabs.tapTab(at: index) else {
            throw ActionRefusal(
                "there is no tab '\(name)', or the app refuses it. The tabs: \(titles.joined(separator: ", "))")
        }
    }

    private static func answerAlert(_ button: String) throws {
        if let question = UserRecognition.shared.question {
            guard !UserRecognition.shared.answer(button) else { return }
            throw ActionRefusal(
                "the question for the user has no button '\(button)'. It has: \(question.buttons.joined(separator: ", "))"
            )
        }
        guard let alert = ScreenState.current.alerts.last else { throw ActionRefusal("no alert is shown.") }
        guard alert.tap(button) else {
            let titles = alert.actions.compactMap(\.title).joined(separator: ", ")
            throw ActionRefusal("the alert has no button '\(button)' that can be tapped. It has: \(titles)")
        }
    }
}

extension UIBarButtonItem {
    /// What it may be called beside what it shows.
    fileprivate var otherNames: [String] {
        [accessibilityLabel, accessibilityIdentifier, image?.name].compactMap(\.self)
    }
}
