import Foundation

/// The objects of one scene of a storyboard, or of a nib: its views, bar buttons and recognisers, with what connects them.
@MainActor final class InterfaceObjects {
    private var objects: [String: AnyObject] = [:]
    private let owner: AnyObject
    private let module: String
    private let report: (String) -> Void
    /// Performs the segue of a control.
    var performSegue: (InterfaceElement, Any?) -> Void = { _, _ in }
    /// Fills a container with the controller of its segue.
    var embed: (InterfaceElement, UIView) -> Void = { _, _ in }
    private var embeddings: [(InterfaceElement, UIView)] = []
    private var pending: [(element: InterfaceElement, object: AnyObject)] = []

    /// - Parameter owner: the controller, or the nib's owner.
    init(owner: AnyObject, module: String, report: @escaping (String) -> Void) {
        (self.owner, self.module, self.report) = (owner, module, report)
    }

    func add(_ object: AnyObject, for element: InterfaceElement) {
        if let id = element.id { objects[id] = object }
        pending.append((element, object))
    }

    // MARK: Views

    func makeView(_ element: InterfaceElement) -> UIView {
        let view = instance(of: element)
        add(view, for: element)
        InterfaceAttributes.set(element, on: view)
        for child in element.children(of: "subviews") {
            let subview = makeView(child)
            if let stack = view as? UIStackView { stack.addArrangedSubview(subview) } else { view.addSubview(subview) }
        }
        for child in element.children where child.name == "gestureRecognizers" {
            child.children.forEach { _ = makeOther($0) }
        }
        return view
    }

    private func instance(of element: InterfaceElement) -> UIView {
        if let name = element.attributes["customClass"] {
            let known =
                element.attributes["customModuleProvider"] == "target" ? nil : element.attributes["customModule"]
            if let type = NSClassFromString("\(known ?? module).\(name)") as? UIView.Type {
                if let view = type.init(coder: NSCoder()) { return view }
                report("\(name) returned nil from init(coder:).")
            } else if let make = InterfaceViews.makers[name] {
                return make()
            } else {
                report("Unknown class \(name): the module \(known ?? module) has no such view.")
            }
        }
        return InterfaceViews.makers[element.name]?() ?? InterfaceAttributes.makers[element.name]?() ?? UIView()
    }

    /// Makes an object that is no view: a bar button or a recogniser.
    func makeOther(_ element: InterfaceElement) -> AnyObject? {
        let made: AnyObject
        switch element.name {
        case "barButtonItem":
            made = InterfaceAttributes.barButton(
                element,
                customView: element.children.first {
                    $0.attributes["key"] == "customView"
                }.map(makeView))
        case "tapGestureRecognizer": made = UITapGestureRecognizer(target: nil, action: nil)
        case "swipeGestureRecognizer": made = UISwipeGestureRecognizer(target: nil, action: nil)
        case "longPressGestureRecognizer":
            made = UILongPressGestureRecognizer(target: nil, action: nil)
        default: return nil
        }
        add(made, for: element)
        return made
    }

    // MARK: Connections

    /// Connects the objects that have been made since the last call.
    func connect() {
        let new = pending
        pending = []
        for (element, object) in new {
            var collections: [(name: String, members: [AnyObject])] = []
            for connection in element.children(of: "connections") {
                guard connection.name != "outletCollection" else {
                    add(connection, to: &collections)
                    continue
                }
                connect(connection, of: object)
            }
            for collection in collections { set(collection.name, of: object, to: collection.members) }
        }
    }

    /// Fills the containers, once their controller has its view.
    func embedChildren() {
        let all = embeddings
        embeddings = []
        for (segue, container) in all { embed(segue, container) }
    }

    private func add(_ connection: InterfaceElement, to collections: inout [(name: String, members: [AnyObject])]) {
        guard let name = connection.attributes["property"], let member = object(connection) else { return }
        if let index = collections.firstIndex(where: { $0.name == name }) {
            collections[index].members.append(member)
        } else {
            collections.append((name, [member]))
        }
    }

    private func object(_ connection: InterfaceElement) -> AnyObject? {
        connection.attributes["destination"].flatMap { objects[$0] }
    }

    private func connect(_ connection: InterfaceElement, of object: AnyObject) {
        switch connection.name {
        case "outlet":
            guard let name = connection.attributes["property"], let value = self.object(connection) else { return }
            set(name, of: object, to: value)
        case "action": connectAction(connection, of: object)
        case "segue" where connection.attributes["kind"] == "embed":
            if let view = object as? UIView { embeddings.append((connection, view)) }
        case "segue": connectSegue(connection, of: object)
        default: break
        }
    }

    private func set(_ name: String, of object: AnyObject, to value: Any) {
        if let outlet = InterfaceTable.outlet(name, of: object) {
            if !outlet.set(object, value) {
                report(
                    "The outlet \(name) of \(type(of: object)) has another type than \(type(of: value)), and stays nil."
                )
            }
        } else if name == "gestureRecognizers", let view = object as? UIView {
            for case let recognizer as UIGestureRecognizer in value as? [AnyObject] ?? [] {
                view.addGestureRecognizer(recognizer)
            }
        } else if !InterfaceAttributes.setOutlet(name, of: object, to: value), name != "view" {
            report("\(type(of: object)) has no outlet \(name).")
        }
    }

    private func connectAction(_ connection: InterfaceElement, of sender: AnyObject) {
        guard let name = connection.attributes["selector"] else { return }
        // Without a destination in the file, the first responder is meant.
        let target = object(connection) ?? owner
        guard let action = InterfaceTable.action(name, of: target) else {
            return report("\(type(of: target)) has no action \(name).")
        }
        switch sender {
        case let control as UIControl:
            control.addTarget(
                target, action: action, for: InterfaceAttributes.event(connection.attributes["eventType"]))
        case let item as UIBarButtonItem: (item.target, item.action) = (target, action)
        case let recognizer as UIGestureRecognizer: recognizer.addTarget(target, action: action)
        default: report("\(type(of: sender)) sends no action \(name) here.")
        }
    }

    private func connectSegue(_ segue: InterfaceElement, of sender: AnyObject) {
        let perform = { [weak self] (sender: Any?) -> Void in self?.performSegue(segue, sender) }
        switch sender {
        case let control as UIControl: control.addHandler(for: [.touchUpInside]) { perform($0) }
        case let item as UIBarButtonItem: item.primaryAction = UIAction { [weak item] _ in perform(item) }
        default: break
        }
    }
}
