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
        "tabBar": { UITabBar() }, "view": { UIView() }, "containerView": { UIView() },
        "visualEffectView": { UIVisualEffectView(effect: nil) }, "control": { UIControl() },
        "tableViewCell": { UITableViewCell(style: .default, reuseIdentifier: nil) },
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
        case let textView as UITextView:
            textView.text = text(element) ?? ""
            textView.isEditable = attributes["editable"] != "NO"
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
        case let cell as UITableViewCell: set(element, on: cell)
        default: setValue(element, of: view)
        }
    }

    /// Sets what a user of the control changes.
    private static func setValue(_ element: InterfaceElement, of view: UIView) {
        let attributes = element.attributes
        switch view {
        case let slider as UISlider:
            slider.minimumValue = attributes["minValue"].flatMap(Float.init) ?? 0
            slider.maximumValue = attributes["maxValue"].flatMap(Float.init) ?? 1
            slider.value = attributes["value"].flatMap(Float.init) ?? 0.5
        case let control as UIPageControl:
            control.numberOfPages = attributes["numberOfPages"].flatMap(Int.init) ?? 0
            control.currentPage = attributes["currentPage"].flatMap(Int.init) ?? 0
            control.hidesForSinglePage = element.isTrue("hidesForSinglePage")
        case let picker as UIDatePicker:
            let modes: [UIDatePicker.Mode] = [.time, .date, .dateAndTime, .countDownTimer]
            picker.datePickerMode = modes.first { "\($0)" == attributes["datePickerMode"] } ?? .dateAndTime
        case let table as UITableView: table.allowsSelection = attributes["allowsSelection"] != "NO"
        default: break
        }
    }

    private static func set(_ element: InterfaceElement, on cell: UITableViewCell) {
        cell.reuseIdentifier = element.attributes["reuseIdentifier"]
        let accessories: [UITableViewCell.AccessoryType] = [
            .disclosureIndicator, .detailDisclosureButton, .checkmark, .detailButton,
        ]
        cell.accessoryType = accessories.first { "\($0)" == element.attributes["accessoryType"] } ?? .none
        if element.attributes["selectionStyle"] == "none" { cell.selectionStyle = .none }
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
        element.attributes["text"] ?? element.child("string", key: "text")?.content
            ?? element.child("attributedString").flatMap(fragments)
    }

    private static func fragments(_ element: InterfaceElement) -> String? {
        element.children.compactMap { $0.attributes["content"] ?? $0.child("string", key: "content")?.content }.joined()
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

    // MARK: View controllers

    static func set(_ element: InterfaceElement, on controller: UIViewController) {
        controller.hidesBottomBarWhenPushed = element.isTrue("hidesBottomBarWhenPushed")
        setPresentation(element, of: controller)
        if let stack = controller as? UINavigationController {
            stack.isNavigationBarHidden = element.isTrue("navigationBarHidden")
            stack.isToolbarHidden = element.attributes["toolbarHidden"] != "NO"
        }
    }

    /// Sets how a controller is presented, as its own element or that of a segue says.
    static func setPresentation(_ element: InterfaceElement, of controller: UIViewController) {
        let styles: [UIModalPresentationStyle] = [
            .fullScreen, .pageSheet, .formSheet, .currentContext, .custom, .overFullScreen, .overCurrentContext,
            .popover,
        ]
        if let style = styles.first(where: { "\($0)" == element.attributes["modalPresentationStyle"] }) {
            controller.modalPresentationStyle = style
        }
        let transitions: [UIModalTransitionStyle] = [.coverVertical, .flipHorizontal, .crossDissolve, .partialCurl]
        if let style = transitions.first(where: { "\($0)" == element.attributes["modalTransitionStyle"] }) {
            controller.modalTransitionStyle = style
        }
    }

    // MARK: Constraints and recognisers

    static func constraint(_ element: InterfaceElement) -> NSLayoutConstraint {
        let attributes = element.attributes
        let relations: [NSLayoutConstraint.Relation] = [.lessThanOrEqual, .greaterThanOrEqual]
        let constraint = NSLayoutConstraint(
            relations.first { "\($0)" == attributes["relation"] } ?? .equal,
            constant: number(attributes["constant"]) ?? 0, multiplier: ratio(attributes["multiplier"]) ?? 1)
        if let priority = attributes["priority"].flatMap(Float.init) {
            constraint.priority = UILayoutPriority(priority)
        }
        constraint.identifier = attributes["identifier"]
        return constraint
    }

    private static func number(_ text: String?) -> CGFloat? { text.flatMap(Double.init).map { CGFloat($0) } }

    /// The value of `0.5` or `1:2`.
    private static func ratio(_ text: String?) -> CGFloat? {
        let parts = (text ?? "").split(separator: ":").compactMap { number(String($0)) }
        guard parts.count == 2, parts[1] != 0 else { return parts.first }
        return parts[0] / parts[1]
    }

    /// - Returns: nil if the element is no recogniser that there is here.
    static func recognizer(_ element: InterfaceElement) -> UIGestureRecognizer? {
        let attributes = element.attributes
        switch element.name {
        case "tapGestureRecognizer":
            let tap = UITapGestureRecognizer(target: nil, action: nil)
            tap.numberOfTapsRequired = attributes["numberOfTapsRequired"].flatMap(Int.init) ?? 1
            return tap
        case "swipeGestureRecognizer":
            let swipe = UISwipeGestureRecognizer(target: nil, action: nil)
            let directions: [String: UISwipeGestureRecognizer.Direction] = ["left": .left, "up": .up, "down": .down]
            swipe.direction = attributes["direction"].flatMap { directions[$0] } ?? .right
            return swipe
        case "longPressGestureRecognizer", "pongPressGestureRecognizer":  // Interface Builder writes the second.
            return UILongPressGestureRecognizer(target: nil, action: nil)
        case "panGestureRecognizer": return UIPanGestureRecognizer(target: nil, action: nil)
        case "screenEdgePanGestureRecognizer": return UIScreenEdgePanGestureRecognizer(target: nil, action: nil)
        default: return nil
        }
    }

    // MARK: Runtime attributes

    /// The value of an attribute as each of the types that its property may have.
    static func runtimeValues(_ attribute: InterfaceElement) -> [Any] {
        let value = attribute.child("real", key: "value") ?? attribute.child("integer", key: "value")
        if let number = number(value?.attributes["value"]) {
            let whole: [Any] = Int(exactly: number.rounded()).map { [$0] } ?? []
            return [number, Double(number), Float(number)] + whole
        }
        if let color = attribute.child("color", key: "value").flatMap(color) { return [color] }
        switch attribute.attributes["type"] {
        case "boolean": return [attribute.isTrue("value")]
        case "string", "localizedString":
            let text = attribute.attributes["value"] ?? attribute.child("string", key: "value")?.content
            return text.map { [$0] } ?? []
        case "image": return attribute.attributes["value"].flatMap { UIImage(named: $0) }.map { [$0] } ?? []
        default: return []
        }
    }

    private static func color(_ element: InterfaceElement) -> UIColor? {
        let component = { (name: String) -> CGFloat? in number(element.attributes[name]) }
        let alpha = component("alpha") ?? 1
        if let white = component("white") { return UIColor(white: white, alpha: alpha) }
        guard let red = component("red"), let green = component("green"), let blue = component("blue") else {
            return nil
        }
        return UIColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// - Returns: false if the path leads to no property of the layer that is kept here.
    static func set(_ path: String, of layer: CALayer, to values: [Any]) -> Bool {
        let number = values.lazy.compactMap { $0 as? CGFloat }.first
        switch (path, number, values.first as? Bool) {
        case ("layer.cornerRadius", let number?, _): layer.cornerRadius = number
        case ("layer.borderWidth", let number?, _): layer.borderWidth = number
        case ("layer.shadowRadius", let number?, _): layer.shadowRadius = number
        case ("layer.shadowOpacity", let number?, _): layer.shadowOpacity = Float(number)
        case ("layer.masksToBounds", _, let masks?): layer.masksToBounds = masks
        default: return false
        }
        return true
    }

    // MARK: Events

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
}

extension InterfaceElement {
    /// Whether the element is one of a view that UIKit or the module with web views has here.
    @MainActor var isView: Bool { InterfaceViews.makers[name] != nil || InterfaceAttributes.makers[name] != nil }
}
