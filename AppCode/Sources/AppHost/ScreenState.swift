import BridgeProtocol
import BridgeWebKit
import Foundation
import HeadlessUIKit

/// What an app shows: the stack at the bottom, the stack that is presented over it, and the alerts on top.
@MainActor struct ScreenState {
    private(set) var main: [UIViewController] = []
    private(set) var modal: [UIViewController] = []
    private(set) var alerts: [UIAlertController] = []
    private(set) var tabs: [JSONValue] = []
    /// The controller that a user would touch.
    private(set) var front: UIViewController?
    /// The controllers from the root to the topmost presented one.
    private(set) var presented: [UIViewController] = []

    static var current: ScreenState { ScreenState(UIApplication.shared.keyWindow?.rootViewController) }

    init(_ root: UIViewController?) {
        var controller = root
        while let shown = controller {
            presented.append(shown)
            // `presentedViewController` asks the parent as well, which leads to the same controller.
            let next = shown.presentedViewController
            controller = next?.isBeingDismissed == true ? nil : next
        }
        alerts = presented.compactMap { $0 as? UIAlertController }
        let stacks = presented.filter { !($0 is UIAlertController) }
        main = stacks.first.map(ScreenState.stack) ?? []
        modal = stacks.dropFirst().last.map(ScreenState.stack) ?? []
        front = alerts.last ?? modal.last ?? main.last
        tabs = ScreenState.tabBarController(in: root).map(ScreenState.tabs) ?? []
    }

    /// The tab bar controller at the bottom, which may be in another controller, as that of SwiftUI is.
    static func tabBarController(in root: UIViewController?) -> UITabBarController? {
        switch root {
        case let tabs as UITabBarController: tabs
        case let stack as UINavigationController: tabBarController(in: stack.viewControllers.first)
        default: root.flatMap(container).flatMap { tabBarController(in: $0) }
        }
    }

    /// The child that leads to a stack or to tabs, in a controller which only wraps them.
    private static func container(in controller: UIViewController) -> UIViewController? {
        guard let view = controller.viewIfLoaded else { return nil }
        return controller.children.last { child in
            (child is UINavigationController || child is UITabBarController || container(in: child) != nil)
                && child.viewIfLoaded?.isDescendant(of: view) == true
        }
    }

    /// The controllers of a stack, the top one last. Tabs stand for their selected controller.
    private static func stack(_ controller: UIViewController) -> [UIViewController] {
        switch controller {
        case let tabs as UITabBarController: tabs.selectedViewController.map(stack) ?? []
        // A stack of SwiftUI may have tabs at its bottom.
        case let stack as UINavigationController:
            stack.viewControllers.count == 1 ? stack.viewControllers.flatMap(ScreenState.stack) : stack.viewControllers
        default:
            container(in: controller).map(stack).flatMap { $0.isEmpty ? nil : $0 } ?? [controller]
        }
    }

    private static func tabs(_ controller: UITabBarController) -> [JSONValue] {
        (controller.viewControllers ?? []).enumerated().map { index, child in
            let tab = controller.tabs.indices.contains(index) ? controller.tabs[index] : nil
            return [
                "title": .string(tab?.title ?? child.tabBarItem.title ?? ""),
                "isSelected": .bool(index == controller.selectedIndex),
            ]
        }
    }

    // MARK: One screen

    /// The web view that a user sees, also behind an alert.
    var frontWebView: WKWebView? { ScreenState.webView(in: (modal.last ?? main.last)?.viewIfLoaded) }

    static func title(_ controller: UIViewController) -> String? { controller.navigationItem.title ?? controller.title }

    static func json(_ controller: UIViewController) -> JSONValue {
        let webView = webView(in: controller.viewIfLoaded)
        let item = controller.navigationItem
        return [
            "controller": .string(controller.shownName),
            "title": title(controller).map { .string($0) } ?? .null,
            "url": ScreenName.url(of: controller).map { .string($0.absoluteString) } ?? .null,
            "webView": webView.map { .string($0.bridgedName) } ?? .null,
            "barButtons": .array(barButtons(controller).map(json)),
            "search": item.searchController.map { .string($0.searchBar.placeholder ?? "") } ?? .null,
            "texts": .array(texts(controller).map { .string($0) }),
            "fields": .array(ViewTree.fields(controller.viewIfLoaded).map(json)),
        ]
    }

    /// The buttons of the screen's bars, from top to bottom: those of its navigation item, those of bars that the app has
    /// added to a view, and those of the navigation controller's toolbar.
    static func barButtons(_ controller: UIViewController) -> [UIBarButtonItem] {
        let bars = ViewTree.all(controller.viewIfLoaded).flatMap { view -> [UIBarButtonItem] in
            switch view {
            case let bar as UIToolbar: bar.items ?? []
            case let bar as UINavigationBar: bar.topItem.map(buttons) ?? []
            default: []
            }
        }
        let all = buttons(controller.navigationItem) + bars + (controller.toolbarItems ?? [])
        return all.filter { !$0.isSpace && !$0.isHidden }
    }

    private static func buttons(_ item: UINavigationItem) -> [UIBarButtonItem] {
        (item.leftBarButtonItems ?? []) + (item.rightBarButtonItems ?? [])
    }

    private static func json(_ field: UITextField) -> JSONValue {
        [
            "name": .string(field.shownName), "text": .string(field.isSecureTextEntry ? "" : field.text ?? ""),
            "isEnabled": .bool(field.isEnabled),
        ]
    }

    /// What a user reads. A share sheet shows what it shares.
    private static func texts(_ controller: UIViewController) -> [String] {
        let shared = (controller as? UIActivityViewController)?.activityItems.map { "\($0)" } ?? []
        return shared + ViewTree.texts(controller.viewIfLoaded)
    }

    private static func json(_ item: UIBarButtonItem) -> JSONValue {
        [
            "title": .string(item.shownTitle), "icon": item.image?.name.map { .string($0) } ?? .null,
            "isEnabled": .bool(item.isEnabled),
            "menu": item.menu.map { .array($0.actions.map { .string($0.title) }) } ?? .null,
        ]
    }

    static func json(_ alert: UIAlertController) -> JSONValue {
        [
            "title": alert.title.map { .string($0) } ?? .null, "message": alert.message.map { .string($0) } ?? .null,
            "style": .string("\(alert.preferredStyle)"),
            "buttons": .array(alert.actions.map { .string($0.title ?? "") }),
        ]
    }

    static func webView(in view: UIView?) -> WKWebView? {
        guard let view else { return nil }
        return view as? WKWebView ?? view.subviews.lazy.compactMap(webView).first
    }
}

/// What a user reads and can tap in a tree of views. What is hidden does not count.
@MainActor enum ViewTree {
    static func all(_ view: UIView?) -> [UIView] {
        guard let view, !view.isHidden else { return [] }
        return [view] + view.subviews.flatMap { all($0) }
    }

    static func texts(_ view: UIView?) -> [String] {
        all(view).flatMap { view -> [String] in
            switch view {
            case let label as UILabel: [label.text].compactMap(\.self)
            case let button as UIButton: [button.currentTitle].compactMap(\.self)
            case let segments as UISegmentedControl:
                (0..<segments.numberOfSegments).compactMap { segments.titleForSegment(at: $0) }
            case let table as UITableView: table.allCells.flatMap(\.cell.shownTexts)
            default: []
            }
        }
    }

    static func fields(_ view: UIView?) -> [UITextField] { all(view).compactMap { $0 as? UITextField } }
}

extension UITextField {
    /// What a user would call the field.
    var shownName: String {
        [placeholder, accessibilityLabel, accessibilityIdentifier].compactMap(\.self).first { !$0.isEmpty } ?? ""
    }
}
