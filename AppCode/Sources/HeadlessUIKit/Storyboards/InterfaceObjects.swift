import Foundation
import HeadlessViews

/// Makes the objects of one scene of a storyboard, or of a nib: its views, bar buttons and recognisers.
@MainActor final class InterfaceObjects {
    let connections: InterfaceConnections
    private let module: String
    private let report: (String) -> Void
    /// The labels and the image view that a cell has by itself, by the ids of their elements.
    private var partsOfCells: [String: UIView] = [:]

    init(_ connections: InterfaceConnections, module: String, report: @escaping (String) -> Void) {
        (self.connections, self.module, self.report) = (connections, module, report)
    }

    /// Makes an object at the top of a nib or of a scene.
    func makeTop(_ element: InterfaceElement) -> AnyObject? {
        element.isView ? makeView(element) : makeOther(element)
    }

    // MARK: Views

    func makeView(_ element: InterfaceElement) -> UIView {
        let view = instance(of: element)
        fill(view, from: element)
        return view
    }

    private func instance(of element: InterfaceElement) -> UIView {
        if let name = element.attributes["customClass"] {
            let module = element.classModule ?? module
            if let type = NSClassFromString("\(module).\(name)") as? UIView.Type {
                if let view = type.init(coder: NSCoder()) { return view }
                report("\(name) returned nil from init(coder:).")
            } else if let make = InterfaceViews.makers[name] {
                return make()
            } else {
                report("Unknown class \(name): the module \(module) has no such view.")
            }
        }
        if let make = InterfaceViews.makers[element.name] ?? InterfaceAttributes.makers[element.name] { return make() }
        report("UIKit has no class for a \(element.name) here. An empty view takes its place.")
        return UIView()
    }

    /// Sets what the element says, and adds what is in it.
    private func fill(_ view: UIView, from element: InterfaceElement) {
        connections.add(view, for: element)
        InterfaceAttributes.set(element, on: view)
        setRuntimeAttributes(element, of: view)
        if let cell = view as? UITableViewCell {
            if let id = element.attributes["textLabel"] { partsOfCells[id] = cell.textLabel }
            if let id = element.attributes["detailTextLabel"] { partsOfCells[id] = cell.detailTextLabel }
            if let id = element.attributes["imageView"] { partsOfCells[id] = cell.imageView }
        }
        for child in element.children { place(child, in: view) }
    }

    private func place(_ child: InterfaceElement, in view: UIView) {
        switch (child.name, child.attributes["key"], view) {
        case ("subviews", _, _): for subview in child.children { addSubview(subview, to: view) }
        case ("constraints", _, _): view.addConstraints(child.children.map(makeConstraint))
        case ("viewLayoutGuide", "safeArea", _): connections.add(view.safeAreaLayoutGuide, for: child)
        case ("gestureRecognizers", _, _):
            for case let recognizer as UIGestureRecognizer in child.children.map(makeOther) {
                view.addGestureRecognizer(recognizer)
            }
        case ("items", _, let bar as UIToolbar):
            bar.items = child.children.compactMap { makeOther($0) as? UIBarButtonItem }
        case ("items", _, let bar as UINavigationBar): bar.items = child.children.map(makeNavigationItem)
        case ("items", _, _):
            if !child.children.isEmpty { report("The items of a \(type(of: view)) are not read.") }
        case ("sections", _, let table as UITableView): table.staticSections = child.children.map(makeSection)
        case ("prototypes", _, let table as UITableView): addPrototypes(child.children, to: table)
        case (_, "contentView", let cell as UITableViewCell): fill(cell.contentView, from: child)
        case (_, "contentView", let effect as UIVisualEffectView): fill(effect.contentView, from: child)
        case (_, "tableHeaderView", let table as UITableView): table.tableHeaderView = makeView(child)
        case (_, "tableFooterView", let table as UITableView): table.tableFooterView = makeView(child)
        case (_, "backgroundView", let table as UITableView): table.backgroundView = makeView(child)
        case (_, "accessoryView", let cell as UITableViewCell): cell.accessoryView = makeView(child)
        default: if child.isView { view.addSubview(makeView(child)) }
        }
    }

    private func addSubview(_ element: InterfaceElement, to view: UIView) {
        if let id = element.id, let part = partsOfCells.removeValue(forKey: id) { return fill(part, from: element) }
        let subview = makeView(element)
        if let stack = view as? UIStackView { stack.addArrangedSubview(subview) } else { view.addSubview(subview) }
    }

    private func makeConstraint(_ element: InterfaceElement) -> NSLayoutConstraint {
        let constraint = InterfaceAttributes.constraint(element)
        connections.add(constraint, for: element)
        return constraint
    }

    // MARK: Rows

    private func makeSection(_ element: InterfaceElement) -> UITableView.StaticSection {
        UITableView.StaticSection(
            header: element.attributes["headerTitle"], footer: element.attributes["footerTitle"],
            cells: element.children(of: "cells").compactMap { makeView($0) as? UITableViewCell })
    }

    private func addPrototypes(_ elements: [InterfaceElement], to table: UITableView) {
        for element in elements {
            guard let identifier = element.attributes["reuseIdentifier"] else { continue }
            table.setPrototype(identifier) {
                let cell = self.makeView(element) as? UITableViewCell
                self.connections.connect()
                return cell
            }
        }
    }

    // MARK: Other objects

    /// Makes an object that is no view: a bar button or a recogniser.
    func makeOther(_ element: InterfaceElement) -> AnyObject? {
        guard let made = instanceOfOther(element) else {
            report("A \(element.attributes["customClass"] ?? element.name) is not made here.")
            return nil
        }
        if let name = element.attributes["customClass"] {
            report("The \(element.name) should be a \(name). Here it is a \(type(of: made)).")
        }
        connections.add(made, for: element)
        setRuntimeAttributes(element, of: made)
        return made
    }

    private func instanceOfOther(_ element: InterfaceElement) -> AnyObject? {
        guard element.name == "barButtonItem" else { return InterfaceAttributes.recognizer(element) }
        let customView = element.children.first { $0.attributes["key"] == "customView" }
        return InterfaceAttributes.barButton(element, customView: customView.map(makeView))
    }

    private func makeNavigationItem(_ element: InterfaceElement) -> UINavigationItem {
        let item = UINavigationItem(title: element.attributes["title"] ?? "")
        fill(item, from: element)
        return item
    }

    func fill(_ item: UINavigationItem, from element: InterfaceElement) {
        connections.add(item, for: element)
        item.prompt = element.attributes["prompt"]
        for child in element.children {
            switch child.attributes["key"] {
            case "titleView": item.titleView = makeView(child)
            case "backBarButtonItem": item.backBarButtonItem = makeButtons([child]).first
            case "leftBarButtonItem": item.leftBarButtonItems = makeButtons([child])
            case "leftBarButtonItems": item.leftBarButtonItems = makeButtons(child.children)
            case "rightBarButtonItem": item.rightBarButtonItems = makeButtons([child])
            case "rightBarButtonItems": item.rightBarButtonItems = makeButtons(child.children)
            default: break
            }
        }
    }

    func makeButtons(_ elements: [InterfaceElement]) -> [UIBarButtonItem] {
        elements.compactMap { makeOther($0) as? UIBarButtonItem }
    }

    // MARK: Runtime attributes

    func setRuntimeAttributes(_ element: InterfaceElement, of object: AnyObject) {
        for attribute in element.children(of: "userDefinedRuntimeAttributes") {
            guard let path = attribute.attributes["keyPath"] else { continue }
            let values = InterfaceAttributes.runtimeValues(attribute)
            if let layer = (object as? UIView)?.layer, InterfaceAttributes.set(path, of: layer, to: values) { continue }
            let outlet = InterfaceTable.outlet(path, of: object)
            if !values.contains(where: { outlet?.set(object, $0) ?? false }) {
                report("The runtime attribute \(path) of \(type(of: object)) is not set.")
            }
        }
    }
}
