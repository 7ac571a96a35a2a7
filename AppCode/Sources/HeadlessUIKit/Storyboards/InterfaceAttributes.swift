import Foundation

/// What the attributes of an element say about the object of UIKit.
@MainActor enum InterfaceAttributes {
    static let makers: [String: () -> UIView] = [
        "label": { UILabel() }, "button": { UIButton(type: .system) }, "textField": { UITextField() },
        "textView": { UITextView() }, "imageView": { UIImageView() }, "switch": { UISwitch() },
        "slider": { UISlider() },
        "segmentedControl": { UISegmentedControl() }, "activityIndicatorView": { UIActivityIndicatorView() },
        "progressView": { UIProgressView() }, "scrollView": { UIScrollView() }, "stackView": { UIStackView() },
        "tableView": { UITableView() }, "searchBar": { UISearchBar() }, "datePicker": { UIDatePicker() },
        "pageControl": { UIPageControl() }, "navigationBar": { UINavigationBar() }, "toolbar": { UIToolbar() },
        "tabBar": { UITabBar() },
    ]

    static func set(_ element: InterfaceElement, on view: UIView) {
        let attributes = element.attributes
        view.tag = attributes["tag"].flatMap(Int.init) ?? 0
        view.isHidden = element.isTrue("hidden")
        view.isUserInteractionEnabled = attributes["userInteractionEnabled"] != "NO"
        view.alpha = attributes["alpha"].flatMap(Double.init).map { CGFloat($0) } ?? 1
        if let accessibility = element.child("accessibility") {
            view.accessibilityIdentifier = accessibility.attributes["identifier"]
            view.accessibilityLabel = accessibility.attributes["label"]
        }
        if let control = view as? UIControl {
            control.isEnabled = attributes["enabled"] != "NO"
            control.isSelected = element.isTrue("selected")
        }
        setContent(element, on: view)
    }

    private static func setContent(_ element: InterfaceElement, on view: UIView) {
        let attributes = element.attributes
        switch view {
        case let label as UILabel:
            label.text = text(element)
            label.isEnabled = attributes["enabled"] != "NO"
        case let button as UIButton: set(element, on: button)
        case let field as UITextField:
            field.text = text(element) ?? ""
            field.placeholder = attributes["placeholder"]
            field.isSecureTextEntry = element.child("textInputTraits")?.isTrue("secureTextEntry") ?? false
        case let textView as UITextView: textView.text = text(element) ?? ""
        case let image as UIImageView: image.image = attributes["image"].flatMap { UIImage(named: $0) }
        case let control as UISwitch: control.isOn = attributes["on"] != "NO"
        case let segments as UISegmentedControl:
            for segment in element.children(of: "segments") {
                segments.insertSegment(
                    withTitle: segment.attributes["title"], at: segments.numberOfSegments, animated: false)
            }
            segments.selectedSegmentIndex = attributes["selectedSegmentIndex"].flatMap(Int.init) ?? 0
        case let indicator as UIActivityIndicatorView:
            indicator.hidesWhenStopped = element.isTrue("hidesWhenStopped")
            if element.isTrue("animating") { indicator.startAnimating() }
        case let progress as UIProgressView: progress.progress = attributes["progress"].flatMap(Float.init) ?? 0.5
        case let bar as UISearchBar: bar.placeholder = attributes["placeholder"]
        default: break
        }
    }

    private static func set(_ element: InterfaceElement, on button: UIButton) {
        for state in element.children where state.name == "state" {
            let which: UIControl.State =
                switch state.attributes["key"] {
                case "selected": .selected
                case "highlighted": .highlighted
                case "disabled": .disabled
                default: .normal
                }
            if let title = state.attributes["title"] { button.setTitle(title, for: which) }
            if let image = state.attributes["image"] { button.setImage(UIImage(named: image), for: which) }
        }
        if let configuration = element.child("buttonConfiguration") {
            let title = configuration.attributes["title"] ?? configuration.child("attributedString").flatMap(fragments)
            if let title { button.setTitle(title, for: .normal) }
        }
    }

    private static func text(_ element: InterfaceElement) -> String? {
        element.attributes["text"] ?? element.child("string", key: "text")?.attributes["value"]
            ?? element.child("attributedString").flatMap(fragments)
    }

    private static func fragments(_ element: InterfaceElement) -> String? {
        element.children.compactMap { $0.attributes["content"] }.joined()
    }

    // MARK: Bar buttons

    static func barButton(_ element: InterfaceElement, customView: UIView?) -> UIBarButtonItem {
        let item: UIBarButtonItem
        if let customView {
            item = UIBarButtonItem(customView: customView)
        } else if let system = element.attributes["systemItem"].flatMap(systemItem) {
            item = UIBarButtonItem(systemItem: system)
        } else {
            item = UIBarButtonItem(title: element.attributes["title"], style: .plain, target: nil, action: nil)
        }
        item.image = element.attributes["image"].flatMap { UIImage(named: $0) }
        item.isEnabled = element.attributes["enabled"] != "NO"
        item.tag = element.attributes["tag"].flatMap(Int.init) ?? 0
        return item
    }

    private static func systemItem(_ name: String) -> UIBarButtonItem.SystemItem? {
        let all: [UIBarButtonItem.SystemItem] = [
            .done, .cancel, .edit, .save, .add, .flexibleSpace, .fixedSpace, .compose, .reply, .action, .organize,
            .bookmarks, .search, .refresh, .stop, .camera, .trash, .play, .pause, .rewind, .fastForward, .undo, .redo,
            .close,
        ]
        return all.first { "\($0)" == name }
    }

    // MARK: Connections

    static func event(_ name: String?) -> UIControl.Event {
        switch name {
        case "touchDown": .touchDown
        case "touchUpOutside": .touchUpOutside
        case "valueChanged": .valueChanged
        case "editingDidBegin": .editingDidBegin
        case "editingChanged": .editingChanged
        case "editingDidEnd": .editingDidEnd
        case "editingDidEndOnExit": .editingDidEndOnExit
        case "primaryActionTriggered": .primaryActionTriggered
        default: .touchUpInside
        }
    }

    /// Sets an outlet of UIKit's own classes.
    static func setOutlet(_ name: String, of object: AnyObject, to value: Any) -> Bool {
        switch (name, object) {
        case ("delegate", let field as UITextField): field.delegate = value as? any UITextFieldDelegate
        case ("delegate", let bar as UISearchBar): bar.delegate = value as? any UISearchBarDelegate
        case ("delegate", let view as UIScrollView): view.delegate = value as? any UIScrollViewDelegate
        case ("dataSource", let table as UITableView): table.dataSource = value as? any UITableViewDataSource
        case ("delegate", let stack as UINavigationController):
            stack.delegate = value as? any UINavigationControllerDelegate
        case ("delegate", let tabs as UITabBarController): tabs.delegate = value as? any UITabBarControllerDelegate
        case ("delegate", let recognizer as UIGestureRecognizer):
            recognizer.delegate = value as? any UIGestureRecognizerDelegate
        default: return false
        }
        return true
    }
}
